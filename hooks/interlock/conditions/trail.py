"""The audit trail: that it is there, whole, and that all agents ended."""
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents.text import shown
from interlock.documents.trail import COMPLETED
from interlock.documents.trail import INVOCATIONS


def _last_runs(view: View) -> dict[str, Mapping[str, Any]]:
    """What each agent was started for last: it may have failed before."""
    entries = view.trail.sections.get(INVOCATIONS, ()) if view.trail else ()
    names = [
        str(entry.get('agent_name') or entry.get('agent_type'))
        for entry in entries
    ]
    own = [view.protocol.synonyms.get(name, name) for name in names]
    return dict(zip(own, entries, strict=True))


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
    for agent, entry in _last_runs(view).items():
        status = entry.get('status')
        if status != COMPLETED:
            yield Fault(
                f'{shown(agent)}, started at '
                f'{shown(str(entry.get("invocation_timestamp")))}, is '
                f'{shown(str(status))}, not {COMPLETED}',
            )
