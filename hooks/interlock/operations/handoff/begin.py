"""A handoff that is begun, and one that is brought up to date."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours
from interlock.model.state import State
from interlock.operations.advance import advance
from interlock.operations.handoff.fields import Move, handoff_spec
from interlock.operations.handoff.move import moved, readable
from interlock.operations.outcome import Outcome, data_of
from interlock.operations.progress_text import Words
from interlock.operations.registry.status import registered
from interlock.workflow.language.spec import DONE, STAGE
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.records import Records, counting, handoff_state, scalar
from interlock.workflow.reading.status_words import label


def _with_status(at: Records, words: Words, status: str) -> Words:
    key = handoff_spec(at).keys.get('status')
    if key is None or not status:
        return words
    return words._replace(fields={key: status, **words.fields})


def _first(at: Records) -> State:
    """Where work starts, or goes on if the registry says where it is."""
    registered(at)
    if at.state is not None and at.role == STAGE:
        return at.state
    elif at.role == DONE:
        assert at.state is not None
        raise Denied(
            f'{at.item} is {label(at.state, at.kind)}: there is no work to hand over',
            f'interlock menu {at.item}',
        )
    return next(
        State(name)
        for name, spec in at.kind.states.items()
        if spec.role == STAGE and spec.stage
    )


def create(
    at: Records, state: State | None, contents: Snapshot, day: str, words: Words
) -> Outcome:
    """A new handoff; unless a status is given, work at its state goes on."""
    placed = counting(at)
    if placed is not None:
        raise Denied(
            f'{at.item} has a handoff: {placed.path}',
            ours('handoff', 'update', at.item),
        )
    words = _with_status(at, words, handoff_spec(at).writes.get('open', ''))
    return advance(at, state or _first(at), contents, day, words)


def _refuse_unexpected(at: Records, expected: State) -> None:
    found = handoff_state(counting(at))
    if (
        found is None
        or found.name != expected.name
        or (expected.phase not in {None, found.phase})
    ):
        where = label(found, at.kind) if found else 'no stage'
        raise Denied(
            f'the handoff of {at.item} is at {where}, not at '
            f'{label(expected, at.kind)}',
            ours('verify-state', at.item),
        )


def update(
    at: Records,
    state: State | None,
    expected: State | None,
    contents: Snapshot,
    day: str,
    words: Words,
    amend: str = '',
) -> Outcome:
    """The handoff with the work at a state done.

    Without a state it stays where it is, and only more is said.
    """
    placed = counting(at)
    if placed is None:
        raise Denied(f'{at.item} has no handoff', ours('handoff', 'create', at.item))
    readable(placed, at.item)
    if expected is not None:
        _refuse_unexpected(at, expected)
    key = handoff_spec(at).keys.get('status')
    if state is None and key not in words.fields:
        return _said_more(at, contents, day, words, amend)
    state = state or _stage(at)
    return advance(at, state, contents, day, words, amend)


def _stage(at: Records) -> State:
    placed = counting(at)
    state = handoff_state(placed)
    if state is None:
        path = placed.path if placed else at.item
        raise Refusal(f'{path} is at no stage', rebuild(at).command)
    return state


def _said_more(
    at: Records, contents: Snapshot, day: str, words: Words, amend: str
) -> Outcome:
    """The handoff where it is, with more in it; the registry stays."""
    state = _stage(at)
    status = scalar(counting(at), at.kind, 'status')
    words = _with_status(at, words, status.text if status else '')
    name = label(state, at.kind)
    move = Move(state, state, True, day, f'{name} goes on', words)
    files = {
        path: data
        for path, data in moved(at, move, contents, amend).items()
        if data != data_of(at.snapshot, path)
    }
    said = tuple(f'{path}: written' for path in files)
    return Outcome(files, said or (f'{at.item}: nothing to change',))
