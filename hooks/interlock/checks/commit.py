from __future__ import annotations

from interlock.checks.compare import Case
from interlock.model.change import Change
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit, unstaged
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand, path_re
from interlock.workflow.language.spec import STAGE, DeliverableSpec, Kind
from interlock.workflow.reading.commit_subject import (
    Subject,
    amends_itself,
    stage_commit,
)
from interlock.workflow.reading.fix_command import align, commit_stage, has_ended
from interlock.workflow.reading.item_paths import is_handoff_touched
from interlock.workflow.reading.records import (
    Records,
    continued_handoff,
    handoff_state,
    is_open,
    records,
)
from interlock.workflow.reading.status_words import Status


def _is_stage(state: State | None, kind: Kind) -> bool:
    return state is not None and kind.states[state.name].role == STAGE


def _moved(old: State | None, new: State | None, kind: Kind) -> bool:
    """Whether the stage changed; a new phase, or done to done, does not count."""
    return (
        old is not None
        and new is not None
        and old.name != new.name
        and (_is_stage(old, kind) or _is_stage(new, kind))
    )


def _statuses(
    before: Records, after: Records
) -> list[tuple[Status | None, Status | None]]:
    """Before and after: the status of the row, and that of the entry."""
    return [
        (before.row_status, after.row_status),
        (before.entry_status, after.entry_status),
    ]


def _registry_moved(before: Records, after: Records) -> bool:
    if before.entry and after.entry and before.state == after.state:
        row, entry = after.row_status, after.entry_status
        if row and entry and row.text == entry.text:
            # the row caught up with an unchanged entry
            return False
    for left, right in _statuses(before, after):
        if left and right and _moved(left.state, right.state, after.kind):
            return True
    return False


def _is_rewritten(before: Records, after: Records) -> bool:
    """Whether a status in the registry changed, even to an unknown one."""
    for left, right in _statuses(before, after):
        if right and (left is None or left.text != right.text):
            return True
    return False


def _agrees(registry: State | None, handoff: State | None, kind: Kind) -> bool:
    if registry is None or handoff is None:
        return False
    spec = kind.states[registry.name]
    return handoff.name == registry.name or handoff.name in spec.agrees


def _atomic(change: Change, before: Records, after: Records) -> Iterator[Finding]:
    kind = after.kind
    handoff = after.active_handoff
    if handoff is None or not after.registered:
        return
    new = handoff_state(handoff)
    old = handoff_state(continued_handoff(before, after))
    # bringing one record in line with the other is a repair
    repaired = _agrees(after.state, new, kind)
    path = handoff.path
    if _registry_moved(before, after):
        if not is_handoff_touched(change.touched, kind, after.item) and not repaired:
            assert after.canonical is not None
            yield Location(
                after.item, after.canonical_path, after.canonical.line_of('status')
            ).finding(
                'COM001',
                f'the registry moved to {kind.label(after.state)}, but '
                f'{path} is not part of the change',
                expected=str(after.state),
                found=str(new or ''),
                fix=align(after),
            )
    elif _moved(old, new, kind) and not repaired and not _is_rewritten(before, after):
        line = handoff.handoff.line(kind.handoff.keys['stage'])
        yield Location(after.item, path, line).finding(
            'COM001',
            f'the handoff moved to {kind.label(new)}, but '
            f'{after.registry_path} still says {kind.label(after.state)}',
            expected=str(new),
            found=str(after.state or ''),
            fix=align(after),
        )


def _is_owed(spec: DeliverableSpec, at: Records) -> bool:
    if at.current is None:
        return True
    for key, value in spec.unless.items():
        node = at.current.handoff.nodes.get(key)
        if getattr(node, 'text', None) == value:
            return False
    return True


def _delivered(spec: DeliverableSpec, change: Change, item: str) -> bool:
    patterns = [expand(path, item) for path in spec.paths]
    if spec.must == 'exist':
        return any(change.after.blob(path) for path in patterns)
    return any(
        path_re(pattern).match(path) for pattern in patterns for path in change.contents
    )


def _came_earlier(before: Records, after: Records, named: Subject) -> bool:
    """Whether the change closes a stage whose work came in earlier commits.

    A phase must bring work of its own. The end of a stage after its phases, or
    of work that was in progress, need not.
    """
    assert named.state is not None
    placed = continued_handoff(before, after)
    old = handoff_state(placed) or before.state
    return (
        named.state.phase is None
        and old is not None
        and old.name == named.state.name
        and (old.phase is not None or is_open(placed, after.kind))
    )


def _remedy(
    spec: DeliverableSpec, change: Change, kind: Kind, named: Subject, path: str
) -> Fix:
    """Stage work that is not staged; a missing document must be written."""
    if spec.must == 'exist':
        return edit(path, 1, 'write it')
    assert named.state is not None
    if has_ended(records(change.after, kind, named.item), named.state):
        # all records are there: only the work may be missing
        return unstaged(expand(kind.path, named.item))
    return commit_stage(change, kind, named.item, named.state)


def _deliverables(
    change: Change, kind: Kind, kinds: Sequence[Kind]
) -> Iterator[Finding]:
    named = stage_commit(change, kind, kinds)
    if named is None or named.state is None or amends_itself(change, kind, named):
        return
    at = records(change.after, kind, named.item)
    came_earlier = _came_earlier(records(change.before, kind, named.item), at, named)
    for spec in kind.deliverables.get(named.state.name, ()):
        if came_earlier and spec.must == 'change':
            continue
        if _is_owed(spec, at) and not _delivered(spec, change, named.item):
            paths = [expand(path, named.item) for path in spec.paths]
            verb = 'changes' if spec.must == 'change' else 'has'
            yield Location(named.item, paths[0].split('*')[0].rstrip('/')).finding(
                'COM003',
                f'the subject ends {kind.label(named.state)}, but the commit '
                f'{verb} none of {", ".join(paths)}',
                key=paths[0],
                expected=str(named.state),
                fix=_remedy(spec, change, kind, named, paths[0]),
            )


def check(case: Case) -> Iterator[Finding]:
    change = case.change
    for items in case.items:
        kind = items.kind
        for before, after in items.moved:
            yield from _atomic(change, before, after)
        yield from _deliverables(change, kind, case.workflow.kinds)
        if kind.protocol is not None:
            # most projects have no tasks
            from interlock.checks import commit_todo

            # the commit that merges a task brings its work to the branch
            yield from commit_todo.of_change(change.from_first_parent, kind.protocol)
