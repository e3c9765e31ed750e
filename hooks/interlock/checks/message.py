from __future__ import annotations

from collections.abc import Iterator

from interlock.checks.compare import moved_items
from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import add
from interlock.model.remedy import edit
from interlock.model.remedy import REWORD
from interlock.model.state import State
from interlock.workflow import subject
from interlock.workflow.handoffs import continued
from interlock.workflow.handoffs import is_touched
from interlock.workflow.records import handoff_state
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.spec import Kind
from interlock.workflow.spec import Workflow
from interlock.workflow.stage_commit import amends_itself
from interlock.workflow.stage_commit import stage_commit
from interlock.workflow.status import label
from interlock.workflow.template import expand


def _touches_registry(change: Change, kind: Kind, item: str) -> bool:
    spec = kind.registry
    assert spec is not None
    entry = expand(spec.entry_file, item)
    return spec.file in change.touched or entry in change.touched


def _state_files(
        change: Change,
        kind: Kind,
        item: str,
        state: State,
) -> Iterator[Finding]:
    missing = []
    if kind.handoff and not is_touched(change, kind, item):
        missing.append(expand(kind.handoff.file, item))
    if kind.registry and not _touches_registry(change, kind, item):
        missing.append(kind.registry.file)
    if missing:
        yield finding(
            'COM002', item, missing[0], 1,
            f'the subject ends {label(state, kind)}, but the commit does not '
            f'change {" and ".join(missing)}',
            expected=str(state), found=' '.join(missing), fix=add(*missing),
        )


def _same_stage(
        change: Change,
        kind: Kind,
        item: str,
        state: State,
) -> Iterator[Finding]:
    at = records(change.after, kind, item)
    carried = at.current
    if carried is None or kind.handoff is None:
        return
    elif change.touched.get(carried.path, 'D') == 'D':
        return
    found = handoff_state(carried)
    if found is None or found == state:
        return
    elif found.name == state.name and found.phase is None:
        # after its last phase a stage is complete, without one
        return
    line = carried.handoff.line(kind.handoff.keys['stage'])
    yield finding(
        'COM004', item, carried.path, line,
        f'the subject names {label(state, kind)}, the handoff in the commit '
        f'{label(found, kind)}',
        expected=str(state), found=str(found),
        fix=edit(carried.path, line),
    )


def _changed_to(before: Records, after: Records) -> State | None:
    """The state that a record of the item newly has, None if none."""
    if before.state and after.state and before.state.name != after.state.name:
        return after.state
    old = handoff_state(continued(before, after))
    new = handoff_state(after.current)
    if old and new and old.name != new.name:
        return new
    return None


def _hidden(change: Change, kind: Kind) -> Iterator[Finding]:
    assert change.message is not None
    text = change.message.subject
    for before, after in moved_items(change, kind):
        state = _changed_to(before, after)
        if state and not subject.names(text, after.item, state, kind):
            where = after.current.path if after.current else ''
            yield finding(
                'COM005', after.item, where or after.canonical_path, 1,
                f'it moves to {label(state, kind)}, and the subject `{text}` '
                f'names neither it nor its new status',
                expected=str(state), fix=REWORD,
            )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """The message says what the commit does to an item's stage."""
    if change.message is None:
        return
    for kind in workflow.kinds:
        if kind.commit is None:
            continue
        named = stage_commit(change, kind)
        if named is not None and named.state is not None:
            if not amends_itself(change, kind, named):
                yield from _state_files(change, kind, named.item, named.state)
            yield from _same_stage(change, kind, named.item, named.state)
        elif named is not None and named.speaks:
            forms = ', '.join(
                f'`{form.text}`' for form in kind.commit.subjects[:3]
            )
            yield finding(
                'COM006', named.item, '', 0,
                f'the subject `{change.message.subject}` speaks of a stage '
                f'in no form of the workflow ({forms}, ...)',
                found=change.message.subject, fix=REWORD,
            )
        yield from _hidden(change, kind)
