from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from interlock.checks import task_files
from interlock.checks.compare import moved_items
from interlock.checks.locks import site_kind
from interlock.checks.locks import site_lock
from interlock.documents.text import shown
from interlock.model.change import Change
from interlock.model.change import Message
from interlock.model.finding import ERROR
from interlock.model.finding import Finding
from interlock.model.finding import Fix
from interlock.model.finding import WARNING
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import record
from interlock.model.remedy import restore
from interlock.model.remedy import REWORD
from interlock.model.state import State
from interlock.workflow import evidence
from interlock.workflow import gates
from interlock.workflow import machine
from interlock.workflow.gates import was_unreadable
from interlock.workflow.handoffs import continued
from interlock.workflow.records import handoff_state
from interlock.workflow.records import Records
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.workflow.template import expand


def _has_reason(message: Message, trailer: str) -> bool:
    return bool(message.body.strip() or message.trailers.get(trailer.lower()))


def _registry(
        before: Records,
        after: Records,
        message: Message | None,
) -> Iterator[Finding]:
    new, old = after.state, before.state
    if new is None or (
            old is None and (before.registered or was_unreadable(before))
    ):
        # left the registry, or a status that REG005 speaks of
        return
    step = machine.step(old, new, after.kind)
    if not step.severity:
        return
    record = after.canonical
    assert record is not None
    line = record.line_of('status')
    severity, why = step.severity, step.why
    fix = edit(after.canonical_path, line, 'set the status that follows')
    if step.reason and message is not None:
        if not _has_reason(message, step.reason):
            severity, fix = ERROR, REWORD
            why += f'; say why in the message (`{step.reason}: REASON`)'
    origin = label(old, after.kind) if old else 'not registered'
    yield finding(
        'STG001', after.item, after.canonical_path, line,
        f'{origin} -> {label(new, after.kind)}: {why}',
        expected=str(old or ''), found=str(new), severity=severity, fix=fix,
    )


def _is_repair(before: Records, after: Records, handoff: State) -> bool:
    """A handoff that is brought in line with a registry that stays."""
    return before.state == after.state and after.state == handoff


def _handoff(before: Records, after: Records) -> Iterator[Finding]:
    kind = after.kind
    old = handoff_state(continued(before, after))
    new = handoff_state(after.current)
    if old is None or after.current is None or kind.handoff is None:
        return
    elif after.current.handoff.fields is None:
        # HND001 or HND002 says that nothing can be read of it
        return
    if new is None:
        severity, why = ERROR, 'the handoff no longer names a stage'
    else:
        step = machine.step(old, new, kind)
        if not step.severity or _is_repair(before, after, new):
            return
        severity, why = step.severity, step.why
    path = after.current.path
    target = label(new, kind) if new else 'no stage'
    yield finding(
        'STG002', after.item, path,
        after.current.handoff.line(kind.handoff.keys['stage']),
        f'{label(old, kind)} -> {target}: {why}',
        expected=str(old), found=str(new or ''), severity=severity,
        fix=restore(path),
    )


def _entered(before: Records, after: Records) -> list[str]:
    """The states in which no record of the item was before."""
    old = {
        state.name for state in (
            before.state, handoff_state(continued(before, after)),
        ) if state
    }
    new = [handoff_state(after.current)]
    if not was_unreadable(before):
        new.append(after.state)
    names = [state.name for state in new if state]
    return [name for name in dict.fromkeys(names) if name not in old]


def _gates(before: Records, after: Records) -> Iterator[Finding]:
    for state in _entered(before, after):
        needs = label(State(state), after.kind)
        for name, path, maker in gates.missing(after, state):
            made = f'; {maker} makes it' if maker else ''
            yield finding(
                'STG005', after.item, path, 1,
                f'{needs} needs it, and it is missing{made}',
                key=name, expected=state,
                fix=edit(path, 1, 'make it first'),
            )


def _without_handoff(
        before: Records,
        after: Records,
        gaps: Sequence[gates.Untried],
) -> Iterator[Finding]:
    """Nothing could hold what was tried, so nothing was."""
    kind = after.kind
    if kind.handoff is None or after.state is None or (
            # STG001 refuses it
            machine.step(before.state, after.state, kind).severity == ERROR
    ):
        return
    path = expand(kind.handoff.places[0], after.item)
    for gap in gaps:
        yield finding(
            'STG005', after.item, path, 1,
            f'{label(State(gap.state), kind)} is done, and there is no '
            f'handoff that could say that a {gap.what} of it passed',
            key=gap.what, expected=gap.state,
            fix=Fix(
                'make the handoff', f'interlock handoff create {after.item}',
            ),
        )


def _evidence(before: Records, after: Records) -> Iterator[Finding]:
    """What is done was tried; a handoff from before that rule is excused."""
    kind, found = after.kind, gates.unproven(before, after)
    if found.holder is None:
        yield from _without_handoff(before, after, found.gaps)
        return
    for gap in found.gaps:
        yield finding(
            'STG005', after.item, found.holder.path, gap.evidence.line,
            f'{label(State(gap.state), kind)} is done, and '
            f'{shown(gates.why(gap))}',
            key=gap.what, expected=gap.state, found=gap.evidence.text,
            severity=ERROR if found.strict else WARNING,
            fix=record(after.item, gap.what, kind.states[gap.state].stage),
        )


def _kept(before: Records, after: Records) -> Iterator[Finding]:
    """A handoff that keeps evidence does not become one that need not."""
    kind, new = after.kind, after.current
    if new is None or new.handoff.fields is None or kind.handoff is None:
        return
    elif evidence.is_kept(continued(before, after), kind) and (
            not evidence.is_kept(new, kind)
    ):
        key = kind.handoff.evidence
        yield finding(
            'STG005', after.item, new.path, 1,
            f'`{key}` was taken away, and with it what was tried',
            key=key, fix=restore(new.path),
        )


def _contract_blobs(at: Records) -> set[str]:
    """The ids of an item's contracts."""
    files = at.kind.contracts.files if at.kind.contracts else ()
    blobs = [
        at.snapshot.blob(expand(path, at.item))
        for contract in files for path in contract.paths
    ]
    return {blob.oid for blob in blobs if blob}


def _renamed(
        item: Records,
        moved: Sequence[tuple[Records, Records]],
) -> Records | None:
    """The item that left in this change and came back under a new name."""
    blobs = _contract_blobs(item)
    for before, after in moved:
        if (
                before.registered and not after.registered and
                before.kind.name == item.kind.name and
                blobs & _contract_blobs(before)
        ):
            return before
    return None


def _task(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """The task in whose worktree the change is made."""
    kind, site = site_kind(change, workflow), change.site
    if kind is None or site is None or not site.task:
        return
    lock = site_lock(site, kind)
    if lock is not None:
        yield from task_files.of_log(site.task, site.path, lock, kind)


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Transitions are legal and their gates open."""
    for kind in workflow.kinds:
        moved = moved_items(change, kind)
        for before, after in moved:
            if after.registered and not before.registered:
                before = _renamed(after, moved) or before
            yield from _registry(before, after, change.message)
            yield from _handoff(before, after)
            yield from _gates(before, after)
            yield from _evidence(before, after)
            yield from _kept(before, after)
    yield from _task(change, workflow)
