"""What every agent of the task says of itself, and has to show."""
from __future__ import annotations

from collections.abc import Iterator

from interlock.conditions.rounds import stale
from interlock.conditions.verdict import Fault
from interlock.conditions.view import Agent
from interlock.conditions.view import View
from interlock.documents.text import shown
from interlock.model.finding import WARNING
from interlock.workflow.protocol import ProtocolSpec


def status_fault(agent: Agent, protocol: ProtocolSpec) -> str:
    """Why an agent is not done, '' where it says it is."""
    if agent.problem:
        return f'its status file {agent.problem}'
    elif not agent.status:
        return 'it has no status file'
    elif agent.status != protocol.statuses.done:
        return (
            f'its status is {shown(agent.status)}, not '
            f'{protocol.statuses.done}'
        )
    return ''


def report_fault(agent: Agent, protocol: ProtocolSpec) -> str:
    least = protocol.numbers.report_bytes
    if agent.report is None:
        return f'its report {agent.report_path} is missing'
    elif not agent.report:
        return f'its report {agent.report_path} is empty'
    elif agent.report < least:
        return (
            f'its report {agent.report_path} has {agent.report} bytes, '
            f'fewer than {least}'
        )
    return ''


def is_complete(agent: Agent, protocol: ProtocolSpec) -> bool:
    return not (
        status_fault(agent, protocol) or report_fault(agent, protocol)
    )


def agents_complete(view: View) -> Iterator[Fault]:
    for agent in view.agents:
        fault = status_fault(agent, view.protocol)
        if fault:
            yield Fault(f'{agent.name}: {fault}', agent=agent.name)


def reports(view: View) -> Iterator[Fault]:
    for agent in view.agents:
        fault = report_fault(agent, view.protocol)
        if fault:
            yield Fault(f'{agent.name}: {fault}', agent=agent.name)
        elif agent.report_home:
            yield Fault(
                f'{agent.name}: its report is {agent.report_path}, an older '
                f'name of {agent.report_home}',
                WARNING, agent.name,
            )


def no_agent_errors(view: View) -> Iterator[Fault]:
    for agent in view.agents:
        if agent.status == view.protocol.statuses.error:
            why = shown(agent.error) or 'without an error message'
            yield Fault(
                f'{agent.name} reports an error: {why}', agent=agent.name,
            )


def nothing_remaining(view: View) -> Iterator[Fault]:
    for agent in view.agents:
        left = agent.remaining.strip()
        if left and left.lower() not in view.protocol.nothing_left:
            yield Fault(f'{agent.name} has work left: {shown(left)}')


def reviews_approved(view: View) -> Iterator[Fault]:
    wanted = view.protocol.decisions['approved']
    if not view.agents:
        yield Fault('no agent is selected, so none approved')
    for agent in view.agents:
        if agent.problem:
            yield Fault(f'{agent.name}: its status file {agent.problem}')
        elif agent.decision != wanted:
            said = shown(agent.decision) or 'nothing'
            yield Fault(f'{agent.name} decided {said}, not {wanted}')
        elif stale(view, agent.written):
            old = stale(view, agent.written)
            yield Fault(f'{agent.name} decided {wanted} {old}')


def rejecting(view: View) -> list[str]:
    """Who did not approve; what is not understood counts as a rejection."""
    return [
        agent.name for agent in view.agents
        if agent.decision not in ('', view.protocol.decisions['approved'])
    ]


def review_rejected(view: View) -> Iterator[Fault]:
    found = rejecting(view)
    if not any(
            agent.name in found and not stale(view, agent.written)
            for agent in view.agents
    ):
        again = ' since then' if found else ''
        yield Fault(f'no agent rejected the work{again}')
