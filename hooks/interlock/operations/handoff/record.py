"""What happened to an item, recorded in its handoff: notes and evidence."""

from __future__ import annotations

from interlock.documents import markdown
from interlock.documents.frontmatter_edit import scalar
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import (
    correction,
    did_you_mean,
    make_handoff,
    ours,
    restore_handoff,
)
from interlock.model.state import State
from interlock.operations.handoff.edit import (
    HandoffText,
    handoff_spec,
    refuse_unreadable,
)
from interlock.operations.outcome import Outcome, refusing
from interlock.workflow.language.spec import DONE, GateSpec
from interlock.workflow.reading import evidence, next_state
from interlock.workflow.reading.records import Placed, Records, is_open

# a build prints more than a handoff should hold
MAX_TEXT = 500


def note(at: Records, text: str, day: str) -> Outcome:
    """The handoff with one more line about its current state, and a date."""
    spec = at.kind.handoff
    if at.current is None:
        raise Denied(
            f'{at.item} has no handoff to note: {text}', *make_handoff(at.called).hint
        )
    elif 'current' not in spec.sections:
        raise Refusal(
            'the workflow does not name a section of the handoff for the situation',
            'give it as `handoff.sections.roles.current`',
        )
    text = ' '.join(text.split())
    if len(text) > MAX_TEXT:
        text = f'{text[: MAX_TEXT - 3]}...'
    line, path = f'- **{day}:** {text}', at.current.path
    with refusing(path, 'the handoff', restore_handoff(at.called)):
        edited = HandoffText.read(at, path)
        written = {content for _, content in markdown.visible_lines(edited.text)}
        if line not in written:
            edited.add_line('current', line)
        if 'updated' in spec.keys:
            edited.set_yaml(spec.keys['updated'], day)
    return Outcome({path: edited.text.encode()}, (f'{path}: situation noted',))


def _evidence_holder(at: Records) -> Placed:
    placed = at.active_handoff
    if placed is None and at.role == DONE:
        assert at.state is not None
        raise Denied(
            f'{at.item} is {at.kind.label(at.state)}: no stage is in '
            f'progress, so there is no evidence to record',
            ours('menu', at.called),
        )
    elif placed is None:
        raise Denied(
            f'{at.item} has no handoff to hold evidence', *make_handoff(at.called).hint
        )
    refuse_unreadable(placed, at.called)
    return placed


def worked_on(at: Records) -> State:
    """The state that is being worked on, whose work can be tried."""
    placed = _evidence_holder(at)
    state = placed.state
    if state is None:
        raise Refusal(
            f'{placed.path} does not name a stage, so there is nothing to record',
            ours('verify-state', at.called),
        )
    elif state.phase is not None or is_open(placed, at.kind):
        return State(state.name)
    fields = HandoffText.read(at, placed.path).values
    coming = next_state.after(at, state, fields).state
    if coming is None:
        raise Refusal(
            f'nothing comes after {at.kind.label(state)}: name the stage with --stage'
        )
    return State(coming.name)


def add_evidence(
    at: Records, state: State, what: str, result: str, day: str, text: str = ''
) -> Outcome:
    """The handoff with the result of a test or a build of a state."""
    spec, known = handoff_spec(at), evidence.kinds(at.kind)
    if what not in known:
        raise Refusal(
            f'`{what}` is not one of {", ".join(known)}{did_you_mean(what, known)}',
            meant=correction(what, known),
        )
    elif not spec.evidence:
        raise Refusal(
            'the workflow does not name a field for evidence (`handoff.evidence`)',
            'interlock config explain items.handoff.evidence',
        )
    path = _evidence_holder(at).path
    key = evidence.key(at.kind, state.name, what)
    value = evidence.value(result, day, ' '.join(text.split()))
    with refusing(path, 'the handoff'):
        edited = HandoffText.read(at, path)
        edited.set_below(spec.evidence, {key: scalar(value)})
        if what in at.kind.gates.get(state.name, GateSpec()).evidence:
            edited.tick_all(state.name, result == evidence.PASSED)
    name = at.kind.label(State(state.name))
    said = [f'{at.item}: {what} of {name} {result}']
    if result != evidence.PASSED:
        said.append(f'the gate of {name} is closed until it has passed')
    return Outcome({path: edited.text.encode()}, tuple(said))
