"""What each state leaves behind as evidence."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.conditions.selection import strictness
from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents.text import shown


def _recorded(view: View) -> Any:
    evidence = view.lock.get('evidence')
    found = evidence.get(view.state) if isinstance(evidence, dict) else None
    log = view.lock.get('log')
    if not found and isinstance(log, list) and log:
        # the entry that led here may carry it
        last = log[-1]
        return last.get('evidence') if isinstance(last, dict) else None
    return found


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
