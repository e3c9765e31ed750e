"""What is to be done next, in words."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading import gates, transitions
from interlock.workflow.reading.next_state import Next
from interlock.workflow.reading.records import Records, counting
from interlock.workflow.reading.status_words import label


def next_steps(at: Records, reached: State, coming: Next) -> list[str]:
    """The steps behind a state that is reached; the workflow may name them."""
    if coming.steps:
        return [expand(step, at.item) for step in coming.steps]
    elif coming.state is None:
        return [transitions.successors(reached, at.kind)]
    spec = at.kind.states[coming.state.name]
    name = label(coming.state, at.kind)
    if coming.closes:
        gaps = gates.untried(counting(at), at.kind, [coming.state.name])
        return [
            *(f'Record the {gap.what} of {name} as a whole' for gap in gaps),
            f'Close {name}: interlock commit-stage {at.item} {spec.stage} -m TEXT',
        ]
    agent = '' if coming.led else spec.agent
    return [f'Invoke {agent} for {name}' if agent else f'Do {name}']


def numbered(said: Sequence[str]) -> list[str]:
    return [f'{number}. {step}' for number, step in enumerate(said, 1)]
