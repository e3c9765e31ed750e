"""What follows when a state is done."""

from __future__ import annotations

from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.spec import Kind, NextSpec
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.records import Records

NONE = 'null'


class Next(NamedTuple):
    # the handoff's text, `null` if nothing follows
    action: str = NONE
    # such as `3.1`; '' if it is unknown and must be given
    phase: str = NONE
    # the state whose work comes next
    state: State | None = None
    # the lead does it, not the agent of that state
    led: bool = False
    # the phases of the state are done, and the state itself is to be closed
    closes: bool = False
    # the workflow's text about the next steps, with {item}
    steps: tuple[str, ...] = ()


def is_phased(kind: Kind, fields: Mapping[str, str]) -> bool:
    """Whether a handoff says that the item is done in phases."""
    spec = kind.handoff.phases
    return spec is not None and (fields.get(spec.when, '').lower() == 'true')


def comes_in_phases(kind: Kind, name: str, fields: Mapping[str, str]) -> bool:
    """Whether the work of a state is done in phases, if there are any."""
    for line in kind.handoff.next:
        if line.to == name and _holds(line, fields):
            return line.in_phases
    return False


def _remaining(
    state: State, plan: plan_phases.Plan | None, given: State | None
) -> State | None:
    """The next phase of the same state.

    If the plan names no phases, the handoff decides.
    """
    if state.phase is None:
        return None
    known = [each.state for each in plan.of(state.name)] if plan else []
    if plan is None or not plan.phases:
        known = [given] if given and given.name == state.name else []
    for each in known:
        if (each.phase or 0) > state.phase:
            return each
    return None


def _first(
    line: NextSpec, plan: plan_phases.Plan | None, given: State | None
) -> State | None:
    """The first phase of the next state, None if it has none."""
    if not line.in_phases:
        return None
    found = [each.state for each in plan.of(line.to)] if plan else []
    if (plan is None or not plan.phases) and given and given.name == line.to:
        found = [given]
    return found[0] if found else None


def _holds(line: NextSpec, fields: Mapping[str, str]) -> bool:
    return all(fields.get(key) == value for key, value in line.when.items())


def after(at: Records, state: State, fields: Mapping[str, str]) -> Next:
    """`fields` are those that the handoff will have."""
    spec = at.kind.handoff
    phased = is_phased(at.kind, fields)
    plan = plan_phases.read(at) if phased else None
    # the phase that the handoff names as the next one
    named = fields.get(spec.phases.field, '') if spec.phases else ''
    given = plan_phases.parse(named, at.kind) if phased else None
    is_planned = plan is not None and bool(plan.phases)
    remaining = _remaining(state, plan, given) if phased else None
    if phased and state.phase is not None and remaining is None:
        # a stage ends after its last phase and is then tested as a whole
        phase = NONE if is_planned else ''
        return Next(phase=phase, state=State(state.name), led=True, closes=True)
    for line in spec.next:
        if state.name not in line.after or not _holds(line, fields):
            continue
        if line.phases != bool(remaining):
            continue
        if remaining is not None:
            phase = at.kind.written_stage(remaining)
            action = line.action.replace('{phase}', phase)
            return Next(action, phase, remaining, steps=line.steps)
        first = _first(line, plan, given) if phased else None
        target = first or (State(line.to) if line.to else None)
        phase = at.kind.written_stage(first) if first else NONE
        if phased and line.in_phases and not is_planned and first is None:
            phase = ''
        return Next(line.action, phase, target, line.led, steps=line.steps)
    if remaining is not None:
        return Next(NONE, at.kind.written_stage(remaining), remaining)
    return Next()
