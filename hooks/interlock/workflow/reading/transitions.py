"""Is a transition legal?"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from interlock.model.finding import ERROR
from interlock.model.state import State
from interlock.workflow.language.spec import ANY, NOTHING, Kind, TransitionSpec
from interlock.workflow.reading.status_words import label


class Step(NamedTuple):
    """How a transition is reported; `severity` is '' for a legal one."""

    severity: str
    why: str = ''
    # the trailer that would give the reason it needs
    reason: str = ''


LEGAL = Step('')


def _within(before: State, after: State, kind: Kind) -> Step:
    if after.phase is None or after.phase == (before.phase or 0) + 1:
        return LEGAL
    expected = State(after.name, (before.phase or 0) + 1)
    return Step(
        ERROR, f'the phase after {label(before, kind)} is {label(expected, kind)}'
    )


def successors(state: State | None, kind: Kind) -> str:
    """What may come after a state, in words."""
    name = state.name if state else NOTHING
    names = [
        label(State(target), kind)
        for line in kind.transitions
        if name in line.origins and not line.severity
        for target in line.targets
    ]
    if state is not None and kind.states[name].phased:
        following = State(name, (state.phase or 0) + 1)
        names.insert(0, label(following, kind))
    return ' or '.join(names) or 'nothing'


def _line(origin: str, target: str, kind: Kind) -> TransitionSpec | None:
    """The line of the workflow about a step: the first that fits decides."""
    for line in kind.transitions:
        if target in line.targets and (
            origin in line.origins or (ANY in line.origins and origin != NOTHING)
        ):
            return line
    return None


def from_anywhere(before: State, after: State, kind: Kind) -> bool:
    """Whether a step is one that every state allows: a reset, an archive."""
    line = _line(before.name, after.name, kind)
    return line is not None and before.name not in line.origins


def reaches(
    before: State | None,
    after: State,
    kind: Kind,
    made: Collection[tuple[State | None, State]] = (),
) -> bool:
    """Whether transitions lead from one state to another, however many.

    Those that need a reason (resets) do not count, but for `made`: the ones
    that somebody made with a reason of their own.
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
    reached, waiting = {start}, [start]
    while waiting:
        name = waiting.pop()
        for target in _targets(name, kind) | {new for old, new in edges if old == name}:
            if target == after.name:
                return True
            elif target not in reached:
                reached.add(target)
                waiting.append(target)
    return False


def _targets(name: str, kind: Kind) -> set[str]:
    """The states that may follow one without a reason."""
    lines = {target: _line(name, target, kind) for target in kind.states}
    return {
        target
        for target, line in lines.items()
        if line and not line.reason and line.severity != ERROR
    }


def step(before: State | None, after: State, kind: Kind) -> Step:
    """The step from one state (None: not registered before) to another."""
    if before == after:
        return LEGAL
    elif after.phase is not None and not kind.states[after.name].phased:
        return Step(ERROR, f'{label(State(after.name), kind)} has no phases')
    elif before is not None and before.name == after.name:
        return _within(before, after, kind)
    line = _line(before.name if before else NOTHING, after.name, kind)
    if line is not None and line.severity:
        return Step(line.severity, line.hint, line.reason)
    elif line is not None and after.phase in {None, 1}:
        return LEGAL
    elif line is not None:
        first = label(State(after.name, 1), kind)
        return Step(ERROR, f'the first phase is {first}')
    expected = successors(before, kind)
    origin = label(before, kind) if before else 'an item that is new'
    return Step(ERROR, f'after {origin} comes {expected}')
