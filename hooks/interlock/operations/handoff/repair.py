"""Handoffs that are lost, unreadable, or no longer needed."""

from __future__ import annotations

from typing import NamedTuple

from interlock.model.errors import Denied
from interlock.model.fixes import ours
from interlock.operations.outcome import Outcome
from interlock.operations.registry.change import add_timeline
from interlock.operations.registry.status import readable
from interlock.workflow.language.spec import STALE
from interlock.workflow.reading.fix_command import align, rebuild
from interlock.workflow.reading.records import Placed, Records, handoff_state
from interlock.workflow.reading.status_words import label
from interlock.workflow.reading.transitions import stages_beside

DELETED = 'Handoff deleted'


class Version(NamedTuple):
    """A handoff as a commit has it."""

    commit: str
    placed: Placed
    data: bytes


def delete_older(at: Records) -> Outcome:
    """What was left behind at a place of older projects."""
    if at.older is None:
        raise Denied(
            f'{at.item} has no handoff at an older place', ours('verify-state', at.item)
        )
    path = at.older.path
    return Outcome({path: None}, (f'{path}: deleted',))


def delete(at: Records, day: str) -> Outcome:
    """No handoff at any of its places, and a line in the timeline."""
    paths = [placed.path for placed in (at.handoff, at.older) if placed]
    if not paths:
        raise Denied(f'{at.item} has no handoff', ours('resume', at.item))
    files: dict[str, bytes | None] = dict.fromkeys(paths)
    if at.registered and at.entry is not None:
        readable(at)
        files = {**add_timeline(at, day, '', DELETED).files, **files}
    return Outcome(files, tuple(f'{path}: deleted' for path in paths))


def refuse_needless(at: Records, broken: bool) -> None:
    """What is sound is not to be made anew, nor what is to be gone."""
    state = at.state
    if state is not None and at.kind.states[state.name].handoff == STALE:
        raise Denied(f'{at.item} is {label(state, at.kind)} and needs no handoff')
    elif at.current is not None and not broken:
        raise Denied(f'{at.current.path} is sound', ours('verify-state', at.item))


def _differs(at: Records, placed: Placed) -> str:
    """Where a handoff of the past and the registry of today stand."""
    then = handoff_state(placed)
    if then is None or at.state is None:
        return ''
    if then.name in stages_beside(at.state, at.kind):
        return ''
    following = align(at._replace(current=placed)).command
    return (
        f'the handoff is at {label(then, at.kind)}, {at.canonical_path} says '
        f'{label(at.state, at.kind)}; next: {following}'
    )


def restore(at: Records, version: Version | None, broken: bool) -> Outcome:
    """The handoff as it was sound last."""
    refuse_needless(at, broken)
    if version is None:
        raise Denied(
            f'no commit holds a sound handoff of {at.item}', rebuild(at).command
        )
    path = version.placed.path
    warning = _differs(at, version.placed)
    return Outcome(
        {path: version.data},
        (f'{path}: restored from {version.commit[:10]}',),
        (warning,) if warning else (),
    )
