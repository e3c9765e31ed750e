"""Judges the lock that a write would leave: complete, ours, one legal step further."""

from __future__ import annotations

from interlock.checks import task_files
from interlock.documents.tasks import approvals
from interlock.documents.tasks import lock as lock_document
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.guard.context import Context
from interlock.guard.decision import Decision, deny
from interlock.guard.relevance import Write
from interlock.model.change import Blob
from interlock.model.finding import Finding
from interlock.model.fixes import ours
from interlock.model.quick_typing import Any, Iterator
from interlock.tasks import lock_holders
from interlock.tasks.conditions import gate
from interlock.tasks.lock_store import Held
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_paths import is_path_name
from interlock.workflow.reading.transition_log import first_state, forward, is_selecting

CODE = 'CLD006'
# the fields that record what the user saw and approved
APPROVED = ('approvals', 'presented', 'scope_presented')
# the fields in which the holder of a lock and its corrections are recorded
HOLDER = ('agent', 'pid', 'started', 'host', 'worktree', 'corrections')


def parsed(context: Context, data: bytes) -> Lock:
    blob = Blob('', len(data), data)
    return lock_document.parse(blob, context.space.protocol.lock_keys)


def findings(context: Context, name: str, path: str, lock: Lock) -> Iterator[Finding]:
    space = context.space
    given = lock_holders.is_given(space, name, lock)
    yield from task_files.of_lock(name, path, lock, space.kind)
    yield from task_files.of_log(name, path, lock, space.kind)
    yield from task_files.of_generation(name, path, lock, space.protocol, given)


def _released(name: str) -> Decision:
    text = f'the lock of {name} is released only by the command, which logs it'
    return deny(CODE, text, f'interlock lock release {name}')


def _command_for(name: str, old: Lock | None, new: Lock) -> str:
    """The command that makes the change that a write by hand intended."""
    if old is None:
        return f'interlock task start {name}'
    elif new.state != old.state:
        return f'interlock transition {name} {shown(new.state) or "STATE"}'
    return f'interlock task resume {name}'


def _introduced(
    context: Context, name: str, path: str, old: Lock | None, new: Lock
) -> Iterator[Decision]:
    known = findings(context, name, path, old) if old else ()
    before = {found.fingerprint for found in known}
    for found in findings(context, name, path, new):
        if found.refuses and found.fingerprint not in before:
            text = f'{name}: {found.message}'
            yield deny(found.code, text, _command_for(name, old, new))


def _identity(
    context: Context, name: str, old: Lock | None, new: Lock
) -> Iterator[Decision]:
    show = f'interlock lock show {name}'
    if new.session != context.event.session:
        yield deny(
            CODE,
            f'the lock of {name} would name session {shown(new.session)}, '
            f'which is not this one',
            show,
        )
    elif old is not None and new.generation != old.generation:
        yield deny(CODE, f'only Interlock counts the generations of {name}', show)


def _is_approved(lock: Lock | None) -> bool:
    found = approvals.checkpoint(lock.get('checkpoint')) if lock else None
    return found is not None and found.approved


def _is_recorded(old: Lock | None, new: Lock) -> bool:
    """Whether an approval is recorded for the checkpoint of a lock."""
    at = approvals.checkpoint(new.get('checkpoint'))
    records = approvals.approvals(old.get('approvals') if old else None)
    return at is not None and any(
        each.of == approvals.CHANGES and each.what == at.commit for each in records
    )


def _approvals(name: str, old: Lock | None, new: Lock) -> Iterator[Decision]:
    hint = f'interlock present {name}'
    for role in APPROVED:
        if new.get(role) != (old.get(role) if old else None):
            text = f'only Interlock records presentations and approvals of {name}'
            yield deny('CLD005', f'{text} (`{new.key(role)}`)', hint)
    if _is_approved(new) and not _is_approved(old) and not _is_recorded(old, new):
        text = f'no record says that the user approved the checkpoint of {name}'
        yield deny('CLD005', text, hint)


def _unchangeable(name: str, old: Lock, new: Lock) -> Iterator[Decision]:
    before, after = old.get('log'), new.get('log')
    if isinstance(before, list) and isinstance(after, list):
        if after[: len(before)] != before:
            text = f'the log of {name} only grows; this changes an old entry'
            yield deny('STG004', text, _command_for(name, old, new))
    for role in HOLDER:
        if new.get(role) != old.get(role):
            text = f'only Interlock writes `{new.key(role)}` of {name}'
            yield deny(CODE, text, f'interlock lock show {name}')


def _additions(lock: Lock) -> list[Any]:
    value = lock.get('additions')
    return value if isinstance(value, list) else []


def _is_whole(entry: Any, state: str) -> bool:
    """Whether an added agent is recorded with its name, the reason and the state."""
    if not isinstance(entry, dict) or entry.get('added_at_state') != state:
        return False
    texts = (entry.get('agent'), entry.get('justification'))
    return all(isinstance(text, str) and text.strip() for text in texts)


def _adding(name: str, added: list[Any]) -> str:
    """The command that adds the agents that a write by hand would add."""
    for entry in added:
        agent = entry.get('agent') if isinstance(entry, dict) else None
        if isinstance(agent, str) and is_path_name(agent):
            return f"{ours('agents', 'add', name, agent)} --why 'WHY'"
    return f'interlock task resume {name}'


def _of_additions(name: str, old: Lock, new: Lock, may_add: bool) -> Iterator[Decision]:
    """Old records of added agents must stay, and new ones must be complete."""
    before, after = _additions(old), _additions(new)
    added = after[len(before) :]
    hint = _adding(name, added)
    if after[: len(before)] != before:
        key = new.key('additions')
        text = f'`{key}` of {name} only grows; this changes an old entry'
        yield deny(CODE, text, hint)
    elif added and not may_add:
        text = f'{name} is in {shown(old.state)}, where agents cannot be added'
        yield deny(CODE, text, hint)
    elif not all(_is_whole(each, old.state) for each in added):
        text = f'an addition to {name} must name the agent, the reason and {old.state}'
        yield deny(CODE, text, hint)


def _of_agents(name: str, old: Lock, new: Lock, kind: Kind) -> Iterator[Decision]:
    if is_selecting(kind, old.state):
        # this is the state in which the agents are selected
        yield from _of_additions(name, old, new, may_add=False)
        return
    spec, check = kind.states.get(old.state), f'interlock agents check {name}'
    may_add = spec is not None and spec.additions
    if new.get('selection') != old.get('selection'):
        yield deny(
            CODE, f'the agents of {name} were selected before {old.state}', check
        )
    yield from _of_additions(name, old, new, may_add)
    for agent in old.agents:
        if agent not in new.agents:
            text = f'{shown(agent)} takes part in {name}, and gates wait for it'
            yield deny(CODE, text, check)
    added = [agent for agent in new.agents if agent not in old.agents]
    recorded = {each.get('agent') for each in _additions(new) if isinstance(each, dict)}
    if added and not (may_add and recorded.issuperset(added)):
        agent = shown(added[0])
        where = 'without a record' if may_add else f'in {shown(old.state)}'
        yield deny(
            CODE,
            f'{agent} would be added to {name} {where}',
            f"interlock agents add {name} {agent} --why 'WHY'",
        )


def _of_assessment(name: str, old: Lock, new: Lock, kind: Kind) -> Iterator[Decision]:
    """Refuse a changed risk or kind of change: only the command corrects them,
    because it keeps the old value."""
    risks = kind.protocol.risks if kind.protocol else ()
    before, after = old.text('risk'), new.text('risk')
    if before in risks and (
        after not in risks or risks.index(after) > risks.index(before)
    ):
        role = 'risk'
    elif old.text('change') and new.text('change') != old.text('change'):
        role = 'change'
    else:
        return
    value = shown(new.text(role))
    yield deny(
        CODE,
        f'`{new.key(role)}` of {name} is {shown(old.text(role))}, and would become '
        f'{value or "gone"} without a record',
        f'interlock transition {name} {forward(kind, old.state)} '
        f"--{role} {value} --why 'WHY'"
        if value and forward(kind, old.state)
        else f'interlock task resume {name}',
    )


def _before_step(old: Lock, new: Lock) -> Lock:
    """The new lock with the state and the log of the old one."""
    data = dict(new.data)
    for role in ('state', 'log'):
        data[new.key(role)] = old.get(role)
    return new._replace(json=new.json._replace(data=data))


def _step(context: Context, name: str, old: Lock, new: Lock) -> Iterator[Decision]:
    """The gate of the step, asked as if the rest of the write were recorded."""
    state, evidence = shown(new.state), new.get('evidence')
    if old.state == new.state:
        return
    if isinstance(evidence, dict) and new.state in evidence:
        yield deny(
            CODE,
            f'{name} would enter {state} with evidence that only that state can give',
            f'interlock transition {name} {state}',
        )
    asked = gate.conditions_of_step(context.space.kind, old.state, new.state)
    view = context.task_view(name, _before_step(old, new), new.state, asked)
    for verdict in gate.gate(view):
        if verdict.refuses:
            text = f'{name}: {old.state} -> {state}: {verdict.code} {verdict.message}'
            yield deny('STG005', text, f'interlock gate {name} {state}')


def _decisions(
    context: Context, name: str, path: str, old: Lock | None, new: Lock
) -> Iterator[Decision]:
    kind = context.space.kind
    yield from _introduced(context, name, path, old, new)
    yield from _identity(context, name, old, new)
    yield from _approvals(name, old, new)
    if old is None:
        first = first_state(kind)
        if new.state != first:
            text = f'{name} begins in {first}, not in {shown(new.state)}'
            yield deny('STG003', text, f'interlock task start {name}')
        return
    yield from _unchangeable(name, old, new)
    yield from _of_agents(name, old, new, kind)
    yield from _of_assessment(name, old, new, kind)
    yield from _step(context, name, old, new)


def judge(
    context: Context, write: Write, name: str, held: Held | None
) -> Iterator[Decision]:
    if write.removed:
        yield _released(name)
    elif write.how or write.new is None:
        text = f'this writes the lock of {name} past its gate and its log'
        step, start = f'transition {name} STATE', f'task start {name}'
        yield deny(CODE, text, f'interlock {step if held else start}')
    else:
        old = held.lock if held and held.lock.problem is None else None
        new = parsed(context, write.new)
        yield from _decisions(context, name, write.path, old, new)


def judge_main(context: Context, write: Write) -> Iterator[Decision]:
    """Judge the lock of the main worktree, which must be absent or ours."""
    protocol = context.space.protocol
    main = protocol.main
    hint = f'interlock lock acquire {main.name} --operation {main.operations[0]}'
    if write.removed:
        yield _released(main.name)
    elif write.how or write.new is None:
        text = 'two sessions could write the lock of the main worktree at once'
        yield deny(CODE, text, hint)
    else:
        new = parsed(context, write.new)
        for found in task_files.of_main(write.path, new, protocol):
            if found.refuses:
                yield deny(found.code, found.message, hint)
        yield from _identity(context, main.name, None, new)
