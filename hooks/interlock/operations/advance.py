"""Moving an item: registry and handoff together, or neither."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.finding import ERROR
from interlock.model.fixes import ours
from interlock.model.overlay import Overlay
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff import update as handoff
from interlock.operations.handoff.edit import handoff_spec, refuse_unreadable
from interlock.operations.handoff.update import (
    Progress,
    given_fields,
    in_progress_field,
    refuse_unplanned,
    says_open,
)
from interlock.operations.outcome import Outcome, differing
from interlock.operations.progress_text import Words, timeline_text
from interlock.operations.registry.change import move as move_registry
from interlock.operations.registry.change import with_committed_row
from interlock.operations.registry.status import (
    in_progress_state,
    may,
    next_proof,
    refuse_twice,
    remedy,
    require_registered,
    status_text,
)
from interlock.workflow.language.spec import BEFORE, DONE, STAGE, STALE
from interlock.workflow.reading import gates, status_words, transitions
from interlock.workflow.reading.fix_command import align
from interlock.workflow.reading.records import Records, handoff_state, is_open, records
from interlock.workflow.reading.status_words import Status, is_begun
from interlock.workflow.reading.transitions import differ, stage_beside


def _status(at: Records, state: State, words: Words) -> Status:
    """The registry's status once the work at a state is done."""
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
    return status_words.read(status_text(target, at.kind), at.kind)


def _origin(at: Records, committed: Records | None) -> Records:
    """The records that a step starts from.

    A status on disk that no commit would accept is a mistake, not a step: the
    status of the last commit counts then.
    """
    if committed is None:
        return at
    made = transitions.step(committed.state, at.state, at.kind) if at.state else None
    if made is not None and made.severity != ERROR:
        return at
    return at._replace(state=committed.state, registered=committed.registered)


def refuse_illegal(at: Records, wanted: Status, is_open: bool = False) -> str:
    """Why the step is unusual, '' if it is not; Denied if it is illegal."""
    allowed, why = may(at, wanted, is_open)
    if not allowed:
        assert wanted.state is not None
        origin = at.kind.said(at.state, 'not registered')
        target = in_progress_state(wanted.state) if is_open else wanted.state
        raise Denied(
            f'{at.item} may not go from {origin} to '
            f'{at.kind.said(wanted.state)}: {why}',
            # it has a record, even if the last commit does not know it
            remedy(at._replace(registered=True), target),
        )
    return why


def _of_handoff(at: Records, state: State) -> str:
    before = handoff_state(at.active_handoff)
    if (
        before is None
        or at.state is None
        or (state == stage_beside(at.state, at.kind, before))
    ):
        # the handoff may always catch up with the registry
        return ''
    step = transitions.step(before, state, at.kind)
    if step.severity == ERROR:
        first = remedy(at._replace(state=before), before)
        raise Denied(
            f'the handoff of {at.item} may not go from '
            f'{at.kind.said(before)} to {at.kind.said(state)}: {step.why}',
            align(at).command if differ(at) else first,
        )
    return step.why


def _of_gates(at: Records, state: State, target: State, is_open: bool) -> str:
    """What the gates find missing for a step of both records; Denied if closed."""
    reached = in_progress_state(state) if is_open else state
    closed, missing = gates.gaps(at, reached if is_open else target, reached)
    if closed:
        raise Denied(
            f'{at.item} may not go to {at.kind.said(state)}: {"; ".join(missing)}',
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
        yield contracts.amended_next_step(at, amend)


def advance_to(
    at: Records,
    state: State,
    wanted: Status,
    contents: Snapshot,
    words: Words,
    undo: bool = False,
) -> Outcome:
    """Like `advance`, with the status that the registry gets.

    `undo`: return to the last commit, which does not count as a step.
    """
    require_registered(at)
    refuse_twice(at)
    assert wanted.state is not None
    is_open = says_open(at, words)
    warnings = () if undo else tuple(_warnings(at, state, wanted, is_open))
    given = given_fields(at, words)
    known = {key: value for key, value in given.items() if value != 'null'}
    started = f'{at.kind.label(state)} started'
    default = started if is_open else timeline_text(at, wanted.state, known)
    text = words.text or default
    about = '' if is_open else str(state)
    progress = Progress(state, wanted.state, is_open, text, words, given)
    registry = move_registry(at, wanted, words.day, about, text, undo)
    written = handoff.updated_handoff(at, progress, contents)
    files = differing({**registry, **written}, at.snapshot)
    said = tuple(_said(at, wanted, files, words.amend))
    return Outcome(files, said, warnings)


def advance(at: Records, state: State, contents: Snapshot, words: Words) -> Outcome:
    """Change all records of an item to say that the work at a state is done.

    `contents` gives files as git stores them, for the seals. Text that is already
    there is not written again.
    """
    spec = at.kind.states[state.name]
    if spec.role != STAGE or not spec.stage:
        raise Refusal(f'{at.kind.label(state)} is not a stage of a handoff')
    wanted = _status(at, state, words)
    return advance_to(at, state, wanted, contents, words)


def _first(at: Records) -> State:
    """The stage of the registry, else the first stage: there work starts."""
    require_registered(at)
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
    at: Records, state: State | None, contents: Snapshot, words: Words
) -> Outcome:
    """A new handoff; unless a status is given, work at its state is in progress."""
    placed = at.active_handoff
    if placed is not None:
        raise Denied(
            f'{at.item} has a handoff: {placed.path}',
            ours('handoff', 'update', at.called),
        )
    handoff_spec(at)
    words = words._replace(fields={**in_progress_field(at), **words.fields})
    return advance(at, state or _first(at), contents, words)


def update(
    at: Records,
    state: State | None,
    expected: State | None,
    contents: Snapshot,
    words: Words,
) -> Outcome:
    """The handoff with the work at a state done.

    Without a state the handoff keeps its stage, and only the given texts are added.
    """
    refuse_unreadable(handoff.require_handoff(at), at.called)
    if expected is not None:
        handoff.refuse_elsewhere(at, expected)
    if state is None and handoff_spec(at).keys.get('status') not in words.fields:
        return handoff.say_more(at, contents, words)
    return advance(at, state or handoff.require_stage(at), contents, words)


def stage_for(at: Records, status: Status) -> State | None:
    """The stage of the handoff while the registry has a status, None for no stage."""
    placed = at.active_handoff
    if placed is None or status.state is None:
        return None
    return stage_beside(status.state, at.kind, placed.state)


def _is_set(at: Records, wanted: Status, stage: State | None) -> bool:
    """Whether every record already has the status."""
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
    """Set the status in row, entry, dates, timeline and handoff.

    `committed` are the records of the last commit: an item may always return to
    them, and edits by hand since then prove nothing.
    """
    refuse_twice(at)
    require_registered(at)
    assert wanted.state is not None
    stage = stage_for(at, wanted)
    if _is_set(at, wanted, stage):
        return Outcome({}, (f'{at.item} is already {at.kind.said(wanted.state)}',))
    undo = committed is not None and committed.state == wanted.state
    if stage is None:
        outcome = _set_registry(at, wanted, day, text, committed, undo)
    else:
        fields = in_progress_field(at) if is_begun(wanted, at.kind) else {}
        words = Words(text, fields=fields, day=day)
        outcome = advance_to(at, stage, wanted, contents, words, undo)
        if committed is not None and is_ahead(at) and not undo:
            _refuse_untried(committed, at, outcome)
    return with_committed_row(outcome, at, committed) if committed and undo else outcome


def _set_registry(
    at: Records,
    wanted: Status,
    day: str,
    text: str,
    committed: Records | None,
    undo: bool,
) -> Outcome:
    """Set the status of an item whose handoff stays, is left behind, or is deleted."""
    assert wanted.state is not None
    _refuse_reset(at, wanted.state)
    begun, spec = is_begun(wanted, at.kind), at.kind.states[wanted.state.name]
    target = at.kind.label(wanted.state)
    why = '' if undo else refuse_illegal(_origin(at, committed), wanted, begun)
    default = f'{target} started' if begun else timeline_text(at, wanted.state)
    text = text or default
    removed = at.handoff.path if spec.handoff == STALE and at.handoff else ''
    if removed:
        text = f'{text}; handoff deleted'
    about = str(wanted.state) if spec.role == STAGE and not begun else ''
    files = move_registry(at, wanted, day, about, text, undo)
    origin = (
        at.kind.label(at.state) if at.state else require_registered(at).text('status')
    )
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
        # few steps leave a handoff behind
        from interlock.operations.handoff.record import note

        noted = note(at, text, day)
        files.update(noted.files)
        said.extend(noted.said)
    return Outcome(files, tuple(said), (why,) if why else ())


def is_ahead(at: Records) -> bool:
    """Whether the handoff is at another stage than the registry."""
    found = handoff_state(at.active_handoff)
    return found is not None and found != at.state


def _refuse_untried(committed: Records, at: Records, outcome: Outcome) -> None:
    """Refuse to write what the commit would be refused for."""
    after = records(Overlay(at.snapshot, outcome.files), at.kind, at.item)
    found = gates.unproven(committed, after)
    for gap in found.gaps if found.strict else ():
        raise Denied(f'{at.item}: {gates.sentence(gap, at.kind)}', next_proof(at, gap))


def _refuse_reset(at: Records, wanted: State) -> None:
    """Refuse a reset while a handoff at a stage describes the work it would undo."""
    placed = at.active_handoff
    if placed and placed.state and at.kind.states[wanted.name].role == BEFORE:
        raise Denied(
            f'{at.item} cannot be {at.kind.label(wanted)} while '
            f'{placed.path} is at a stage: delete the handoff first',
            ours('handoff', 'delete', at.called),
        )
