"""Where work on an item goes on: for whoever comes back to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from interlock.operations.handoff.migrate import coming, missing
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading.gates import failed, sentence
from interlock.workflow.reading.records import (
    Placed,
    Records,
    counting,
    is_null,
    scalar,
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


def _fields(at: Records, spec: HandoffSpec) -> dict[str, str]:
    values, action = values_of(at.current), coming(at).action
    if spec.action and action != next_state.NONE:
        # an old handoff does not say what comes, the workflow does
        values.setdefault(spec.action, action)
    return {
        field.name: values[field.name] for field in spec.fields if field.name in values
    }


def _steps(placed: Placed | None, spec: HandoffSpec) -> tuple[str, ...]:
    title = spec.sections.get('steps', '').lower()
    for section in placed.handoff.sections if placed else ():
        if title and section.title.lower().startswith(title):
            lines = section.body.splitlines()
            return tuple(line.rstrip() for line in lines if line.strip())
    return ()


def _failures(at: Records) -> tuple[str, ...]:
    stages = [name for name, spec in at.kind.states.items() if spec.stage]
    return tuple(sentence(gap, at.kind) for gap in failed(at.current, at.kind, stages))


def _documents(at: Records) -> tuple[str, ...]:
    """The handoff, the contracts and what else the workflow names."""
    contracts = at.kind.contracts.files if at.kind.contracts else ()
    patterns = [path for contract in contracts for path in contract.paths]
    if at.kind.handoff is not None:
        patterns.extend(at.kind.handoff.reads)
    named = [at.current.path] if at.current else []
    named.extend(expand(pattern, at.item) for pattern in patterns)
    return tuple(path for path in named if at.snapshot.blob(path))


def resumption(at: Records) -> Resumption:
    # a leftover says nothing of where work stands
    at = at._replace(current=counting(at))
    spec, state = at.kind.handoff, stage_of(at)
    return Resumption(
        item=at.item,
        state=label(state, at.kind) if state else '',
        stage=_field(at, 'stage'),
        phase=_field(at, 'phase'),
        status=_field(at, 'status'),
        updated=_field(at, 'updated'),
        fields=_fields(at, spec) if spec else {},
        next_steps=_steps(at.current, spec) if spec else (),
        failures=_failures(at),
        documents=_documents(at),
        missing=missing(at),
    )
