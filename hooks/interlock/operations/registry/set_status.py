"""A status of an item, set in every record that says it."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied
from interlock.model.fixes import ours
from interlock.model.state import State
from interlock.operations.advance import advance_to, refuse_illegal
from interlock.operations.handoff.record import note
from interlock.operations.handoff.update import opening
from interlock.operations.outcome import Outcome, Overlay
from interlock.operations.progress_text import Words, timeline_text
from interlock.operations.registry.change import move
from interlock.operations.registry.status import next_proof, refuse_twice, registered
from interlock.workflow.language.spec import BEFORE, DONE, STAGE, STALE
from interlock.workflow.reading import gates
from interlock.workflow.reading.records import Records, handoff_state, is_open, records
from interlock.workflow.reading.status_words import Status, is_begun
from interlock.workflow.reading.transitions import stage_beside


def stage_for(at: Records, status: Status) -> State | None:
    """Where the handoff is while the registry says a status, if anywhere."""
    placed = at.active_handoff
    if placed is None or status.state is None:
        return None
    return stage_beside(status.state, at.kind, placed.state)


def _is_set(at: Records, wanted: Status, stage: State | None) -> bool:
    """Whether every record says it."""
    placed = at.active_handoff
    found = [at.status(record) for record in (at.row, at.entry) if record]
    if any(
        read is None or (read.text, read.word) != (wanted.text, wanted.word)
        for read in found
    ):
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
        return _set_registry(at, wanted, day, text, undo)
    words = Words(text, fields=opening(at) if is_begun(wanted, at.kind) else {})
    outcome = advance_to(at, stage, wanted, contents, day, words, undo=undo)
    if committed is not None and is_ahead(at) and not undo:
        _refuse_untried(committed, at, outcome)
    return outcome


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
    files = move(at, wanted, day, about, text, undo)
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
            ours('handoff', 'delete', at.item),
        )
