"""The agents of tasks: they start in states that run agents, and report their work."""

from __future__ import annotations

import os

from interlock.documents import timestamps
from interlock.documents.tasks.trail import COMPLETED, FAILED, INVOCATIONS
from interlock.documents.text import plain, shown
from interlock.guard.context import Context
from interlock.guard.decision import Decision, deny
from interlock.guard.session_files import last_message
from interlock.guard.session_tasks import (
    add_to_trail,
    held_tasks,
    listed_name,
    update_trail,
)
from interlock.model import clients
from interlock.model.actor import RESTART
from interlock.model.errors import Denied
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple
from interlock.operations.tasks.trail import started_agent
from interlock.tasks import lock_holders
from interlock.tasks.conditions.agents import report_fault, status_fault
from interlock.tasks.conditions.view import Agent, View
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import WorktreeOwner
from interlock.workflow.language.protocol import BACK, CONDITIONAL, FORWARD
from interlock.workflow.language.spec import Kind

# the hyphen, and two dashes
DASHES = ('-', '\u2013', '\u2014')


def review_decision(message: str, head: str, words: Iterable[str]) -> str:
    """The decision of a review, '' where it gives no decision or no reason."""
    lines = [line for line in map(plain, message.splitlines()) if line]
    if not lines or not lines[-1].startswith(plain(head)):
        return ''
    word, _, rest = lines[-1][len(plain(head)) :].strip().partition(' ')
    dash, _, reason = rest.partition(' ')
    return word if word in words and dash in DASHES and reason else ''


CODE = 'CLD011'
# the condition of a state that ends once all agents have reviewed
REVIEWED = 'reviews-approved'


def _task_of_agent(context: Context, agent: str) -> tuple[str, Held, str] | None:
    """The task of this session that has the agent, and the agent's name in it."""
    for task, held in held_tasks(context):
        name = listed_name(held, agent, context.space)
        if name:
            return task, held, name
    return None


def _way_to_agents(task: str, state: str, kind: Kind) -> str:
    """The command that leads to a state in which agents run."""
    for direction in (BACK, FORWARD, CONDITIONAL):
        for line in kind.transitions:
            targets = [name for name in line.targets if kind.states[name].agents]
            if targets and state in line.origins and line.kind == direction:
                reason = " --reason 'WHY'" if line.reason else ''
                return f'interlock transition {task} {targets[0]}{reason}'
    return f'interlock task resume {task}'


def _without_session(context: Context, agent: str) -> Decision | None:
    for task, lock in lock_holders.all_held(context.space):
        if listed_name(lock, agent, context.space):
            text = f'{agent} is an agent of {task}, but this session has no id'
            return deny('LCK003', text, RESTART)
    return None


def judge_start(context: Context, agent: str) -> Decision | None:
    space = context.space
    if not context.event.session:
        return _without_session(context, agent)
    found = _task_of_agent(context, agent)
    if found is None:
        return None
    task, held, name = found
    state = held.lock.state
    spec = space.kind.states.get(state)
    if spec is None or not spec.agents:
        text = f'{task} is in {shown(state) or "no state"}, where {name} does not run'
        return deny(CODE, text, _way_to_agents(task, state, space.kind))
    elif space.place(context.directory) != WorktreeOwner(task):
        words = dict(clients.REACHING).get(context.event.client, '')
        more = f' ({words.format(space.tasks)})' if words else ''
        return deny(
            CODE,
            f'start {name} of {task} from the worktree of the task, not from '
            f'{shown(context.directory)}{more}',
            f'cd {space.code(task)}',
        )
    code = space.path(space.protocol.files.agent_code, task, name)
    where = code if os.path.isdir(code) else shown(context.directory)
    entry = started_agent(name, state, where, timestamps.now())
    add_to_trail(space, task, held, INVOCATIONS, entry)
    return None


class Ending(NamedTuple):
    """An agent of a task that is about to end."""

    task: str
    held: Held
    agent: Agent
    view: View
    # whether its work was a review
    reviews: bool


def ending(context: Context, agent: str) -> Ending | None:
    found = _task_of_agent(context, agent)
    if found is None:
        return None
    task, held, name = found
    view = context.task_view(task, held.lock)
    reviews = any(
        held.lock.state in line.origins and REVIEWED in line.gate
        for line in context.space.kind.transitions
    )
    own = next(each for each in view.agents if each.name == name)
    return Ending(task, held, own, view, reviews)


def _reviewed(context: Context) -> str:
    """The decision in the last line of a review, '' if there is none."""
    protocol = context.space.protocol
    words = protocol.decisions.values()
    return review_decision(last_message(context), protocol.review_line, words)


def _review_faults(context: Context, agent: Agent) -> Iterator[str]:
    protocol, said = context.space.protocol, _reviewed(context)
    line, words = protocol.review_line, protocol.decisions
    if not said and line:
        forms = ' or '.join(f'`{line} {word} - REASON`' for word in words.values())
        yield (
            f'its message does not end with {forms}, so the review is taken as '
            f'{words["rejected"]}'
        )
    elif said and agent.decision != said:
        yield (
            f'its message says {said}, but the `decision` of its status file is '
            f'{shown(agent.decision) or "missing"}'
        )


def missing_work(context: Context, end: Ending) -> str:
    """What the agent left undone, '' if nothing."""
    state, agent = end.held.lock.state, end.agent
    spec = context.space.kind.states.get(state)
    if spec is None or not spec.agents:
        # the task has moved on in the meantime
        return ''
    # it worked in this state, whatever it did before
    faults = [status_fault(agent, end.view, state), report_fault(agent, end.view)]
    if end.reviews:
        faults += _review_faults(context, agent)
    said = list(filter(None, faults))
    if not said:
        return ''
    check = f'interlock agents check {end.task} {agent.name}'
    return '\n'.join(
        (
            f'{agent.name} is not done with {end.task} ({state}):',
            *said,
            f'next: do what is missing ({check} says more)',
        )
    )


def close(context: Context, end: Ending, failed: bool) -> None:
    """Record in the trail how the agent ended, if its start is recorded there."""
    space, name, task = context.space, end.agent.name, end.task
    report = space.path(space.protocol.files.report, task, name)
    path = report if end.agent.report else ''
    status, reviewed = FAILED if failed else COMPLETED, ''
    if end.reviews:
        reviewed = _reviewed(context) or space.protocol.decisions['rejected']
    with suppress(Denied):
        update_trail(
            space,
            task,
            end.held,
            lambda trail: trail.with_end(name, path, status, reviewed),
        )
