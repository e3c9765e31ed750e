"""The fields that a handoff has when its item is at a state."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import date
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import did_you_mean, edit, ours
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.model.state import State
from interlock.operations.handoff.edit import NULL, handoff_spec
from interlock.operations.progress_text import Words
from interlock.workflow.reading import next_state, plan_phases
from interlock.workflow.reading.handoff_fields import (
    contradiction,
    follows,
    wrong_value,
)
from interlock.workflow.reading.records import Records


class Progress(NamedTuple):
    """The work at a state, which is done or in progress."""

    state: State
    # what the registry says then
    target: State
    goes_on: bool
    day: str
    # what the timeline says of it
    text: str
    words: Words


def stage_fields(at: Records, progress: Progress) -> dict[str, str]:
    """Stage, phase and status, as far as a handoff has them."""
    spec, state = handoff_spec(at), progress.state
    role = 'done' if progress.target == state else 'last'
    status = spec.writes.get('open' if progress.goes_on else role, '')
    phase = NULL if state.phase is None else at.kind.written_stage(state)
    fields = {'stage': at.kind.states[state.name].stage, 'phase': phase}
    fields.update({'status': status} if status else {})
    return {spec.keys[key]: text for key, text in fields.items() if key in spec.keys}


def derived_fields(
    at: Records, known: Mapping[str, yaml.Scalar] | Mapping[str, yaml.Node]
) -> dict[str, bool | None]:
    """Fields that follow from others, None where nothing follows."""
    return {
        field.name: follows(field, known.get(field.exactly_when.field))
        for field in handoff_spec(at).fields
        if field.exactly_when is not None
    }


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
    known = [*(field.name for field in spec.fields), spec.keys.get('status')]
    for key in given:
        if key not in known:
            raise Refusal(
                f'a handoff has no field `{key}` that can be set'
                f'{did_you_mean(key, filter(None, known))}'
            )
    read = {key: _read(text) for key, text in given.items()}
    for field in spec.fields:
        other = read.get(field.exactly_when.field) if field.exactly_when else None
        node = read.get(field.name)
        must = follows(field, other)
        if node is None and must is not None:
            given[field.name] = str(must).lower()
        elif node is not None and node.kind != 'null':
            wrong = wrong_value(field, node) or contradiction(field, node, other)
            if wrong:
                raise Refusal(f'`{field.name}: {node.text}` {wrong}')
    status = given.get(spec.keys.get('status', ''))
    if status is not None and status not in spec.statuses:
        raise Refusal(f'`{status}` is not one of {", ".join(spec.statuses)}')
    return given


def refuse_unplanned(at: Records, written: str) -> None:
    """A phase must be one of the plan, where the plan names any."""
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


def progress_fields(
    at: Records, progress: Progress, old: Mapping[str, str]
) -> dict[str, str]:
    """The fields of a state that is reached, with those that were given."""
    spec, state = handoff_spec(at), progress.state
    fields = stage_fields(at, progress)
    updated = spec.keys.get('updated', '')
    if updated and date(old.get(updated, '')) != progress.day:
        fields[updated] = progress.day
    fields.update(given_fields(at, progress.words))
    status = fields.get(spec.keys.get('status', ''), '')
    states = spec.status_in.get(status, (state.name,))
    if state.name not in states:
        raise Refusal(
            f'`{status}` belongs to {", ".join(states)}, not to {at.kind.label(state)}'
        )
    return fields


def following_fields(
    at: Records, progress: Progress, old: Mapping[str, str], settled: bool
) -> tuple[dict[str, str], next_state.Next]:
    """The fields that say what comes, and what that is."""
    spec, given = handoff_spec(at), given_fields(at, progress.words)
    coming = next_state.after(at, progress.state, {**old, **given})
    key = spec.phases.field if spec.phases else ''
    fields = {}
    if spec.action:
        fields[spec.action] = coming.action
    if key:
        refuse_unplanned(at, given.get(key, ''))
        fields[key] = coming.phase
    if settled:
        # the handoff says already what comes
        fields = {name: text for name, text in fields.items() if name not in old}
    fields.update((name, text) for name, text in given.items() if name in fields)
    if fields.get(key) == '':
        raise _unknown_phase(at, progress.state, coming)
    return fields, coming


def _unknown_phase(at: Records, state: State, coming: next_state.Next) -> Refusal:
    """The plan does not say which phase comes, so somebody has to."""
    done, last = at.kind.written_stage(state), ''
    phase = state._replace(phase=(state.phase or 0) + 1)
    if state.phase is not None:
        last = f' ({NULL} if {done} was the last)'
    elif coming.state is not None:
        phase = State(coming.state.name, 1)
    spec, coming_phase = handoff_spec(at), at.kind.written_stage(phase)
    field = spec.phases.field if spec.phases else ''
    option = next(
        (f'--{each.option}' for each in spec.fields if each.name == field), ''
    )
    given = ['--set', f'{field}={coming_phase}']
    return Refusal(
        f'{at.item} is done in phases, but its plan names none: give the '
        f'next phase{last}',
        ours(
            'handoff',
            'update',
            at.item,
            done,
            *([option, coming_phase] if len(option) > 2 else given),
        ),
    )
