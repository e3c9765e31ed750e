"""What every agent of the task says about itself, and has to show."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.documents.timestamps import is_before
from interlock.model.finding import WARNING
from interlock.model.quick_typing import Callable, Iterable, Iterator, Mapping
from interlock.tasks.conditions.condition import Unmet, condition
from interlock.tasks.conditions.rounds import stale, way_back, working_state
from interlock.tasks.conditions.view import Agent, View
from interlock.workflow.reading.transition_log import first_with_additions, forward_gate

# an agent is started with a tool of the client, not with a command
REVIEW = (
    'start {agent} to review the work; interlock agents check {item} {agent} '
    'says when it has'
)


def status_fault(agent: Agent, view: View, state: str = '') -> str:
    """Why an agent is not done, '' if its status says it is.

    `state` is the one since which its status counts, if not the usual one.
    """
    done = view.protocol.statuses.done
    if agent.problem:
        return f'its status file {agent.problem}'
    elif not agent.status:
        return 'it has no status file'
    elif agent.status != done:
        return f'its status is {shown(agent.status)}, not {done}'
    old = stale(view, agent.written, state or working_state(view.kind, view.lock))
    return f'its status {done} was written {old}' if old else ''


def _reporting(view: View) -> str:
    """The state in which reports are written."""
    spec = view.protocol.conditions.get('reports')
    return spec.origin if spec else ''


def report_fault(agent: Agent, view: View) -> str:
    least = view.protocol.numbers.report_bytes
    if agent.report is None:
        return f'its report {agent.report_path} is missing'
    elif not agent.report:
        return f'its report {agent.report_path} is empty'
    elif agent.report < least:
        return (
            f'its report {agent.report_path} has {agent.report} bytes, '
            f'fewer than {least}'
        )
    old = stale(view, agent.reported, _reporting(view))
    return f'its report {agent.report_path} was written {old}' if old else ''


def _left(agent: Agent, view: View) -> str:
    """The work that an agent says is left, '' for none."""
    left = agent.remaining.strip()
    return '' if left.lower() in view.protocol.nothing_left else shown(left)


def remaining_fault(agent: Agent, view: View) -> str:
    left = _left(agent, view)
    return f'it has work left: {left}' if left else ''


def decision(agent: Agent, view: View) -> str:
    """What an agent decided in this round, '' if nothing yet.

    The message that ended its review counts as well as its status file,
    unless it wrote the file after that.
    """
    state = working_state(view.kind, view.lock)
    own = '' if stale(view, agent.written, state) else agent.decision
    if agent.reviewed and not is_before(agent.ended, agent.written):
        approved = view.protocol.decisions['approved']
        return own if agent.reviewed == approved else agent.reviewed
    return own


def _unclear(agent: Agent, view: View, said: str) -> str:
    """What a review lacks that counts as rejected, although its agent never said so."""
    line, approved = view.protocol.review_line, view.protocol.decisions['approved']
    if not line or said in (approved, agent.decision):
        return ''
    return f'its last message does not end with `{line} {approved} - REASON`'


def review_fault(agent: Agent, view: View) -> str:
    """Why an agent has not reviewed the work yet, '' if it has."""
    said = decision(agent, view)
    if agent.problem:
        return f'its status file {agent.problem}'
    elif said:
        return _unclear(agent, view, said)
    elif not agent.decision:
        return 'it did not review'
    old = stale(view, agent.written, working_state(view.kind, view.lock))
    return f'it decided {shown(agent.decision)} {old}'


# the conditions that the gate of a state may set for every agent
OWED: Mapping[str, Callable[[Agent, View], str]] = {
    'agents-complete': status_fault,
    'reports': report_fault,
    'nothing-remaining': remaining_fault,
    'reviews-approved': review_fault,
}


# an agent that meets these is complete, whatever the state
COMPLETION = ('agents-complete', 'reports')


def asked_of_agents(view: View) -> list[str]:
    """The conditions for every agent on the way forward from the task's state."""
    gate = forward_gate(view.kind, view.state)
    return [name for name in OWED if name in gate]


def unmet_reasons(agent: Agent, view: View, names: Iterable[str]) -> list[str]:
    """Why an agent does not meet some conditions yet."""
    return list(filter(None, (OWED[name](agent, view) for name in names)))


@condition('GAT017', 'every agent is done')
def agents_complete(view: View) -> Iterator[Unmet]:
    origin = working_state(view.kind, view.lock)
    for agent in view.agents:
        fault = status_fault(agent, view)
        if fault:
            yield Unmet(f'{agent.name}: {fault}', agent=agent.name, origin=origin)


@condition('GAT018', 'every agent has reported')
def reports(view: View) -> Iterator[Unmet]:
    for agent in view.agents:
        fault = report_fault(agent, view)
        if fault:
            yield Unmet(f'{agent.name}: {fault}', agent=agent.name)
        elif agent.report_home:
            yield Unmet(
                f'{agent.name}: its report is {agent.report_path}, an older '
                f'name of {agent.report_home}',
                WARNING,
                agent.name,
            )


@condition('GAT019', 'no agent reports an error')
def no_agent_errors(view: View) -> Iterator[Unmet]:
    for agent in view.agents:
        if agent.status == view.protocol.statuses.error:
            why = shown(agent.error) or 'without an error message'
            yield Unmet(f'{agent.name} reports an error: {why}', agent=agent.name)


@condition('GAT022', 'no agent has work left')
def nothing_remaining(view: View) -> Iterator[Unmet]:
    for agent in view.agents:
        left = _left(agent, view)
        if left:
            yield Unmet(f'{agent.name} has work left: {left}', agent=agent.name)


@condition('GAT026', 'every agent approved')
def reviews_approved(view: View) -> Iterator[Unmet]:
    wanted = view.protocol.decisions['approved']
    if not view.agents:
        yield Unmet(
            'no agent is selected, so none approved',
            recovery=way_back(view, first_with_additions(view.kind)),
        )
    for agent in view.agents:
        missing, said = review_fault(agent, view), decision(agent, view)
        if said not in ('', wanted):
            why = f': {missing}' if missing else ''
            yield Unmet(
                f'{agent.name} decided {shown(said)}, not {wanted}{why}',
                agent=agent.name,
                recovery=REVIEW if missing else '',
            )
        elif missing:
            yield Unmet(f'{agent.name}: {missing}', agent=agent.name, recovery=REVIEW)


def rejections(view: View) -> Iterator[tuple[Agent, str]]:
    """The agents that did not approve, and when; an unknown decision is a rejection."""
    approved = view.protocol.decisions['approved']
    for agent in view.agents:
        if agent.decision not in ('', approved):
            yield agent, agent.written
        elif agent.reviewed not in ('', approved):
            yield agent, agent.ended


@condition('GAT027', 'a review was rejected')
def review_rejected(view: View) -> Iterator[Unmet]:
    wanted = view.protocol.decisions['approved']
    said = [decision(agent, view) for agent in view.agents]
    if all(each in ('', wanted) for each in said):
        again = ' since then' if any(rejections(view)) else ''
        yield Unmet(f'no agent rejected the work{again}')
