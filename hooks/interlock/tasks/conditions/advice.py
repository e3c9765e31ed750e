"""What to do next about the agents of a task."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.documents.timestamps import is_before
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.tasks.conditions.agents import asked_of_agents, decision, unmet_reasons
from interlock.tasks.conditions.approvals import USER, is_presented
from interlock.tasks.conditions.condition import ConditionResult
from interlock.tasks.conditions.rounds import (
    add_command,
    selecting_state,
    stale,
    way_back,
    working_state,
)
from interlock.tasks.conditions.view import Agent, View
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.protocol import BACK, ErrorSpec, ProtocolSpec
from interlock.workflow.reading.transition_log import is_selecting

NOTHING = 'nothing'
START = 'start'
WAIT = 'wait'
ASK = 'ask the user'
RETURN = 'return'
AGAIN = 'start it again'

# what to do after an interruption
TRANSITION = 'TRANSITION_TO_'
ALL = 'INVOKE_ALL_AGENTS'
SOME = 'INVOKE_INCOMPLETE'
USERS_TURN = 'WAIT_FOR_USER'
CLOSED = 'GATE_CLOSED'


class Advice(NamedTuple):
    action: str
    fact: str
    # what to do about it, '' for nothing
    step: str = ''

    @property
    def why(self) -> str:
        return f'{self.fact}: {self.step}' if self.step else self.fact

    def values(self) -> dict[str, str]:
        return {'action': self.action, 'why': self.why}


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
    way = _return(view) if spec.returns else ''
    return Advice(
        RETURN if spec.returns else START,
        f'it reports an error ({said}), probably {spec.name}',
        f'{expand(spec.advice, view.task)}{way and f": {way}"}',
    )


def _working(agent: Agent, view: View) -> Advice:
    numbers, silent = view.protocol.numbers, agent.silent
    if agent.ended and not is_before(agent.ended, agent.written):
        return Advice(
            START,
            f'it ended at {shown(agent.ended)}, but its status is still '
            f'{shown(agent.status)}',
            AGAIN,
        )
    elif silent is None:
        return Advice(WAIT, f'it says {shown(agent.status)}', WAIT)
    since = f'it has said {shown(agent.status)} for {silent:.0f} minutes'
    if silent > numbers.limit_minutes:
        return Advice(
            START, f'{since}, over {numbers.limit_minutes}', f'{AGAIN}, or {ASK}'
        )
    elif silent > numbers.stale_minutes:
        return Advice(
            START,
            f'{since}, over {numbers.stale_minutes}',
            f'{AGAIN} with the same requirements',
        )
    return Advice(WAIT, since, WAIT)


def _return(view: View) -> str:
    """The way back to the state that selects agents."""
    state = selecting_state(view)
    way = way_back(view, state)
    if not way:
        return f'ask the user: no step leads back from {shown(view.state)}'
    return f'return to {state} ({way})'


def _old(agent: Agent, view: View) -> str:
    """Why the agent's status no longer counts."""
    return (
        stale(view, agent.written, working_state(view.kind, view.lock))
        if agent.status
        else ''
    )


def _since(agent: Agent, view: View) -> str:
    old = _old(agent, view)
    return f' since then (it wrote {shown(agent.status)} {old})' * bool(old)


def _silent(agent: Agent, view: View) -> Advice:
    """Advice about an agent that wrote no status in this round."""
    least = view.protocol.numbers.start_minutes
    if not agent.worktree:
        way = add_command(view, agent.name)
        if not is_selecting(view.kind, view.state):
            way = f'{_return(view)}, then {way}'
        return Advice(RETURN, 'its worktree is missing', way)
    elif agent.started is None:
        return Advice(START, f'it was not started{_since(agent, view)}', 'start it')
    elif agent.started > least:
        return Advice(
            START,
            f'it was started {agent.started:.0f} minutes ago and has no '
            f'status after {least}',
            AGAIN,
        )
    return Advice(WAIT, f'it was started less than {least} minutes ago', WAIT)


def _of_incomplete(agent: Agent, view: View, missing: str) -> Advice:
    statuses = view.protocol.statuses
    if agent.problem:
        return Advice(START, f'its status file {agent.problem}', AGAIN)
    elif not agent.status or _old(agent, view):
        return _silent(agent, view)
    elif agent.status == statuses.error:
        return _error(agent, view)
    elif agent.status == statuses.done:
        return Advice(START, f'it says that it is done, but {missing}', AGAIN)
    elif agent.status in statuses.working:
        return _working(agent, view)
    return Advice(ASK, f'it says {shown(agent.status)}', ASK)


def _rejected(agent: Agent, view: View) -> Advice | None:
    """The advice after a review that did not approve."""
    said = decision(agent, view)
    for line in view.kind.transitions:
        if (
            view.state in line.origins
            and line.kind == BACK
            and 'review-rejected' in line.gate
            and said not in ('', view.protocol.decisions['approved'])
        ):
            return Advice(
                RETURN,
                f'it decided {shown(said)}',
                f"interlock transition {view.task} {line.targets[0]} --reason 'WHY'",
            )
    return None


def advise(agent: Agent, view: View, names: Sequence[str] = ()) -> Advice:
    """What to do about an agent that has to meet some conditions: by default those
    that the task's state asks for."""
    missing = unmet_reasons(agent, view, names or asked_of_agents(view))
    if not missing:
        is_asked = agent.status or names or asked_of_agents(view)
        fact = 'it is done' if is_asked else f'{shown(view.state)} asks nothing of it'
        return _rejected(agent, view) or Advice(NOTHING, fact)
    found = _of_incomplete(agent, view, missing[0])
    retries, most = max(agent.starts - 1, 0), view.protocol.numbers.retries
    if found.action == START and retries >= most:
        times = f'it was started again {retries} times'
        return Advice(ASK, f'{found.fact}, and {times}', ASK)
    return found


def pattern(view: View, incomplete: Sequence[str]) -> str:
    """What the agents that are not done have in common."""
    tried = [
        agent.name
        for agent in view.agents
        if agent.name in incomplete and agent.started is not None
    ]
    if len(incomplete) < 2 or len(tried) < len(incomplete):
        # an agent that was not started yet has not failed
        return ''
    elif len(incomplete) == len(view.agents):
        return (
            f'no agent is done: something is wrong for all of them, the '
            f'requirements or the worktrees; {_return(view)} and remove the '
            f'cause'
        )
    return (
        f'{", ".join(incomplete)} are not done and others are: if they are '
        f'of one domain, clarify its requirements; start each again'
    )


def _at_gate(view: View, verdicts: Sequence[ConditionResult]) -> Action:
    """The next action where no agent is needed: the gate decides."""
    if not view.target:
        return Action(NOTHING, (), f'nothing follows {shown(view.state) or "no state"}')
    step = f'interlock transition {view.task} {view.target} '
    refusing = [verdict for verdict in verdicts if verdict.refuses]
    # a value that comes with the step itself does not block it
    closed = [v for v in refusing if not v.recovery.startswith(step)]
    if not closed:
        why = [f'{v.message}; next: {v.recovery}' for v in refusing]
        return Action(
            f'{TRANSITION}{view.target}', (), next(iter(why), 'every condition holds')
        )
    elif is_presented(view) and all(each.name in USER for each in closed):
        return Action(USERS_TURN, (), f'{closed[0].message}, and was asked to')
    others = [each for each in closed if each.name not in USER] or closed
    return Action(CLOSED, (), f'{others[0].message}; next: {others[0].recovery}')


def resumption(view: View, verdicts: Sequence[ConditionResult] = ()) -> Action:
    """The next action, by the agents and by the gate of the way forward."""
    spec = view.kind.states.get(view.state)
    names = asked_of_agents(view)
    incomplete = (
        tuple(agent.name for agent in view.agents if unmet_reasons(agent, view, names))
        if spec is not None and spec.agents
        else ()
    )
    if not incomplete:
        return _at_gate(view, verdicts)
    advised = {
        agent.name: advise(agent, view, names)
        for agent in view.agents
        if agent.name in incomplete
    }
    # only the user can help a blocked agent
    blocked = {
        name: advice.fact for name, advice in advised.items() if advice.action == ASK
    }
    working = [name for name, advice in advised.items() if advice.action == WAIT]
    patience = f'; wait before you start {", ".join(working)} again' if working else ''
    invoked = tuple(name for name in incomplete if name not in blocked)
    if not invoked:
        said = '; '.join(f'{name}: {why}' for name, why in blocked.items())
        return Action(CLOSED, (), f'{said}; next: ask the user')
    elif len(invoked) == len(view.agents):
        return Action(ALL, invoked, f'no agent is done{patience}')
    return Action(SOME, invoked, f'not done: {", ".join(incomplete)}{patience}')
