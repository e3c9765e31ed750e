from __future__ import annotations

from interlock.checks.compare import judge_items, moved_items
from interlock.checks.handoff_fields import FieldRules
from interlock.model.change import Change
from interlock.model.finding import WARNING, Finding, Fix
from interlock.model.fixes import make_handoff, ours, restore_handoff
from interlock.model.quick_typing import Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import BEFORE, KEPT, STAGE, STALE, Kind, Workflow
from interlock.workflow.reading.fix_command import delete_handoff, rebuild
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.records import (
    Placed,
    Records,
    handoff_state,
    is_null,
    scalar,
)
from interlock.workflow.reading.transitions import ends_stage


def _place(at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    if at.older is not None and not (at.handoff is None and _is_early(at.older, at)):
        to = expand(at.kind.handoff.file, at.item)
        path = at.older.path
        leftover = at.handoff is not None or at.role == 'done'
        yield Location(at.item, path).finding(
            'HND007',
            f'a handoff is here, but it belongs at {to}',
            fix=Fix(
                'delete the leftover', ours('handoff', 'delete', at.item, '--older')
            )
            if leftover
            else Fix('move it to its place', ours('handoff', 'migrate', at.item)),
        )
    state = at.state
    if at.handoff is None or state is None:
        return
    policy = at.kind.states[state.name].handoff
    if policy == STALE:
        yield Location(at.item, at.handoff.path).finding(
            'HND005',
            f'it is {at.kind.label(state)}, but its handoff still exists',
            expected='no handoff',
            found=state.name,
            fix=delete_handoff(at),
        )
    elif policy == KEPT:
        message = f'it is {at.kind.label(state)}, and its handoff is kept'
        yield Location(at.item, at.handoff.path).finding(
            'HND009', message, found=state.name, fix=delete_handoff(at)
        )


def _is_early(placed: Placed, at: Records) -> bool:
    """A handoff in the old format, without stages: of an ideation, not of a stage."""
    if handoff_state(placed) is not None:
        return False
    elif placed.handoff.problem is not None:
        return False
    elif placed.handoff.fields is None:
        return placed is not at.handoff and at.role in {'', BEFORE}
    stage = scalar(placed, at.kind, 'stage')
    return stage is not None and stage.kind == 'str' and bool(stage.text)


def _of_early(at: Records) -> Fix:
    """Before the first stage nothing has to be done about it."""
    if at.role in {'', BEFORE}:
        return Fix('see what comes next', ours('resume', at.item))
    return rebuild(at)


def _content(placed: Placed, at: Records) -> Iterator[Finding]:
    path, handoff = placed.path, placed.handoff
    if handoff.problem is not None:
        yield Location(at.item, path, handoff.problem.line).finding(
            'HND002',
            f'the frontmatter {handoff.problem.message}',
            found=handoff.problem.message,
            fix=restore_handoff(at.item),
        )
    elif _is_early(placed, at):
        stage = scalar(placed, at.kind, 'stage')
        word = stage.text if stage else 'none'
        message = f'it has the old format, without a stage (`{word}`)'
        yield Location(at.item, path).finding(
            'HND008', message, found=word, fix=_of_early(at)
        )
        yield from _name(placed, at)
    elif handoff.fields is None:
        yield Location(at.item, path).finding(
            'HND001',
            'it has no frontmatter between two lines `---`',
            fix=restore_handoff(at.item),
        )
    else:
        yield from _name(placed, at)
        fields = FieldRules(placed, at)
        yield from fields.required()
        yield from fields.optional()
        yield from _sections(placed, at)


def _name(placed: Placed, at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    name = scalar(placed, at.kind, 'item')
    if name is not None and not is_null(name) and name.text != at.item:
        key = at.kind.handoff.keys['item']
        yield Location(at.item, placed.path, name.line).finding(
            'HND004',
            f'`{key}: {name.text}` is not the item of this directory',
            expected=at.item,
            found=name.text,
            fix=Fix(
                'write the name of the directory', ours('handoff', 'migrate', at.item)
            ),
        )


def _sections(placed: Placed, at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    titles = [section.title.lower() for section in placed.handoff.sections]
    for name in at.kind.handoff.expected_sections:
        # a title may go on: `Current State: Stage 3 complete`
        if not any(title.startswith(name.lower()) for title in titles):
            yield Location(at.item, placed.path).finding(
                'HND006', f'the section `{name}` is missing', expected=name
            )


def _of_item(at: Records) -> Iterator[Finding]:
    yield from _place(at)
    if at.current is not None and (at.handoff or at.role != 'done'):
        yield from _content(at.current, at)


def _handoff_path(at: Records) -> str:
    assert at.kind.handoff is not None
    return expand(at.kind.handoff.file, at.item)


def _without(at: Records) -> Iterator[Finding]:
    """An item in a stage that has no handoff."""
    if at.role == STAGE and at.current is None and at.state is not None:
        yield Location(at.item, _handoff_path(at)).finding(
            'HND011',
            f'it is at {at.kind.label(at.state)} and has no handoff',
            expected='a handoff',
            severity=WARNING,
            fix=make_handoff(at.item),
        )


def _lost(before: Records, after: Records) -> Iterator[Finding]:
    if after.current is not None or not after.registered:
        return
    old, new = before.state, after.state
    was_at_work = before.role == STAGE
    if before.current is not None:
        if new and after.role == STAGE and (was_at_work or before.handoff_state):
            yield Location(after.item, _handoff_path(after)).finding(
                'HND011',
                f'the handoff of {after.item} is gone, and the item is at '
                f'{after.kind.label(new)}',
                key='gone',
                expected='a handoff',
                fix=restore_handoff(after.item),
            )
    elif (
        old
        and new
        and was_at_work
        and not was_unreadable(before)
        and (ends_stage(old, new, after.kind))
    ):
        yield Location(after.item, _handoff_path(after)).finding(
            'HND011',
            f'{after.kind.label(old)} ends, and there is no handoff',
            key='ends',
            expected='a handoff',
            found=str(old),
            fix=make_handoff(after.item),
        )


def _lacking(change: Change, kind: Kind) -> Iterator[Finding]:
    """Stages without a handoff, each said once."""
    refused = set()
    for before, after in moved_items(change, kind):
        for found in _lost(before, after):
            refused.add(found.item)
            yield found
    for found in judge_items(change, kind, _without):
        if found.item not in refused:
            yield found


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    for kind in workflow.kinds:
        if kind.handoff is not None:
            yield from judge_items(change, kind, _of_item)
            yield from _lacking(change, kind)
