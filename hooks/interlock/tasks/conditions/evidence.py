"""What each state leaves behind as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.documents.text import shown
from interlock.tasks.conditions.selection import strictness
from interlock.tasks.conditions.verdict import Fault
from interlock.tasks.conditions.view import View


def _recorded(view: View) -> Any:
    """What is recorded of this state; what led to it is another state's."""
    found = view.lock.get('evidence')
    return found.get(view.state) if isinstance(found, dict) else None


def evidence(view: View) -> Iterator[Fault]:
    found, severity = _recorded(view), strictness(view.workflow.evidence)
    if not found:
        yield Fault(f'no evidence of {view.state} is recorded', severity)
    elif isinstance(found, dict):
        wanted = view.protocol.decisions['approved']
        for agent in view.agents:
            said = found.get(agent.name)
            if said != wanted:
                yield Fault(
                    f'the evidence of {view.state} says of {agent.name}: '
                    f'{shown(str(said)) if said else "nothing"}',
                    severity,
                )
