"""What to do next about the agents of a task."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.conditions.agents import is_complete
from interlock.conditions.agents import report_fault
from interlock.conditions.view import Agent
from interlock.conditions.view import View
from interlock.documents.text import shown
from interlock.workflow.log import forward
from interlock.workflow.protocol import ErrorSpec
from interlock.workflow.protocol import ProtocolSpec
from interlock.workflow.template import expand

NOTHING = 'nothing'
START = 'start'
WAIT = 'wait'
ASK = 'ask the user'
RETURN = 'return'

# what to do after an interruption
TRANSITION = 'TRANSITION_TO_'
ALL = 'INVOKE_ALL_AGENTS'
SOME = 'INVOKE_INCOMPLETE'


class Advice(NamedTuple):
    action: str
    why: str


class Action(NamedTuple):
    name: str
    # the agents to start
    agents: tuple[str, ...]
    why: str


def error_class(message: str, protocol: ProtocolSpec) -> ErrorSpec:
    for spec in protocol.errors:
        if any(word in message.lower() for word in spec.words):
            return spec
    return protocol.errors[-1]


def _error(agent: Agent, view: View) -> Advice:
    spec = error_class(agent.error, view.protocol)
    said = shown(agent.error) or 'no error message'
    return Advice(
        START,
        f'it reports an error ({said}), probably {spec.name}: '
        f'{expand(spec.advice, view.task)}',
    )


def _working(agent: Agent, view: View) -> Advice:
    numbers, silent = view.protocol.numbers, agent.silent
    if silent is None:
        return Advice(WAIT, f'it says {shown(agent.status)}')
    since = f'it says {shown(agent.status)} since {silent:.0f} minutes'
    if silent > numbers.limit_minutes:
        return Advice(
            START,
            f'{since}, over {numbers.limit_minutes}: start it again, or ask '
            f'the user',
        )
    elif silent > numbers.stale_minutes:
        return Advice(
            START,
            f'{since}, over {numbers.stale_minutes}: start it again with '
            f'the same requirements',
        )
    return Advice(WAIT, f'{since}: wait')


def _return(view: View) -> str:
    """The way back to where agents are selected."""
    spec = view.protocol.conditions.get('agent-worktrees')
    state = spec.origin if spec else ''
    if not state:
        return 'return to where agents are selected'
    return (
        f'return to {state} (interlock transition {view.task} {state} '
        f'--reason TEXT)'
    )


def _silent(agent: Agent, view: View) -> Advice:
    """It has no status file."""
    least = view.protocol.numbers.start_minutes
    if not agent.worktree:
        return Advice(
            RETURN, f'its worktree is missing: {_return(view)}, and make it',
        )
    elif agent.started is None:
        return Advice(START, 'it was not started')
    elif agent.started > least:
        return Advice(
            START,
            f'it was started {agent.started:.0f} minutes ago and has no '
            f'status after {least}: start it again',
        )
    return Advice(
        WAIT, f'it was started less than {least} minutes ago: wait',
    )


def _of_incomplete(agent: Agent, view: View) -> Advice:
    statuses = view.protocol.statuses
    if agent.problem:
        return Advice(START, f'its status file {agent.problem}')
    elif not agent.status:
        return _silent(agent, view)
    elif agent.status == statuses.error:
        return _error(agent, view)
    elif agent.status == statuses.done:
        fault = report_fault(agent, view.protocol)
        return Advice(START, f'it says that it is done, but {fault}')
    elif agent.status in statuses.working:
        return _working(agent, view)
    return Advice(ASK, f'it says {shown(agent.status)}')


def advise(agent: Agent, view: View) -> Advice:
    if is_complete(agent, view.protocol):
        return Advice(NOTHING, 'status and report are there')
    found = _of_incomplete(agent, view)
    retries, most = max(agent.starts - 1, 0), view.protocol.numbers.retries
    if found.action == START and retries >= most:
        return Advice(
            ASK, f'{found.why}; but it was started again {retries} times: '
            f'ask the user',
        )
    return found


def pattern(view: View, incomplete: Sequence[str]) -> str:
    """What several agents that are not done have in common."""
    if len(incomplete) < 2:
        return ''
    elif len(incomplete) == len(view.agents):
        return (
            f'no agent is done: something is wrong for all of them, the '
            f'requirements or the worktrees; {_return(view)} and mend the '
            f'cause'
        )
    return (
        f'{", ".join(incomplete)} are not done and others are: if they are '
        f'of one domain, clarify its requirements; start each again'
    )


def resumption(view: View) -> Action:
    following = forward(view.kind, view.state)
    incomplete = tuple(
        agent.name for agent in view.agents
        if not is_complete(agent, view.protocol)
    )
    spec = view.kind.states.get(view.state)
    if spec is None or not spec.agents or not incomplete:
        why = 'all agents are done' if view.agents else 'no agent is needed'
        if spec is None or not spec.agents:
            why = f'no agents run in {shown(view.state) or "no state"}'
        name = f'{TRANSITION}{following}' if following else NOTHING
        return Action(name, (), why)
    elif len(incomplete) == len(view.agents):
        return Action(ALL, incomplete, 'no agent is done')
    return Action(SOME, incomplete, f'not done: {", ".join(incomplete)}')
