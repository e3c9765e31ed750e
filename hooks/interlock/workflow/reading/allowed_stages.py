"""Which stages a handoff may be at while the registry says a state."""

from __future__ import annotations

from interlock.model.state import State
from interlock.workflow.language.spec import ANY, BEFORE, STAGE, Kind
from interlock.workflow.reading.gates import is_open
from interlock.workflow.reading.records import Records, handoff_state


def _origins(name: str, kind: Kind) -> set[str]:
    """The states from which a state can be reached."""
    found: set[str] = set()
    for line in kind.transitions:
        if name in line.targets:
            found.update(kind.states if ANY in line.origins else line.origins)
    return found & set(kind.states)


def _inherited(name: str, kind: Kind) -> set[str]:
    """The stages that an item may have left behind on its way to a state."""
    stages: set[str] = set()
    seen, waiting = {name}, [name]
    while waiting:
        for origin in _origins(waiting.pop(), kind) - seen:
            seen.add(origin)
            spec = kind.states[origin]
            if spec.role == STAGE:
                stages.add(origin)
            elif spec.agrees:
                stages.update(spec.agrees)
            elif spec.role != BEFORE:
                waiting.append(origin)
    return stages


def stages_beside(state: State, kind: Kind) -> frozenset[str]:
    """The stages of a handoff that do not contradict the registry.

    A stage stands beside itself. A finished state names its stages, or stands
    beside what its item was before. Before the first stage there is none.
    """
    spec = kind.states[state.name]
    if spec.role == STAGE:
        return frozenset({state.name})
    elif spec.agrees:
        return frozenset(spec.agrees)
    elif spec.role == BEFORE:
        return frozenset()
    return frozenset(_inherited(state.name, kind))


def _is_begun(at: Records, handoff: State) -> bool:
    """Work at the first stage goes on; the registry follows at its end."""
    first = next(
        (name for name, spec in at.kind.states.items() if spec.role == STAGE), ''
    )
    return (
        at.role == BEFORE and handoff.name == first and (is_open(at.current, at.kind))
    )


def differ(at: Records) -> bool:
    """Whether handoff and registry contradict each other."""
    handoff = handoff_state(at.current)
    return (
        at.state is not None
        and handoff is not None
        and (
            handoff.name not in stages_beside(at.state, at.kind)
            and not _is_begun(at, handoff)
        )
    )


def stage_beside(
    state: State, kind: Kind, handoff: State | None = None
) -> State | None:
    """The stage that a handoff is brought to, None where there is none.

    Of several that end in the state the one that the handoff is at is kept.
    """
    spec = kind.states[state.name]
    if spec.role == STAGE:
        return state if spec.stage else None
    ends = [name for name in spec.agrees if kind.states[name].becomes == state.name]
    if handoff is not None and handoff.name in ends:
        return State(handoff.name)
    return State(ends[0]) if ends else None
