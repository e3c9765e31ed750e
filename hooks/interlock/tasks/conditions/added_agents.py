"""Agents that were added after the selection: what an audit looks for."""

from __future__ import annotations

from interlock.documents.json import text_of
from interlock.documents.text import shown
from interlock.documents.timestamps import is_before
from interlock.model.quick_typing import Any, Iterator, Mapping
from interlock.tasks.conditions.agents import rejections
from interlock.tasks.conditions.condition import Unmet, condition
from interlock.tasks.conditions.rounds import way_back
from interlock.tasks.conditions.view import View
from interlock.workflow.reading.transition_log import first_with_additions, is_selecting


def additions_of(view: View) -> list[Mapping[str, Any]]:
    return [
        each if isinstance(each, dict) else {'agent': str(each)}
        for each in view.lock.values('additions')
    ]


def text(addition: Mapping[str, Any], key: str) -> str:
    return text_of(addition.get(key)).strip()


def _states_at(view: View, time: str) -> list[str]:
    """The states of the task at a time. The log counts whole seconds, so there may be
    several."""
    states: list[str] = []
    for step in view.lock.log:
        if is_before(time, step.time):
            break
        elif is_before(step.time, time):
            states = []
        states.append(step.target)
    return states


def _returned_since(view: View, time: str) -> bool:
    """Whether everything was done again since, with the agents that were added."""
    first = first_with_additions(view.kind)
    return any(
        step.target == first and is_before(time, step.time) for step in view.lock.log
    )


def _anew(view: View) -> str:
    """The way back after which everything is done again."""
    return way_back(view, first_with_additions(view.kind))


@condition('GAT035', 'every agent that was added has a justification')
def additions_justified(view: View) -> Iterator[Unmet]:
    for each in additions_of(view):
        if not text(each, 'justification'):
            name = text(each, 'agent')
            agent = shown(name) or 'an agent without a name'
            yield Unmet(f'{agent} was added without a justification', agent=name)


@condition('GAT036', 'no agent was added too late')
def additions_in_time(view: View) -> Iterator[Unmet]:
    allowed = [name for name, state in view.kind.states.items() if state.additions]
    for each in additions_of(view):
        if _returned_since(view, text(each, 'timestamp')):
            continue
        said = text(each, 'added_at_state')
        logged = _states_at(view, text(each, 'timestamp')) or [said]
        # compare what the addition says with what the log says about that time
        for state in (said, said if said in logged else logged[-1]):
            if state not in allowed:
                yield Unmet(
                    f'{shown(text(each, "agent"))} was added at '
                    f'{shown(state) or "no state"}; agents are added in '
                    f'{", ".join(allowed)}',
                    recovery=_anew(view),
                )
                break


def standing_rejections(view: View, time: str) -> list[str]:
    """The agents whose rejection at a time no return has answered.

    Only the way back to the first state that allows additions answers a rejection:
    from there everything is done again.
    """
    first = first_with_additions(view.kind)
    returns = [
        step.time
        for step in view.lock.log
        if step.target == first and not is_before(time, step.time)
    ]
    return [
        agent.name
        for agent, when in rejections(view)
        if not is_before(time, when)
        and not any(is_before(when, back) for back in returns)
    ]


@condition('GAT037', 'no agent was added against a rejection')
def additions_no_bypass(view: View) -> Iterator[Unmet]:
    """No agent may be added to outvote a review that is still rejected."""
    for each in additions_of(view):
        added = text(each, 'agent')
        if _returned_since(view, text(each, 'timestamp')):
            continue
        for agent in standing_rejections(view, text(each, 'timestamp')):
            if agent != added:
                yield Unmet(
                    f'{shown(added)} was added while the rejection of {agent} stood',
                    recovery=_anew(view),
                )


def _logged(view: View) -> set[str] | None:
    """The agents that took part at the last step, from the log."""
    if is_selecting(view.kind, view.state):
        return None
    for step in reversed(view.lock.log):
        if step.agents is not None:
            return set(step.agents)
    return None


def taking_part(view: View) -> list[str]:
    """The agents that take part by the rules, whatever was edited by hand since."""
    logged = _logged(view)
    if logged is None:
        return list(view.lock.agents)
    added = {text(each, 'agent') for each in additions_of(view)}
    known = logged | added
    gone = sorted(logged - set(view.lock.agents))
    return [name for name in view.lock.agents if name in known] + gone


def _known(view: View) -> set[str] | None:
    """The agents that took part before others were added; None: not recorded."""
    if is_selecting(view.kind, view.state):
        return None
    selection = view.lock.get('selection')
    chosen = set(selection) if isinstance(selection, dict) else None
    logged = _logged(view)
    return chosen if logged is None else logged


@condition('GAT038', 'the agents and their additions agree')
def additions_listed(view: View) -> Iterator[Unmet]:
    listed = {agent.name for agent in view.agents}
    added = {text(each, 'agent') for each in additions_of(view)}
    for agent in sorted(added - listed):
        yield Unmet(
            f'{shown(agent) or "an addition without a name"} was added, and '
            f'is not among the agents of the task'
        )
    known = _known(view)
    if known is None:
        return
    for agent in sorted(listed - added - known):
        yield Unmet(
            f'{shown(agent)} is among the agents of the task, and was '
            f'neither selected nor added'
        )
    if known == _logged(view):
        for agent in sorted(known - listed - added):
            yield Unmet(
                f'{shown(agent)} took part when the task came to '
                f'{view.state}, and was removed since'
            )
