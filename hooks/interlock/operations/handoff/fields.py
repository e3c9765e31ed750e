"""The fields of a handoff whose item comes to a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from interlock.documents import yaml
from interlock.documents.text import date
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import edit
from interlock.model.state import State
from interlock.model.suggest import did_you_mean
from interlock.operations.progress_text import Words
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading import next_state, plan_phases
from interlock.workflow.reading.handoff_fields import (
    contradiction,
    follows,
    wrong_value,
)
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.status_words import label


class Move(NamedTuple):
    state: State
    # what the registry says then
    target: State
    # its work goes on
    open: bool
    day: str
    # what the timeline says of it
    text: str
    words: Words


def handoff_spec(at: Records) -> HandoffSpec:
    if at.kind.handoff is None:
        raise Refusal(f'the workflow names no handoff for {at.kind.name}s')
    return at.kind.handoff


def phase_of(state: State, at: Records) -> str:
    """A phase as handoff and plan write it."""
    return f'{at.kind.states[state.name].stage}.{state.phase}'


def given_fields(at: Records, words: Words) -> dict[str, str]:
    """The fields that were given, and those that follow from them."""
    spec = handoff_spec(at)
    given = dict(words.fields)
    known = [*(field.name for field in spec.fields), spec.keys.get('status')]
    for key in given:
        if key not in known:
            raise Refusal(
                f'a handoff has no field `{key}` that could be given'
                f'{did_you_mean(key, filter(None, known))}'
            )
    read = {key: _read(text) for key, text in given.items()}
    for field in spec.fields:
        other = read.get(field.exactly_when[0]) if field.exactly_when else None
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
        raise Refusal(f'`{status}` is none of {", ".join(spec.statuses)}')
    return given


def _read(text: str) -> yaml.Scalar:
    try:
        node = yaml.parse(text)
    except Unreadable:
        node = None
    if not isinstance(node, yaml.Scalar):
        raise Refusal(f'`{text}` is no single value')
    return node


def refuse_unplanned(at: Records, written: str) -> None:
    """A phase must be one of the plan, where the plan names any."""
    plan = plan_phases.read(at)
    state = plan_phases.parse(written, at.kind)
    if plan is None or not plan.phases or state is None:
        return
    if state not in [each.state for each in plan.phases]:
        known = [phase_of(each.state, at) for each in plan.phases]
        raise Refusal(
            f'{plan.path} has no phase {written}, only {", ".join(known)}',
            *edit(plan.path).hint,
        )


def _status(at: Records, spec: HandoffSpec, move: Move) -> str:
    if move.open:
        return spec.writes.get('open', '')
    role = 'done' if move.target == move.state else 'last'
    return spec.writes.get(role, '')


def following_fields(
    at: Records, spec: HandoffSpec, move: Move, old: Mapping[str, str], settled: bool
) -> tuple[dict[str, str], next_state.Next]:
    """The fields that say what comes, and what that is."""
    given = given_fields(at, move.words)
    coming = next_state.after(at, move.state, {**old, **given})
    key = spec.phases.field if spec.phases else ''
    fields = {}
    if spec.action:
        fields[spec.action] = coming.action
    if key:
        refuse_unplanned(at, given.get(key, ''))
        fields[key] = coming.phase
    if settled:
        # whoever did the work has said what comes
        fields = {name: text for name, text in fields.items() if name not in old}
    fields.update((name, text) for name, text in given.items() if name in fields)
    if fields.get(key) == '':
        raise _unknown_phase(at, move.state, coming)
    return fields, coming


def _unknown_phase(at: Records, state: State, coming: next_state.Next) -> Refusal:
    """The plan does not say which phase comes, so somebody has to."""
    done = at.kind.states[state.name].stage
    phase = state._replace(phase=(state.phase or 0) + 1)
    last = ''
    if state.phase is not None:
        done = phase_of(state, at)
        last = f' ({next_state.NONE} if {done} was the last)'
    elif coming.state is not None:
        phase = State(coming.state.name, 1)
    return Refusal(
        f'{at.item} is done in phases, and its plan names none: the phase '
        f'that comes must be given{last}',
        f'interlock handoff update {at.item} {done} --next-phase {phase_of(phase, at)}',
    )


def fields_of(
    at: Records, spec: HandoffSpec, move: Move, old: Mapping[str, str]
) -> dict[str, str]:
    state, keys = move.state, spec.keys
    fields = {keys['stage']: at.kind.states[state.name].stage}
    if 'phase' in keys:
        fields[keys['phase']] = 'null' if state.phase is None else (phase_of(state, at))
    status = _status(at, spec, move)
    if 'status' in keys and status:
        fields[keys['status']] = status
    if 'updated' in keys and date(old.get(keys['updated'], '')) != move.day:
        fields[keys['updated']] = move.day
    fields.update(given_fields(at, move.words))
    _refuse_early(fields.get(keys.get('status', ''), ''), at, spec, move)
    return fields


def _refuse_early(status: str, at: Records, spec: HandoffSpec, move: Move) -> None:
    """Some statuses belong to some states only."""
    states = spec.status_in.get(status, (move.state.name,))
    if move.state.name not in states:
        raise Refusal(
            f'`{status}` belongs to {", ".join(states)}, not to '
            f'{label(move.state, at.kind)}'
        )
