from __future__ import annotations

from interlock.checks.compare import Case, Concerned
from interlock.documents.trailers import CONFIRMED
from interlock.model.change import DELETED, Change, MergedSnapshot, Snapshot
from interlock.model.finding import EVERY_ITEM, Finding, Fix
from interlock.model.fixes import ours, reword, show_commit
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import commit_subject
from interlock.workflow.reading.commit_subject import amends_itself, stage_commit
from interlock.workflow.reading.fix_command import commit_stage
from interlock.workflow.reading.item_paths import is_handoff_touched
from interlock.workflow.reading.records import (
    Placed,
    Records,
    continued_handoff,
    handoff_state,
    is_open,
    located_path,
    records,
    scalar,
)


def _touches_registry(change: Change, kind: Kind, item: str) -> bool:
    spec = kind.registry
    entry = located_path(change.after, kind, spec.entry_file, item)
    return spec.file in change.contents or entry in change.contents


def _state_files(
    change: Change, kind: Kind, item: str, state: State
) -> Iterator[Finding]:
    missing = []
    if kind.handoff and not is_handoff_touched(change.contents, kind, item):
        missing.append(expand(kind.handoff.file, item))
    if (
        kind.registry
        and not _touches_registry(change, kind, item)
        and not _is_closed(change, kind, item, state)
    ):
        missing.append(kind.registry.file)
    if missing:
        yield Location(item, missing[0]).finding(
            'COM002',
            f'the subject ends {kind.label(state)}, but the commit does not '
            f'change {" and ".join(missing)}',
            expected=str(state),
            found=' '.join(missing),
            fix=commit_stage(change, kind, item, state),
        )


def _is_closed(change: Change, kind: Kind, item: str, state: State) -> bool:
    """Whether work in progress is now done, while the registry already has its
    state."""
    before = records(change.before, kind, item)
    after = records(change.after, kind, item)
    return (
        before.state == state
        and handoff_state(continued_handoff(before, after)) == state
        and after.handoff_state == state
        and is_open(continued_handoff(before, after), kind)
        and not after.is_open
    )


def _unfinished_handoff(
    placed: Placed, kind: Kind, item: str, state: State
) -> Iterator[Finding]:
    """Find a handoff that is not complete but is committed as complete.

    After a phase the handoff may be about the stage, which continues.
    """
    key = kind.handoff.keys.get('status', '')
    node = scalar(placed, kind, 'status')
    if node is None or state.phase is not None or not is_open(placed, kind):
        return
    number = kind.states[state.name].stage
    yield Location(item, placed.path, node.line).finding(
        'COM004',
        f'the subject ends {kind.label(state)}, but the handoff in the '
        f'commit says that work on it continues (`{key}: {node.text}`)',
        expected=str(state),
        found=node.text,
        fix=Fix(
            'say that the stage is done',
            ours('handoff', 'update', kind.called(item), number),
        ),
    )


def _handoff_stage(
    change: Change, kind: Kind, item: str, state: State
) -> Iterator[Finding]:
    """Find a handoff that is not at the stage that the subject names."""
    placed = records(change.after, kind, item).current
    if placed is None or change.contents.get(placed.path, DELETED) == DELETED:
        return
    found = handoff_state(placed)
    if found is None:
        return
    elif found == state:
        yield from _unfinished_handoff(placed, kind, item, state)
        return
    elif found.name == state.name and found.phase is None:
        # after its last phase, the stage itself is completed, without a phase
        yield from _unfinished_handoff(placed, kind, item, found)
        return
    line = placed.handoff.line(kind.handoff.keys['stage'])
    yield Location(item, placed.path, line).finding(
        'COM004',
        f'the subject names {kind.label(state)}, but the handoff in the commit '
        f'is at {kind.label(found)}',
        expected=str(state),
        found=str(found),
        fix=reword(f'a subject that names {kind.label(found)}'),
    )


def _two_stages(
    change: Change, kind: Kind, item: str, stage: State
) -> Iterator[Finding]:
    """Find a subject that names one stage and a phase of another."""
    assert change.message is not None
    at = records(change.after, kind, item)
    path = at.current.path if at.current else at.canonical_path
    yield Location(item, path).finding(
        'COM004',
        f'the subject `{change.message.subject}` names '
        f'{kind.label(stage)}, and a phase of another stage',
        expected=str(stage),
        found=change.message.subject,
        fix=reword('a subject that names one stage'),
    )


def _changed_to(before: Records, after: Records) -> State | None:
    """The new state of a record that changed, None if none did."""
    if before.state and after.state and before.state.name != after.state.name:
        return after.state
    old = handoff_state(continued_handoff(before, after))
    new = after.handoff_state
    if old and new and old.name != new.name:
        return new
    return None


def _is_taken_over(change: Change, after: Records) -> bool:
    """Whether a merge has the same states as one of its parents."""

    def states(at: Records) -> tuple[State | None, State | None]:
        return at.state, at.handoff_state

    def parent_records(snapshot: Snapshot) -> Records:
        if isinstance(change.before, MergedSnapshot):
            # merges are rare, and hooks have no time for the import
            from interlock.workflow.reading.merged_records import on_side

            return on_side(change.before, snapshot, after.kind, after.item)
        return records(snapshot, after.kind, after.item)

    return any(
        states(parent_records(parent.snapshot)) == states(after)
        for parent in change.parents
    )


def _hidden_moves(items: Concerned) -> Iterator[Finding]:
    change, kind = items.change, items.kind
    assert change.message is not None
    text = change.message.subject
    for before, after in items.moved:
        state = _changed_to(before, after)
        if state is None or _is_taken_over(change, after):
            continue
        elif not commit_subject.names(text, after.item, state, kind):
            where = after.current.path if after.current else ''
            yield Location(after.item, where or after.canonical_path).finding(
                'COM005',
                f'the item moves to {kind.said(state)}, but the subject `{text}` '
                f'names neither the item nor its new status',
                expected=str(state),
                fix=reword(
                    f'a subject that names {after.item} and {kind.label(state)}'
                ),
            )


def not_gated(commit: str, trailer: str, expected: str, found: str) -> Finding:
    what = f'says `{found}`' if found else 'is missing'
    return Location(EVERY_ITEM, '', 0).finding(
        'COM008',
        f'the commit was made without the local gate: the trailer `{trailer}` {what}',
        key=commit,
        expected=expected,
        found=found,
        fix=show_commit(commit),
        commit=commit,
    )


def not_confirmed(commit: str, item: str, stage: str, stage_commit: str) -> Finding:
    return Location(item, '', 0).finding(
        'COM009',
        f'the commit does not say that the user confirmed stage {stage} '
        f'({stage_commit[:10]}): the trailer `{CONFIRMED}` is missing or '
        f'names another stage',
        key=commit,
        expected=stage,
        fix=show_commit(commit),
        commit=commit,
    )


def check(case: Case) -> Iterator[Finding]:
    change, workflow = case.change, case.workflow
    if change.message is None:
        return
    for items in case.items:
        kind = items.kind
        if not kind.commit:
            continue
        named = stage_commit(change, kind, workflow.kinds)
        if named is not None and named.state is not None:
            if not amends_itself(change, kind, named):
                yield from _state_files(change, kind, named.item, named.state)
            yield from _handoff_stage(change, kind, named.item, named.state)
        elif named is not None and named.torn is not None:
            yield from _two_stages(change, kind, named.item, named.torn)
        elif named is not None and named.speaks:
            forms = ', '.join(f'`{form.text}`' for form in kind.commit.subjects[:3])
            yield Location(named.item, '', 0).finding(
                'COM006',
                f'the subject `{change.message.subject}` mentions a stage, but not '
                f'in a form that the workflow lists ({forms}, ...)',
                found=change.message.subject,
                fix=reword('a subject in one of these forms, or without a stage'),
            )
        yield from _hidden_moves(items)
