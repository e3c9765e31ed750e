"""What was tried, recorded in the handoff."""

from __future__ import annotations

from interlock.documents.frontmatter_edit import scalar, set_field
from interlock.documents.text import decode
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import edit, ours
from interlock.model.state import State
from interlock.model.suggest import did_you_mean
from interlock.operations.handoff.edit import pass_all, values
from interlock.operations.handoff.fields import handoff_spec
from interlock.operations.handoff.move import readable
from interlock.operations.outcome import Outcome
from interlock.workflow.language.spec import DONE, GateSpec
from interlock.workflow.reading import evidence, next_state
from interlock.workflow.reading.records import (
    Placed,
    Records,
    counting,
    handoff_state,
    is_open,
)
from interlock.workflow.reading.status_words import label


def _text(at: Records, placed: Placed) -> str:
    readable(placed, at.item)
    blob = at.snapshot.blob(placed.path)
    assert blob is not None
    return decode(blob)


def _holder(at: Records) -> Placed:
    placed = counting(at)
    if placed is None and at.role == DONE:
        assert at.state is not None
        raise Denied(
            f'{at.item} is {label(at.state, at.kind)}: no stage of it is '
            f'worked on that could be tried',
            f'interlock menu {at.item}',
        )
    elif placed is None:
        raise Denied(
            f'{at.item} has no handoff that could hold evidence',
            ours('handoff', 'create', at.item),
        )
    return placed


def worked_on(at: Records) -> State:
    """The state whose work is being done, and can be tried."""
    placed = _holder(at)
    fields = values(_text(at, placed))
    state = handoff_state(placed)
    if state is None:
        raise Refusal(
            f'{placed.path} names no stage, so none can have been tried',
            ours('verify-state', at.item),
        )
    elif state.phase is not None or is_open(placed, at.kind):
        return State(state.name)
    coming = next_state.after(at, state, fields).state
    if coming is None:
        raise Refusal(
            f'nothing comes after {label(state, at.kind)}: say what was '
            f'tried with --stage'
        )
    return State(coming.name)


def add(
    at: Records, state: State, what: str, result: str, day: str, text: str = ''
) -> Outcome:
    """The handoff with the result of a test or a build of a state."""
    spec, known = handoff_spec(at), evidence.kinds(at.kind)
    if what not in known:
        raise Refusal(
            f'`{what}` is none of {", ".join(known)}{did_you_mean(what, known)}'
        )
    elif not spec.evidence:
        raise Refusal(
            'the workflow names no field for evidence (`handoff.evidence`)',
            'interlock explain --schema',
        )
    placed = _holder(at)
    key = evidence.key(at.kind, state.name, what)
    value = evidence.value(result, day, ' '.join(text.split()))
    try:
        new = set_field(_text(at, placed), (spec.evidence, key), scalar(value))
        asked = at.kind.gates.get(state.name, GateSpec()).evidence
        if what in asked:
            new = pass_all(new, spec, state.name, result == evidence.PASSED)
    except Unreadable as e:
        raise Refusal(
            f'{placed.path}: the frontmatter {e.message}', *edit(placed.path).hint
        ) from None
    name = label(State(state.name), at.kind)
    said = [f'{at.item}: {what} of {name} {result}']
    if result != evidence.PASSED:
        said.append(f'the gate of {name} is closed until it has passed')
    return Outcome({placed.path: new.encode()}, tuple(said))
