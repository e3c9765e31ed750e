"""What a timeline says of a state by default."""

from __future__ import annotations

import re
from collections.abc import Mapping

from interlock.documents import yaml
from interlock.model.state import State
from interlock.workflow.language import patterns
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.records import Records, is_null
from interlock.workflow.reading.status_words import label

FIELD_RE = re.compile(r'\{([^{}]*)\}')
# parts of a text; one that would say nothing is left out
DASH = ' - '


def _fields(at: Records, given: Mapping[str, str]) -> dict[str, str]:
    read = at.current.handoff.fields if at.current else None
    found = {
        key: node.text
        for key, node in (read.items if read else {}).items()
        if isinstance(node, yaml.Scalar) and not is_null(node)
    }
    return {**found, **given}


def _filled(text: str, values: Mapping[str, str]) -> str:
    parts = []
    for part in text.split(DASH):
        names = FIELD_RE.findall(part)
        if all(values.get(name) for name in names):
            parts.append(FIELD_RE.sub(lambda match: values[match[1]], part))
    return DASH.join(parts)


def _phase(at: Records, state: State) -> dict[str, str]:
    """The number of a phase, and its title as the plan gives it."""
    spec = at.kind.handoff.phases if at.kind.handoff else None
    number = f'{at.kind.states[state.name].stage}.{state.phase}'
    plan = plan_phases.read(at)
    for each in plan.of(state.name) if spec and plan else ():
        match = patterns.start(each.title, spec.heading) if spec else None
        if each.state == state and match:
            title = each.title[match.end() :].strip()
            return {'phase': number, 'title': title}
    return {'phase': number}


def default(at: Records, state: State, given: Mapping[str, str] | None = None) -> str:
    """`given` are fields that the handoff does not hold yet."""
    spec = at.kind.handoff.phases if at.kind.handoff else None
    text, values = at.kind.states[state.name].timeline, {}
    if state.phase is not None:
        text, values = spec.timeline if spec else '', _phase(at, state)
    said = _filled(text, {**_fields(at, given or {}), **values})
    return said or f'{label(state, at.kind)} reached'
