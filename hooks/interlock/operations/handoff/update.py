"""Create a handoff, or bring it to a state."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import date
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import correction, did_you_mean, edit, make_handoff, ours
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff.edit import (
    NULL,
    HandoffText,
    handoff_spec,
    new_handoff,
    refuse_unreadable,
)
from interlock.operations.outcome import Outcome, differing, new_path, refusing
from interlock.operations.progress_text import Words, next_steps, numbered
from interlock.workflow.reading import evidence, gates, next_state, plan_phases
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.handoff_fields import (
    contradiction,
    follows,
    wrong_value,
)
from interlock.workflow.reading.records import (
    Placed,
    Records,
    handoff_state,
    is_open,
    scalar,
)


class Progress(NamedTuple):
    """The work at a state, which is done or in progress."""

    state: State
    # the state of the registry afterwards
    target: State
    goes_on: bool
    # the text for the timeline
    text: str
    words: Words
    # the fields that were given, and those that follow from them
    given: Mapping[str, str]


def in_progress_field(at: Records) -> dict[str, str]:
    """The field that marks work as in progress, {} if the workflow has none."""
    spec = at.kind.handoff
    key, opened = spec.keys.get('status'), spec.writes.get('open')
    return {key: opened} if key and opened else {}


def says_open(at: Records, words: Words) -> bool:
    """Whether the given fields say that work is in progress."""
    wanted = in_progress_field(at)
    return bool(wanted) and wanted.items() <= words.fields.items()


def stage_fields(at: Records, progress: Progress) -> dict[str, str]:
    """The stage, phase and status fields that a handoff has."""
    spec, state = handoff_spec(at), progress.state
    role = 'done' if progress.target == state else 'last'
    status = spec.writes.get('open' if progress.goes_on else role, '')
    phase = NULL if state.phase is None else at.kind.written_stage(state)
    fields = {'stage': at.kind.states[state.name].stage, 'phase': phase}
    fields.update({'status': status} if status else {})
    return {spec.keys[key]: text for key, text in fields.items() if key in spec.keys}


def derived_fields(
    at: Records, known: Mapping[str, yaml.Scalar] | Mapping[str, yaml.Node]
) -> dict[str, str]:
    """The fields whose values follow from other fields."""
    found = {
        field.name: follows(field, known.get(field.exactly_when.field))
        for field in handoff_spec(at).fields
        if field.exactly_when is not None
    }
    return {name: str(must).lower() for name, must in found.items() if must is not None}


def coming_fields(at: Records, coming: next_state.Next) -> dict[str, str]:
    """The fields that say what comes next; '' for a phase that is not planned."""
    spec = handoff_spec(at)
    phase = spec.phases.field if spec.phases else ''
    found = {spec.action: coming.action, phase: coming.phase}
    return {key: text for key, text in found.items() if key}


def _read(text: str) -> yaml.Scalar:
    try:
        node = yaml.parse(text)
    except Unreadable:
        node = None
    if not isinstance(node, yaml.Scalar):
        raise Refusal(f'`{text}` is not a single value')
    return node


def given_fields(at: Records, words: Words) -> dict[str, str]:
    """The fields that were given, and those that follow from them."""
    spec = handoff_spec(at)
    given = dict(words.fields)
    names = [*(field.name for field in spec.fields), spec.keys.get('status')]
    known = [*filter(None, names)]
    for key in given:
        if key not in known:
            raise Refusal(
                f'a handoff has no field `{key}` that can be set'
                f'{did_you_mean(key, known)}',
                meant=correction(key, known),
            )
    read = {key: _read(text) for key, text in given.items()}
    for field in spec.fields:
        other = read.get(field.exactly_when.field) if field.exactly_when else None
        node = read.get(field.name)
        if node is not None and node.kind != 'null':
            wrong = wrong_value(field, node) or contradiction(field, node, other)
            if wrong:
                raise Refusal(f'`{field.name}: {node.text}` {wrong}')
    status = given.get(spec.keys.get('status', ''))
    if status is not None and status not in spec.statuses:
        raise Refusal(f'`{status}` is not one of {", ".join(spec.statuses)}')
    return {**derived_fields(at, read), **given}


def refuse_unplanned(at: Records, written: str) -> None:
    """Refuse a phase that is not in the plan, if the plan names any."""
    plan = plan_phases.read(at)
    state = plan_phases.parse(written, at.kind)
    if plan is None or not plan.phases or state is None:
        return
    if state not in [each.state for each in plan.phases]:
        known = [at.kind.written_stage(each.state) for each in plan.phases]
        raise Refusal(
            f'{plan.path} has no phase {written}, only {", ".join(known)}',
            *edit(plan.path).hint,
        )


def _progress_fields(
    at: Records, progress: Progress, old: Mapping[str, str]
) -> dict[str, str]:
    """The fields of the reached state, with those that were given."""
    spec, state = handoff_spec(at), progress.state
    fields = stage_fields(at, progress)
    updated = spec.keys.get('updated', '')
    if updated and date(old.get(updated, '')) != progress.words.day:
        fields[updated] = progress.words.day
    fields.update(progress.given)
    status = fields.get(spec.keys.get('status', ''), '')
    states = spec.status_in.get(status, (state.name,))
    if state.name not in states:
        raise Refusal(
            f'`{status}` belongs to {", ".join(states)}, not to {at.kind.label(state)}'
        )
    return fields


def _following_fields(
    at: Records,
    progress: Progress,
    coming: next_state.Next,
    old: Mapping[str, str],
    settled: bool,
) -> dict[str, str]:
    """The fields that say what comes next."""
    spec, given = handoff_spec(at), progress.given
    fields = coming_fields(at, coming)
    key = spec.phases.field if spec.phases else ''
    refuse_unplanned(at, given.get(key, ''))
    if settled:
        # the handoff already says what comes next
        fields = {name: text for name, text in fields.items() if name not in old}
    fields.update((name, text) for name, text in given.items() if name in fields)
    if fields.get(key) == '':
        raise _unknown_phase(at, progress.state, coming)
    return fields


def _unknown_phase(at: Records, state: State, coming: next_state.Next) -> Refusal:
    """The refusal if the plan does not say which phase comes next."""
    done, last = at.kind.written_stage(state), ''
    phase = state._replace(phase=(state.phase or 0) + 1)
    if state.phase is not None:
        last = f' ({NULL} if {done} was the last)'
    elif coming.state is not None:
        phase = State(coming.state.name, 1)
    spec, coming_phase = handoff_spec(at), at.kind.written_stage(phase)
    field = spec.phases.field if spec.phases else ''
    options = [each.option for each in spec.fields if each.name == field]
    given = (
        [f'--{options[0]}', coming_phase]
        if any(options)
        else ['--set', f'{field}={coming_phase}']
    )
    return Refusal(
        f'{at.item} is done in phases, but its plan names none: give the '
        f'next phase{last}',
        ours('handoff', 'update', at.called, done, *given),
    )


def require_handoff(at: Records) -> Placed:
    placed = at.active_handoff
    if placed is None:
        raise Denied(f'{at.item} has no handoff', *make_handoff(at.called).hint)
    return placed


def updated_handoff(
    at: Records, progress: Progress, contents: Snapshot
) -> dict[str, bytes | None]:
    """The handoff at a state; a new one where there is none."""
    placed = at.active_handoff
    path = placed.path if placed else new_path(handoff_spec(at).file, at.item)
    with refusing(path, 'the handoff'):
        if placed is None:
            text = new_handoff(at, progress.state)
        else:
            refuse_unreadable(placed, at.called)
            text = HandoffText.read(at, path)
        _edit(text, at, progress, contents)
        return {path: text.text.encode()}


def _edit(
    text: HandoffText, at: Records, progress: Progress, contents: Snapshot
) -> None:
    old = text.values
    after = next_state.after(at, progress.state, {**old, **progress.given})
    # the given fields change what comes next
    rerouted = not _opens(at, progress) and (
        after != next_state.after(at, progress.state, old)
    )
    settled = _is_settled(at, progress)
    fields = _progress_fields(at, progress, old)
    coming = next_state.Next(state=progress.state)
    if not progress.goes_on or rerouted:
        coming, keeps = after, settled and not rerouted
        fields.update(_following_fields(at, progress, coming, old, keeps))
    text.set_values(fields)
    _void_evidence(text, at, progress)
    words = progress.words
    if words.current or not settled:
        text.name_state(at.kind.label(progress.state))
        text.set_lines('current', (words.current or progress.text).splitlines())
    if words.completed or not progress.goes_on:
        said = words.completed or progress.text
        text.add_completed(str(progress.state), said, bool(words.completed))
    if (
        words.steps
        or rerouted
        or not (settled or (progress.goes_on and at.active_handoff))
    ):
        steps = words.steps or next_steps(at, progress.target, coming)
        text.set_lines('steps', numbered(steps))
    text.add_words(words)
    if not progress.goes_on and progress.state.name in text.spec.filled_after:
        text.fill()
    _seal(text, at, contents, words.amend)


def _is_settled(at: Records, progress: Progress) -> bool:
    """Whether the handoff already says that the work is done."""
    placed, spec = at.active_handoff, handoff_spec(at)
    if placed is None or handoff_state(placed) != progress.state:
        return False
    node = placed.handoff.nodes.get(spec.keys.get('status', ''))
    ends = {spec.writes.get('done'), spec.writes.get('last')}
    return progress.goes_on or (isinstance(node, yaml.Scalar) and node.text in ends)


def _seal(text: HandoffText, at: Records, contents: Snapshot, amend: str) -> None:
    key = text.spec.keys.get('checksums')
    if not at.kind.contracts or key is None:
        return
    found = contracts.seals(at, contents)
    contracts.refuse_silent_change(at, found, amend)
    is_new = at.active_handoff is None
    text.set_below(
        key,
        contracts.checksums(found) if is_new else contracts.changed_checksums(found),
    )


def _opens(at: Records, progress: Progress) -> bool:
    """Whether the updated handoff says that work is in progress."""
    given = {**in_progress_field(at), **progress.words.fields}
    return progress.goes_on and in_progress_field(at).items() <= given.items()


def _undone_states(at: Records, progress: Progress) -> list[str]:
    """The states whose work a step back undoes."""
    placed, kind, state = at.active_handoff, at.kind, progress.state
    old = handoff_state(placed)
    if old is None:
        return []
    start, end = kind.position(state.name), kind.position(old.name)
    if start > end:
        return []
    later = [
        name
        for name, spec in kind.states.items()
        if spec.stage and start < kind.position(name) and start < end
    ]
    after = gates.OPEN if _opens(at, progress) and not state.phase else state.phase
    before = old.phase
    if before is None and is_open(placed, kind):
        before = gates.OPEN
    if after is not None and (start < end or before is None or after < before):
        return [state.name, *later]
    return later


def _void_evidence(text: HandoffText, at: Records, progress: Progress) -> None:
    """Clear the passed evidence of undone work: it has to be tried again.

    A failure stays on record until it passes.
    """
    placed = at.active_handoff
    found = [
        evidence.recorded(placed, at.kind, state, what)
        for state in _undone_states(at, progress)
        for what in evidence.kinds_of(placed, at.kind, state)
    ]
    void = [each.key for each in found if each.result != evidence.FAILED]
    text.set_below(text.spec.evidence, dict.fromkeys(void, NULL))


def require_stage(at: Records) -> State:
    placed = require_handoff(at)
    if placed.state is None:
        raise Refusal(f'{placed.path} is at no stage', rebuild(at).command)
    return placed.state


def say_more(at: Records, contents: Snapshot, words: Words) -> Outcome:
    """Add to the handoff at its stage; the registry does not change."""
    state = require_stage(at)
    status = scalar(at.active_handoff, at.kind, 'status')
    key = handoff_spec(at).keys.get('status')
    if key and status and status.text:
        words = words._replace(fields={key: status.text, **words.fields})
    text = f'{at.kind.label(state)} continues'
    progress = Progress(state, state, True, text, words, given_fields(at, words))
    files = differing(updated_handoff(at, progress, contents), at.snapshot)
    said = tuple(f'{path}: written' for path in files)
    return Outcome(files, said or (f'{at.item}: nothing to change',))


def refuse_elsewhere(at: Records, expected: State) -> None:
    found = handoff_state(at.active_handoff)
    if (
        found is None
        or found.name != expected.name
        or expected.phase not in {None, found.phase}
    ):
        where = at.kind.label(found, 'no stage')
        raise Denied(
            f'the handoff of {at.item} is at {where}, not at {at.kind.label(expected)}',
            ours('verify-state', at.called),
        )
