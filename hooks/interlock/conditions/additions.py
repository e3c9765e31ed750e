"""Agents that were added after the selection: what an audit looks for."""
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from interlock.conditions.agents import rejecting
from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents.moments import is_before
from interlock.documents.text import shown


def additions_of(view: View) -> list[Mapping[str, Any]]:
    value = view.lock.get('additions')
    return [
        each if isinstance(each, dict) else {'agent': str(each)}
        for each in value
    ] if isinstance(value, list) else []


def text(addition: Mapping[str, Any], key: str) -> str:
    value = addition.get(key)
    return value.strip() if isinstance(value, str) else ''


def _state_at(view: View, time: str) -> str:
    """The state of the task at a time, by its log; '' where it is silent."""
    state = ''
    for step in view.lock.log:
        if is_before(time, step.time):
            break
        state = step.target
    return state


def additions_justified(view: View) -> Iterator[Fault]:
    for each in additions_of(view):
        if not text(each, 'justification'):
            agent = shown(text(each, 'agent')) or 'an agent without a name'
            yield Fault(f'{agent} was added without a justification')


def additions_in_time(view: View) -> Iterator[Fault]:
    allowed = [
        name for name, state in view.kind.states.items() if state.additions
    ]
    for each in additions_of(view):
        said = text(each, 'added_at_state')
        logged = _state_at(view, text(each, 'timestamp'))
        # what the addition says, and what the log says of that time
        for state in (said, logged or said):
            if state not in allowed:
                yield Fault(
                    f'{shown(text(each, "agent"))} was added at '
                    f'{shown(state) or "no state"}; agents are added in '
                    f'{", ".join(allowed)}',
                )
                break


def standing_rejections(view: View, time: str) -> list[str]:
    """Who had rejected the work at a time, and was not answered by a return.

    Only the way back to where agents are added for the first time answers a
    rejection with everything done again.
    """
    first = next(
        (name for name, spec in view.kind.states.items() if spec.additions),
        '',
    )
    returns = [
        step.time for step in view.lock.log
        if step.target == first and not is_before(time, step.time)
    ]
    return [
        agent.name for agent in view.agents
        if agent.name in rejecting(view) and
        not is_before(time, agent.updated) and
        not any(is_before(agent.updated, back) for back in returns)
    ]


def additions_no_bypass(view: View) -> Iterator[Fault]:
    """Nobody is added to outvote a review that is still rejected."""
    for each in additions_of(view):
        added = text(each, 'agent')
        for agent in standing_rejections(view, text(each, 'timestamp')):
            if agent != added:
                yield Fault(
                    f'{shown(added)} was added while the rejection of '
                    f'{agent} stood',
                )


def additions_listed(view: View) -> Iterator[Fault]:
    listed = {agent.name for agent in view.agents}
    added = {text(each, 'agent') for each in additions_of(view)}
    for agent in sorted(added - listed):
        yield Fault(
            f'{shown(agent) or "an addition without a name"} was added, and '
            f'is not among the agents of the task',
        )
    selection = view.lock.get('selection')
    if not isinstance(selection, dict):
        # who was selected first is not known
        return
    for agent in sorted(listed - added - set(selection)):
        yield Fault(
            f'{agent} is among the agents of the task, and was neither '
            f'selected nor added',
        )
