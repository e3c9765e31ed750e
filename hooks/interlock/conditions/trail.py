"""The audit trail: that it is there, whole, and that all agents ended."""
from __future__ import annotations

from collections.abc import Iterator

from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents.text import shown
from interlock.documents.trail import COMPLETED
from interlock.documents.trail import INVOCATIONS


def trail_complete(view: View) -> Iterator[Fault]:
    if view.trail is None:
        yield Fault('there is no audit trail')
        return
    elif view.trail.problem:
        yield Fault(f'the audit trail {view.trail.problem}')
        return
    for violation in view.trail.violations:
        yield Fault(f'the audit trail is malformed: {violation}')
    for name in view.protocol.trail_sections:
        if name == INVOCATIONS and not view.agents:
            # a small change may need none
            continue
        elif not view.trail.sections.get(name):
            yield Fault(f'the audit trail has nothing in `{name}`')
    for entry in view.trail.sections.get(INVOCATIONS, ()):
        status = entry.get('status')
        if status != COMPLETED:
            agent = entry.get('agent_name') or entry.get('agent_type')
            yield Fault(
                f'{shown(str(agent))}, started at '
                f'{shown(str(entry.get("invocation_timestamp")))}, is '
                f'{shown(str(status))}, not {COMPLETED}',
            )
