"""What is to be done next, in words."""
from __future__ import annotations

from collections.abc import Sequence

from interlock.model.state import State
from interlock.workflow import gates
from interlock.workflow import machine
from interlock.workflow.following import Next
from interlock.workflow.handoffs import counting
from interlock.workflow.records import Records
from interlock.workflow.status import label
from interlock.workflow.template import expand


def next_steps(at: Records, reached: State, coming: Next) -> list[str]:
    """The steps behind a state that is reached; the workflow may name them."""
    if coming.steps:
        return [expand(step, at.item) for step in coming.steps]
    elif coming.state is None:
        return [machine.successors(reached, at.kind)]
    spec = at.kind.states[coming.state.name]
    name = label(coming.state, at.kind)
    if coming.closes:
        gaps = gates.untried(counting(at), at.kind, [coming.state.name])
        return [
            *(f'Record the {gap.what} of {name} as a whole' for gap in gaps),
            f'Close {name}: interlock commit-stage {at.item} {spec.stage} '
            f'-m TEXT',
        ]
    agent = '' if coming.led else spec.agent
    return [f'Invoke {agent} for {name}' if agent else f'Do {name}']


def numbered(said: Sequence[str]) -> list[str]:
    return [f'{number}. {step}' for number, step in enumerate(said, 1)]
