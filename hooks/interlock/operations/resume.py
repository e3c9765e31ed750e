"""Where work on an item goes on."""

from __future__ import annotations

from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.operations.handoff.migrate import coming, missing
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading import next_state
from interlock.workflow.reading.gates import failed, sentence
from interlock.workflow.reading.records import (
    Records,
    counting,
    is_null,
    scalar,
    section_lines,
    stage_of,
    values_of,
)
from interlock.workflow.reading.status_words import label


class Resumption(NamedTuple):
    item: str
    # as reports name it, '' where the item is nowhere
    state: str
    stage: str
    phase: str
    status: str
    updated: str
    # the scores and what else the workflow asks of a handoff
    fields: Mapping[str, str]
    next_steps: tuple[str, ...]
    # what is recorded as failed, each a sentence
    failures: tuple[str, ...]
    # files that exist, from the top of the project
    documents: tuple[str, ...]
    # what a handoff of today has and this one lacks
    missing: tuple[str, ...]


def _field(at: Records, role: str) -> str:
    node = scalar(at.current, at.kind, role)
    return '' if node is None or is_null(node) else node.text


def _fields(at: Records) -> dict[str, str]:
    spec, values = at.kind.handoff, values_of(at.current)
    action = coming(at).action if spec else next_state.NONE
    if spec and spec.action and action != next_state.NONE:
        # an old handoff does not say what comes, the workflow does
        values.setdefault(spec.action, action)
    names = [field.name for field in spec.fields] if spec else []
    return {name: values[name] for name in names if name in values}


def _documents(at: Records) -> tuple[str, ...]:
    """The handoff, the contracts and what else the workflow names."""
    contracts = at.kind.contracts.files if at.kind.contracts else ()
    patterns = [path for contract in contracts for path in contract.paths]
    patterns += at.kind.handoff.reads if at.kind.handoff else ()
    named = [at.current.path] if at.current else []
    named += [expand(pattern, at.item) for pattern in patterns]
    return tuple(path for path in named if at.snapshot.blob(path))


def resumption(at: Records) -> Resumption:
    # a leftover says nothing of where work stands
    at = at._replace(current=counting(at))
    kind, state = at.kind, stage_of(at)
    steps = section_lines(at.current, kind, 'steps')
    stages = [name for name, spec in kind.states.items() if spec.stage]
    failures = failed(at.current, kind, stages)
    return Resumption(
        item=at.item,
        state=label(state, kind) if state else '',
        stage=_field(at, 'stage'),
        phase=_field(at, 'phase'),
        status=_field(at, 'status'),
        updated=_field(at, 'updated'),
        fields=_fields(at),
        next_steps=tuple(line.rstrip() for line in steps if line.strip()),
        failures=tuple(sentence(gap, kind) for gap in failures),
        documents=_documents(at),
        missing=missing(at),
    )
