"""Is a transition legal?"""
from __future__ import annotations

from typing import NamedTuple

from interlock.model.finding import ERROR
from interlock.model.state import State
from interlock.workflow.spec import ANY
from interlock.workflow.spec import Kind
from interlock.workflow.spec import NOTHING
from interlock.workflow.status import label


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
        ERROR,
        f'the phase after {label(before, kind)} is {label(expected, kind)}',
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


def step(before: State | None, after: State, kind: Kind) -> Step:
    """The step from one state (None: not registered before) to another."""
    if before == after:
        return LEGAL
    elif after.phase is not None and not kind.states[after.name].phased:
        return Step(ERROR, f'{label(State(after.name), kind)} has no phases')
    elif before is not None and before.name == after.name:
        return _within(before, after, kind)
    name = before.name if before else NOTHING
    for line in kind.transitions:
        if after.name not in line.targets:
            continue
        elif name in line.origins or (ANY in line.origins and before):
            if line.severity:
                return Step(line.severity, line.hint, line.reason)
            elif after.phase in {None, 1}:
                return LEGAL
            first = label(State(after.name, 1), kind)
            return Step(ERROR, f'the first phase is {first}')
    expected = successors(before, kind)
    origin = label(before, kind) if before else 'an item that is new'
    return Step(ERROR, f'after {origin} comes {expected}')
