"""Moving an item: registry and handoff together, or neither."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.finding import ERROR
from interlock.model.fixes import ours
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff import update as handoff
from interlock.operations.handoff.edit import handoff_spec, refuse_unreadable
from interlock.operations.handoff.record import note
from interlock.operations.handoff.update import (
    Progress,
    given_fields,
    opening,
    refuse_unplanned,
    says_open,
)
from interlock.operations.outcome import Outcome, Overlay, differing
from interlock.operations.progress_text import Words, timeline_text
from interlock.operations.registry.change import move as move_registry
from interlock.operations.registry.change import undone
from interlock.operations.registry.status import (
    gaps,
    inside,
    may,
    next_proof,
    next_step,
    refuse_twice,
    registered,
    remedy,
    written,
)
from interlock.workflow.language.spec import BEFORE, DONE, STAGE, STALE
from interlock.workflow.reading import gates, status_words, transitions
from interlock.workflow.reading.fix_command import align
from interlock.workflow.reading.records import Records, handoff_state, is_open, records
from interlock.workflow.reading.status_words import Status, is_begun
from interlock.workflow.reading.transitions import differ, stage_beside


def _status(at: Records, state: State, words: Words) -> Status:
    """What the registry says once the work at a state is done."""
    becomes = at.kind.states[state.name].becomes
    target = state
    is_open = says_open(at, words)
    if becomes and state.phase is None and not is_open:
        target = State(becomes)
    read = at.status
    if (
        read is not None
        and read.state == target
        and (is_open or not is_begun(read, at.kind))
    ):
        return read
    return status_words.read(written(target, at.kind), at.kind)


def refuse_illegal(at: Records, wanted: Status, is_open: bool = False) -> str:
    """Why the step is unusual; Denied if it is illegal."""
    allowed, why = may(at, wanted, is_open)
    if not allowed:
        assert wanted.state is not None
        origin = at.kind.label(at.state)
        raise Denied(
            f'{at.item} may not go from {origin} to '
            f'{at.kind.label(wanted.state)}: {why}',
            next_step(at, wanted, False, is_open),
        )
    return why


def _of_handoff(at: Records, state: State) -> str:
    before = handoff_state(at.active_handoff)
    if (
        before is None
        or at.state is None
        or (state == stage_beside(at.state, at.kind, before))
    ):
        # a registry that is there already is followed
        return ''
    step = transitions.step(before, state, at.kind)
    if step.severity == ERROR:
        first = remedy(at._replace(state=before), before)
        raise Denied(
            f'the handoff of {at.item} may not go from '
            f'{at.kind.label(before)} to {at.kind.label(state)}: {step.why}',
            align(at).command if differ(at) else first,
        )
    return step.why


def _of_gates(at: Records, state: State, target: State, is_open: bool) -> str:
    """What the gates miss of a step of both records; Denied if closed."""
    reached = inside(state) if is_open else state
    closed, missing = gaps(at, reached if is_open else target, reached)
    if closed:
        raise Denied(
            f'{at.item} may not go to {at.kind.label(state)}: {"; ".join(missing)}',
            remedy(at, reached if is_open else target, reached),
        )
    return '; '.join(missing)


def _warnings(
    at: Records, state: State, wanted: Status, is_open: bool
) -> Iterator[str]:
    assert wanted.state is not None
    whys = [
        refuse_illegal(at, wanted, is_open),
        _of_handoff(at, state),
        _of_gates(at, state, wanted.state, is_open),
    ]
    if state.phase is not None:
        refuse_unplanned(at, at.kind.written_stage(state))
    yield from dict.fromkeys(filter(None, whys))


def _said(
    at: Records, wanted: Status, files: dict[str, bytes | None], amend: str
) -> Iterator[str]:
    assert wanted.state is not None
    target = at.kind.label(wanted.state)
    if at.state != wanted.state:
        origin = at.kind.label(at.state)
        yield f'{at.item}: {origin} -> {target}'
    elif not files:
        yield f'{at.item} is already at {target}'
    for path in files:
        made = at.snapshot.blob(path) is None
        yield f'{path}: {"created" if made else "written"}'
    if amend and files:
        yield contracts.amended(at, amend)


def advance_to(
    at: Records,
    state: State,
    wanted: Status,
    contents: Snapshot,
    day: str,
    words: Words,
    amend: str = '',
    undo: bool = False,
) -> Outcome:
    """As `advance`, with what the registry shall say.

    `undo`: back to what the last commit says, which is not a step.
    """
    registered(at)
    refuse_twice(at)
    assert wanted.state is not None
    is_open = says_open(at, words)
    warnings = () if undo else tuple(_warnings(at, state, wanted, is_open))
    given = given_fields(at, words).items()
    known = {key: value for key, value in given if value != 'null'}
    started = f'{at.kind.label(state)} started'
    default = started if is_open else timeline_text(at, wanted.state, known)
    text = words.text or default
    about = '' if is_open else str(state)
    progress = Progress(state, wanted.state, is_open, day, text, words)
    registry = move_registry(at, wanted, day, about, text, undo)
    written = handoff.updated(at, progress, contents, amend)
    files = differing({**registry, **written}, at.snapshot)
    said = tuple(_said(at, wanted, files, amend))
    return Outcome(files, said, warnings)


def advance(
    at: Records,
    state: State,
    contents: Snapshot,
    day: str,
    words: Words,
    amend: str = '',
) -> Outcome:
    """All records of an item, with the work at a state done.

    `contents` gives files as git stores them, for the seals. What is written
    already is not written again.
    """
    spec = at.kind.states[state.name]
    if spec.role != STAGE or not spec.stage:
        raise Refusal(f'{at.kind.label(state)} is not a stage of a handoff')
    wanted = _status(at, state, words)
    return advance_to(at, state, wanted, contents, day, words, amend)


def _first(at: Records) -> State:
    """Where work starts, or continues if the registry says where it is."""
    registered(at)
    if at.state is not None and at.role == STAGE:
        return at.state
    elif at.role == DONE:
        assert at.state is not None
        raise Denied(
            f'{at.item} is {at.kind.label(at.state)}: there is no work to hand over',
            ours('menu', at.called),
        )
    return next(
        State(name)
        for name, spec in at.kind.states.items()
        if spec.role == STAGE and spec.stage
    )


def create(
    at: Records, state: State | None, contents: Snapshot, day: str, words: Words
) -> Outcome:
    """A new handoff; unless a status is given, work at its state is in progress."""
    placed = at.active_handoff
    if placed is not None:
        raise Denied(
            f'{at.item} has a handoff: {placed.path}',
            ours('handoff', 'update', at.called),
        )
    handoff_spec(at)
    words = words._replace(fields={**opening(at), **words.fields})
    return advance(at, state or _first(at), contents, day, words)


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
    refuse_unreadable(handoff.require_handoff(at), at.called)
    if expected is not None:
        handoff.refuse_elsewhere(at, expected)
    if state is None and handoff_spec(at).keys.get('status') not in words.fields:
        return handoff.say_more(at, contents, day, words, amend)
    return advance(at, state or handoff.require_stage(at), contents, day, words, amend)


def stage_for(at: Records, status: Status) -> State | None:
    """Where the handoff is while the registry says a status, if anywhere."""
    placed = at.active_handoff
    if placed is None or status.state is None:
        return None
    return stage_beside(status.state, at.kind, placed.state)


def _is_set(at: Records, wanted: Status, stage: State | None) -> bool:
    """Whether every record says it."""
    placed = at.active_handoff
    found = [read for read in (at.row_status, at.entry_status) if read]
    if any((read.text, read.word) != (wanted.text, wanted.word) for read in found):
        return False
    return stage is None or (
        stage == handoff_state(placed)
        and (not is_begun(wanted, at.kind) or is_open(placed, at.kind))
    )


def set_status(
    at: Records,
    wanted: Status,
    contents: Snapshot,
    day: str,
    text: str = '',
    committed: Records | None = None,
) -> Outcome:
    """Row, entry, dates, timeline and handoff.

    `committed` are the records as the last commit has them: back to them is
    always possible, and what was written by hand since proves nothing.
    """
    refuse_twice(at)
    registered(at)
    assert wanted.state is not None
    stage = stage_for(at, wanted)
    if _is_set(at, wanted, stage):
        return Outcome({}, (f'{at.item} is {at.kind.label(wanted.state)} already',))
    undo = committed is not None and committed.state == wanted.state
    if stage is None:
        outcome = _set_registry(at, wanted, day, text, undo)
        return undone(outcome, at, committed) if committed and undo else outcome
    words = Words(text, fields=opening(at) if is_begun(wanted, at.kind) else {})
    outcome = advance_to(at, stage, wanted, contents, day, words, undo=undo)
    if committed is not None and is_ahead(at) and not undo:
        _refuse_untried(committed, at, outcome)
    return undone(outcome, at, committed) if committed and undo else outcome


def _set_registry(
    at: Records, wanted: Status, day: str, text: str, undo: bool
) -> Outcome:
    """The status of an item whose handoff stays, is left behind, or goes."""
    assert wanted.state is not None
    _refuse_reset(at, wanted.state)
    begun, spec = is_begun(wanted, at.kind), at.kind.states[wanted.state.name]
    target = at.kind.label(wanted.state)
    why = '' if undo else refuse_illegal(at, wanted, begun)
    default = f'{target} started' if begun else timeline_text(at, wanted.state)
    text = text or default
    removed = at.handoff.path if spec.handoff == STALE and at.handoff else ''
    if removed:
        text = f'{text}; handoff deleted'
    about = str(wanted.state) if spec.role == STAGE and not begun else ''
    files = move_registry(at, wanted, day, about, text, undo)
    origin = at.kind.label(at.state) if at.state else registered(at).text('status')
    said = [f'{at.item}: {origin} -> {target}']
    if removed:
        files[removed] = None
        said.append(f'{removed}: deleted')
    elif (
        # both records leave the stages in one change
        at.role == STAGE
        and spec.role == DONE
        and at.active_handoff is not None
        and 'current' in at.kind.handoff.sections
    ):
        noted = note(at, text, day)
        files.update(noted.files)
        said.extend(noted.said)
    return Outcome(files, tuple(said), (why,) if why else ())


def is_ahead(at: Records) -> bool:
    """Whether the handoff is at another stage than the registry."""
    found = handoff_state(at.active_handoff)
    return found is not None and found != at.state


def _refuse_untried(committed: Records, at: Records, outcome: Outcome) -> None:
    """What the commit would be refused for is not written either."""
    after = records(Overlay(at.snapshot, outcome.files), at.kind, at.item)
    found = gates.unproven(committed, after)
    for gap in found.gaps if found.strict else ():
        raise Denied(f'{at.item}: {gates.sentence(gap, at.kind)}', next_proof(at, gap))


def _refuse_reset(at: Records, wanted: State) -> None:
    """A handoff at a stage speaks of work that a reset takes back."""
    placed = at.active_handoff
    if placed and placed.state and at.kind.states[wanted.name].role == BEFORE:
        raise Denied(
            f'{at.item} cannot be {at.kind.label(wanted)} while '
            f'{placed.path} is at a stage: delete the handoff first',
            ours('handoff', 'delete', at.called),
        )
