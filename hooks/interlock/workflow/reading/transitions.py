"""Which steps between states are legal, and which states fit together."""

from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.quick_typing import Callable, Collection, Iterable, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.spec import (
    ANY,
    BEFORE,
    DONE,
    NOTHING,
    STAGE,
    Kind,
    TransitionSpec,
)
from interlock.workflow.reading.records import Records


class Legality(NamedTuple):
    """How a transition is reported; `severity` is '' if it is legal."""

    severity: str
    why: str = ''
    # the trailer for the reason that it needs
    reason: str = ''


LEGAL = Legality('')


def _within(before: State, after: State, kind: Kind) -> Legality:
    if after.phase is None or after.phase == (before.phase or 0) + 1:
        return LEGAL
    expected = State(after.name, (before.phase or 0) + 1)
    return Legality(
        ERROR, f'the phase after {kind.label(before)} is {kind.label(expected)}'
    )


def successors(state: State | None, kind: Kind) -> str:
    """The possible next states, in words."""
    name = state.name if state else NOTHING
    names = [
        kind.said(State(target))
        for line in kind.transitions
        if name in line.origins and not line.severity
        for target in line.targets
        if target != name
    ]
    # steps from every state are worth naming where there is no other
    names = names or [
        kind.said(State(target))
        for target in targets(name, kind)
        if state and from_anywhere(state, State(target), kind)
    ]
    if state is not None and kind.states[name].phased:
        following = kind.said(State(name, (state.phase or 0) + 1))
        if state.phase is None:
            # a stage may have phases, but an item need not use them
            names.append(f'{following} if it has phases')
        else:
            names.insert(0, following)
    return ' or '.join(names) or 'no other state'


def _line(origin: str, target: str, kind: Kind) -> TransitionSpec | None:
    """The line of the workflow about a step: the first match decides."""
    for line in kind.transitions:
        if target in line.targets and (
            origin in line.origins or (ANY in line.origins and origin != NOTHING)
        ):
            return line
    return None


def from_anywhere(before: State, after: State, kind: Kind) -> bool:
    """Whether every state allows this step, such as a reset or an archive."""
    line = _line(before.name, after.name, kind)
    return line is not None and before.name not in line.origins


def ways(
    start: str, after: Callable[[str], Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """All reachable states, with the shortest way to each; () for the start."""
    found: dict[str, tuple[str, ...]] = {start: ()}
    waiting = [start]
    for name in waiting:
        for target in after(name):
            if target not in found:
                found[target] = (*found[name], target)
                waiting.append(target)
    return found


def reaches(
    before: State | None,
    after: State,
    kind: Kind,
    made: Collection[tuple[State | None, State]] = (),
) -> bool:
    """Whether any number of transitions leads from one state to another.

    Transitions that need a reason (resets) do not count, except those in
    `made`, which were made with a reason.
    """
    if before == after:
        return True
    elif after.phase is not None and not kind.states[after.name].phased:
        return False
    elif (
        before is not None
        and before.name == after.name
        and (before.phase is None or after.phase is None or before.phase < after.phase)
    ):
        return True
    start = before.name if before else NOTHING
    edges = {(old.name if old else NOTHING, new.name) for old, new in made}

    def steps(name: str) -> list[str]:
        return [*targets(name, kind), *(new for old, new in edges if old == name)]

    return any(after.name in steps(name) for name in ways(start, steps))


def first_step(before: State | None, after: State | None, kind: Kind) -> str:
    """The legal step that leads toward a state; '' if there is none.

    If no steps lead there, it is the first step that the workflow names.
    """
    start = before.name if before else NOTHING
    found = ways(start, lambda name: targets(name, kind))
    wanted = found.get(after.name) if after is not None else None
    # if there is no way there, take the first state that is reachable
    return next((way[0] for way in (wanted, *found.values()) if way), '')


def targets(name: str, kind: Kind) -> list[str]:
    """The states that may follow without a reason, in the workflow's order."""
    named = [
        target
        for line in kind.transitions
        if name in line.origins or ANY in line.origins
        for target in line.targets
    ]
    lines = {target: _line(name, target, kind) for target in dict.fromkeys(named)}
    return [
        target
        for target, line in lines.items()
        if target != name and line and not line.reason and line.severity != ERROR
    ]


def step(before: State | None, after: State, kind: Kind) -> Legality:
    """Judge the step from one state (None: not registered before) to another."""
    if before == after:
        return LEGAL
    elif after.phase is not None and not kind.states[after.name].phased:
        return Legality(ERROR, f'{kind.said(State(after.name))} has no phases')
    elif before is not None and before.name == after.name:
        return _within(before, after, kind)
    line = _line(before.name if before else NOTHING, after.name, kind)
    if line is not None and line.severity:
        verb = 'forbids' if line.severity == ERROR else 'reports'
        if line.reason:
            verb = 'asks for a reason for'
        why = line.hint or f'the workflow {verb} this step'
        return Legality(line.severity, why, line.reason)
    elif line is not None and after.phase in {None, 1}:
        return LEGAL
    elif line is not None:
        first = kind.label(State(after.name, 1))
        return Legality(ERROR, f'the first phase is {first}')
    expected = successors(before, kind)
    if before is not None:
        return Legality(ERROR, f'after {kind.said(before)} comes {expected}')
    elif any(NOTHING in each.origins for each in kind.transitions):
        return Legality(ERROR, f'a new item begins with {expected}')
    # `any` stands for every state, and an item that is new has none yet
    return Legality(
        ERROR,
        f'no item can be new, because no transition of the workflow is '
        f'`from: {NOTHING}`',
    )


def ends_stage(old: State, new: State, kind: Kind) -> bool:
    """Whether a step ends a stage, rather than resetting or abandoning it."""
    if kind.states[old.name].role != STAGE or old.name == new.name:
        return False
    elif kind.states[new.name].role == STAGE:
        return kind.position(new.name) > kind.position(old.name)
    return kind.states[new.name].role == DONE and not from_anywhere(old, new, kind)


def _origins(name: str, kind: Kind) -> set[str]:
    """The states from which a state can be reached."""
    found: set[str] = set()
    for line in kind.transitions:
        if name in line.targets:
            found.update(kind.states if ANY in line.origins else line.origins)
    return found & set(kind.states)


def _inherited(name: str, kind: Kind) -> set[str]:
    """The stages that an item may have passed on its way to a state."""
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

    A stage fits itself. A finished state lists its stages, or fits those that
    its item had before. Before the first stage there are none.
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
    """Whether work at the first stage is in progress; the registry follows at
    its end."""
    stages = [name for name, spec in at.kind.states.items() if spec.role == STAGE]
    is_first = handoff.name in stages[:1]
    return at.role == BEFORE and is_first and at.is_open


def differ(at: Records) -> bool:
    """Whether handoff and registry contradict each other."""
    handoff = at.handoff_state
    if at.state is None or handoff is None:
        return False
    beside = stages_beside(at.state, at.kind)
    return handoff.name not in beside and not _is_begun(at, handoff)


def stage_beside(
    state: State, kind: Kind, handoff: State | None = None
) -> State | None:
    """The stage that a handoff should move to, None if there is none.

    If several stages end in the state and the handoff is at one of them, it
    stays there.
    """
    spec = kind.states[state.name]
    if spec.role == STAGE:
        return state if spec.stage else None
    ends = [name for name in spec.agrees if kind.states[name].becomes == state.name]
    if handoff is not None and handoff.name in ends:
        return State(handoff.name)
    return State(ends[0]) if ends else None
