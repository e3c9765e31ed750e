"""What comes when a state is done."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from interlock.model.state import State
from interlock.workflow import phases
from interlock.workflow.records import Records
from interlock.workflow.spec import NextSpec

NONE = 'null'


class Next(NamedTuple):
    # what the handoff writes, `null` where nothing comes
    action: str = NONE
    # as `3.1`; '' where it cannot be known and must be given
    phase: str = NONE
    # the state whose work comes
    state: State | None = None
    # done by whoever leads, and not by the agent of that state
    led: bool = False


def _written(state: State, at: Records) -> str:
    spec = at.kind.states[state.name]
    return f'{spec.stage}.{state.phase}'


def _remaining(state: State, plan: phases.Plan | None) -> State | None:
    """The phase of the same state that comes next."""
    if plan is None or state.phase is None:
        return None
    for each in plan.of(state.name):
        if (each.state.phase or 0) > state.phase:
            return each.state
    return None


def _first(line: NextSpec, plan: phases.Plan | None) -> State | None:
    """The first phase of the state that comes, None where it has none."""
    found = plan.of(line.to) if plan else []
    return found[0].state if found else None


def _matches(
        line: NextSpec,
        state: State,
        remaining: State | None,
        fields: Mapping[str, str],
) -> bool:
    return state.name in line.after and line.phases == bool(remaining) and (
        all(fields.get(key) == value for key, value in line.when.items())
    )


def after(at: Records, state: State, fields: Mapping[str, str]) -> Next:
    """`fields` are those of the handoff as it will be."""
    spec = at.kind.handoff
    if spec is None:
        return Next()
    phased = spec.phases is not None and (
        fields.get(spec.phases.when, '').lower() == 'true'
    )
    plan = phases.read(at) if phased else None
    remaining = _remaining(state, plan)
    for line in spec.next:
        if not _matches(line, state, remaining, fields):
            continue
        if remaining is not None:
            phase = _written(remaining, at)
            action = line.action.replace('{phase}', phase)
            return Next(action, phase, remaining)
        first = _first(line, plan) if phased else None
        target = first or (State(line.to) if line.to else None)
        if first is not None and state.phase is None:
            return Next(line.action, _written(first, at), target)
        unknown = phased and line.in_phases and not (plan and plan.phases)
        phase = '' if unknown else NONE
        return Next(line.action, phase, target, line.led)
    if remaining is not None:
        return Next(NONE, _written(remaining, at), remaining)
    return Next()
