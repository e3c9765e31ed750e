from __future__ import annotations

from collections.abc import Iterator

from interlock.checks.compare import judge_items
from interlock.checks.handoff_fields import optional
from interlock.checks.handoff_fields import required
from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import delete
from interlock.model.remedy import edit
from interlock.model.remedy import move
from interlock.workflow.records import handoff_state
from interlock.workflow.records import is_null
from interlock.workflow.records import Placed
from interlock.workflow.records import Records
from interlock.workflow.records import scalar
from interlock.workflow.spec import BEFORE
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.workflow.template import expand


def _place(at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    if at.older is not None and not (
            at.handoff is None and _is_early(at.older, at)
    ):
        to = expand(at.kind.handoff.file, at.item)
        path = at.older.path
        leftover = at.handoff is not None or at.role == 'done'
        yield finding(
            'HND007', at.item, path, 1,
            f'a handoff lies here; its place is {to}',
            fix=delete(path) if leftover else move(path, to),
        )
    state = at.state
    if at.handoff is None or state is None:
        return
    policy = at.kind.states[state.name].handoff
    if policy == 'stale':
        yield finding(
            'HND005', at.item, at.handoff.path, 1,
            f'it is {label(state, at.kind)}, and its handoff still exists',
            expected='no handoff', found=state.name,
            fix=delete(at.handoff.path),
        )
    elif policy == 'kept':
        yield finding(
            'HND009', at.item, at.handoff.path, 1,
            f'it is {label(state, at.kind)}, and its handoff is kept',
            found=state.name, fix=delete(at.handoff.path),
        )


def _is_early(placed: Placed, at: Records) -> bool:
    """A handoff from before the stages: of an ideation, not of a stage."""
    if handoff_state(placed) is not None:
        return False
    elif placed.handoff.problem is not None:
        return False
    elif placed.handoff.fields is None:
        return placed is not at.handoff and at.role in {'', BEFORE}
    stage = scalar(placed, at.kind, 'stage')
    return stage is not None and stage.kind == 'str' and bool(stage.text)


def _content(placed: Placed, at: Records) -> Iterator[Finding]:
    path, handoff = placed.path, placed.handoff
    if handoff.problem is not None:
        yield finding(
            'HND002', at.item, path, handoff.problem.line,
            f'the frontmatter {handoff.problem.message}',
            found=handoff.problem.message,
            fix=edit(path, handoff.problem.line),
        )
    elif _is_early(placed, at):
        stage = scalar(placed, at.kind, 'stage')
        word = stage.text if stage else 'none'
        yield finding(
            'HND008', at.item, path, 1,
            f'it is from before the stages (`{word}`)',
            found=word, fix=edit(path),
        )
        yield from _name(placed, at)
    elif handoff.fields is None:
        yield finding(
            'HND001', at.item, path, 1,
            'it has no frontmatter between two lines `---`',
            fix=edit(path),
        )
    else:
        yield from _name(placed, at)
        yield from required(placed, at)
        yield from optional(placed, at)
        yield from _sections(placed, at)


def _name(placed: Placed, at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    name = scalar(placed, at.kind, 'item')
    if name is not None and not is_null(name) and name.text != at.item:
        key = at.kind.handoff.keys['item']
        yield finding(
            'HND004', at.item, placed.path, name.line,
            f'`{key}: {name.text}` is not the item of this directory',
            expected=at.item, found=name.text,
            fix=edit(placed.path, name.line),
        )


def _sections(placed: Placed, at: Records) -> Iterator[Finding]:
    assert at.kind.handoff is not None
    titles = [
        section.title.lower() for section in placed.handoff.sections
    ]
    for name in at.kind.handoff.expected_sections:
        # a title may go on: `Current State: Stage 3 complete`
        if not any(title.startswith(name.lower()) for title in titles):
            yield finding(
                'HND006', at.item, placed.path, 1,
                f'the section `{name}` is missing',
                expected=name, fix=edit(placed.path),
            )


def _of_item(at: Records) -> Iterator[Finding]:
    yield from _place(at)
    if at.current is not None and (at.handoff or at.role != 'done'):
        yield from _content(at.current, at)


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Handoffs say what the workflow asks of them, in their place."""
    for kind in workflow.kinds:
        if kind.handoff is not None:
            yield from judge_items(change, kind, _of_item)
