"""A stage has a handoff, at the latest when it ends."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.finding import WARNING, Finding
from interlock.model.fixes import make_handoff, restore_handoff
from interlock.rules.new_finding import finding
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STAGE
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.records import Records, handoff_state
from interlock.workflow.reading.status_words import label
from interlock.workflow.reading.transitions import ends_stage


def _path(at: Records) -> str:
    assert at.kind.handoff is not None
    return expand(at.kind.handoff.file, at.item)


def lacking(at: Records) -> Iterator[Finding]:
    """An item in a stage that has no handoff."""
    if at.role == STAGE and at.current is None and at.state is not None:
        yield finding(
            'HND011',
            at.item,
            _path(at),
            1,
            f'it is at {label(at.state, at.kind)} and has no handoff',
            expected='a handoff',
            severity=WARNING,
            fix=make_handoff(at.item),
        )


def of_step(before: Records, after: Records) -> Iterator[Finding]:
    if after.current is not None or not after.registered:
        return
    old, new = before.state, after.state
    was_at_work = before.role == STAGE
    if before.current is not None:
        if (
            new
            and after.role == STAGE
            and (was_at_work or handoff_state(before.current))
        ):
            yield finding(
                'HND011',
                after.item,
                _path(after),
                1,
                f'the handoff of {after.item} is gone, and the item is at '
                f'{label(new, after.kind)}',
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
        yield finding(
            'HND011',
            after.item,
            _path(after),
            1,
            f'{label(old, after.kind)} ends, and there is no handoff',
            key='ends',
            expected='a handoff',
            found=str(old),
            fix=make_handoff(after.item),
        )
