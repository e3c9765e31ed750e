"""What a task leaves behind: its audit trail, and the evidence of states."""

from __future__ import annotations

from interlock.documents.tasks.trail import (
    COMMITS,
    COMPLETED,
    INVOCATIONS,
    RUNNING,
    TRANSITIONS,
)
from interlock.documents.text import shown
from interlock.model.quick_typing import Any, Iterator, Mapping
from interlock.tasks.conditions.condition import TRAIL_SCHEMA, Unmet, condition
from interlock.tasks.conditions.selection import strictness
from interlock.tasks.conditions.view import View

COMMIT = 'interlock trail add {item} commit HEAD'
START = 'interlock trail add {item} agent-start {agent}'
END = 'interlock trail add {item} agent-end {agent}'


def _last_runs(view: View) -> dict[str, Mapping[str, Any]]:
    """What each agent was started for last: it may have failed before."""
    entries = view.trail.sections.get(INVOCATIONS, ()) if view.trail else ()
    names = [
        str(entry.get('agent_name') or entry.get('agent_type')) for entry in entries
    ]
    own = [view.protocol.synonyms.get(name, name) for name in names]
    return dict(zip(own, entries, strict=True))


def _first_of(section: str, view: View) -> str:
    """What adds the first entry to a section, '' where no command does."""
    import shlex

    if section == COMMITS:
        return COMMIT
    elif section == INVOCATIONS:
        return START
    last = view.lock.log[-1] if view.lock.log else None
    if section == TRANSITIONS and last is not None and last.origin:
        step = shlex.quote(f'{last.origin}->{last.target}')
        return f'interlock trail add {{item}} transition {step}'
    return ''


@condition('GAT033', 'the audit trail is complete', needs={TRAIL_SCHEMA})
def trail_complete(view: View) -> Iterator[Unmet]:
    if view.trail is None:
        yield Unmet('there is no audit trail', recovery=COMMIT)
        return
    elif view.trail.problem:
        yield Unmet(f'the audit trail {view.trail.problem}')
        return
    for violation in view.trail.violations:
        yield Unmet(f'the audit trail is malformed: {violation}')
    for name in view.protocol.trail_sections:
        if name == INVOCATIONS and not view.agents:
            # a small change may need none
            continue
        elif not view.trail.sections.get(name):
            yield Unmet(
                f'the audit trail has nothing in `{name}`',
                agent=next((each.name for each in view.agents), ''),
                recovery=_first_of(name, view),
            )
    for agent, entry in _last_runs(view).items():
        status = entry.get('status')
        if status != COMPLETED:
            yield Unmet(
                f'{shown(agent)}, started at '
                f'{shown(str(entry.get("invocation_timestamp")))}, is '
                f'{shown(str(status))}, not {COMPLETED}',
                # by the name that the trail has
                agent=str(entry.get('agent_name') or entry.get('agent_type')),
                # what failed is done again, and then ends
                recovery=END if status == RUNNING else START,
            )


@condition('GAT032', 'the state left its evidence')
def evidence(view: View) -> Iterator[Unmet]:
    found = view.lock.mapping('evidence').get(view.state)
    severity = strictness(view.workflow.evidence)
    if not found:
        yield Unmet(f'no evidence of {view.state} is recorded', severity)
    elif isinstance(found, dict):
        wanted = view.protocol.decisions['approved']
        for agent in view.agents:
            said = found.get(agent.name)
            if said != wanted:
                yield Unmet(
                    f'the evidence of {view.state} says of {agent.name}: '
                    f'{shown(str(said)) if said else "nothing"}',
                    severity,
                )
