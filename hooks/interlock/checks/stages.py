from __future__ import annotations

from collections.abc import Iterator

from interlock.checks.compare import moved_items
from interlock.model.change import Change
from interlock.model.change import Message
from interlock.model.finding import ERROR
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import restore
from interlock.model.remedy import REWORD
from interlock.model.state import State
from interlock.workflow import machine
from interlock.workflow.records import handoff_state
from interlock.workflow.records import Placed
from interlock.workflow.records import Records
from interlock.workflow.records import registry
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.workflow.template import expand


def _has_reason(message: Message, trailer: str) -> bool:
    return bool(message.body.strip() or message.trailers.get(trailer.lower()))


def _was_unreadable(before: Records) -> bool:
    """Then nothing is known of the item, not even that it is new."""
    read = registry(before.snapshot, before.kind)
    return read is None or read.problem is not None


def _registry(
        before: Records,
        after: Records,
        message: Message | None,
) -> Iterator[Finding]:
    new, old = after.state, before.state
    if new is None or (
            old is None and (before.registered or _was_unreadable(before))
    ):
        # left the registry, or a status that REG005 speaks of
        return
    step = machine.step(old, new, after.kind)
    if not step.severity:
        return
    severity, why, fix = step.severity, step.why, restore(after.canonical_path)
    if step.reason and message is not None:
        if not _has_reason(message, step.reason):
            severity, fix = ERROR, REWORD
            why += f'; say why in the message (`{step.reason}: REASON`)'
    record = after.canonical
    assert record is not None
    origin = label(old, after.kind) if old else 'not registered'
    yield finding(
        'STG001', after.item, after.canonical_path, record.line_of('status'),
        f'{origin} -> {label(new, after.kind)}: {why}',
        expected=str(old or ''), found=str(new), severity=severity, fix=fix,
    )


def handoff_before(before: Records, after: Records) -> Placed | None:
    """The handoff that the one after continues; a leftover is none."""
    if after.handoff is not None:
        return before.current
    elif before.handoff is None:
        return before.older
    # the file at its place is gone: moved only if the other one is new
    return before.handoff if before.older is None else None


def _is_repair(before: Records, after: Records, handoff: State) -> bool:
    """A handoff that is brought in line with a registry that stays."""
    return before.state == after.state and after.state == handoff


def _handoff(before: Records, after: Records) -> Iterator[Finding]:
    kind = after.kind
    old = handoff_state(handoff_before(before, after), kind)
    new = handoff_state(after.current, kind)
    if old is None or new is None or after.current is None:
        return
    step = machine.step(old, new, kind)
    if step.severity and not _is_repair(before, after, new):
        path = after.current.path
        assert kind.handoff is not None
        yield finding(
            'STG002', after.item, path,
            after.current.handoff.line(kind.handoff.keys['stage']),
            f'{label(old, kind)} -> {label(new, kind)}: {step.why}',
            expected=str(old), found=str(new), severity=step.severity,
            fix=restore(path),
        )


def _entered(before: Records, after: Records) -> Iterator[str]:
    """The states that a record of the item enters with this change."""
    kind = after.kind
    moves: list[tuple[State | None, State | None]] = [
        (
            handoff_state(handoff_before(before, after), kind),
            handoff_state(after.current, kind),
        ),
    ]
    if not _was_unreadable(before):
        moves.append((before.state, after.state))
    seen = set()
    for old, new in moves:
        name = new.name if new else ''
        if name and name not in seen and (old is None or old.name != name):
            seen.add(name)
            yield name


def _gates(before: Records, after: Records) -> Iterator[Finding]:
    kind = after.kind
    files = {c.name: c for c in kind.contracts.files} if kind.contracts else {}
    for state in _entered(before, after):
        for name in kind.gates.get(state, ()):
            paths = [expand(path, after.item) for path in files[name].paths]
            if any(after.snapshot.blob(path) for path in paths):
                continue
            maker, needs = files[name].made_by, label(State(state), kind)
            made = f'; {maker} makes it' if maker else ''
            yield finding(
                'STG005', after.item, paths[0], 1,
                f'{needs} needs it, and it is missing{made}',
                key=name, expected=state,
                fix=edit(paths[0], 1, 'make it first'),
            )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Transitions are legal and their gates open."""
    for kind in workflow.kinds:
        for before, after in moved_items(change, kind):
            yield from _registry(before, after, change.message)
            yield from _handoff(before, after)
            yield from _gates(before, after)
