"""What is wrong with the records of an item, where work on it continues, and what
comes next."""

from __future__ import annotations

from interlock.model.errors import Denied
from interlock.model.fixes import ours
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple
from interlock.operations import verify
from interlock.operations.handoff.migrate import missing, next_as_known
from interlock.project.project import SHOW, Project, UnknownItem
from interlock.report.terminal import localized
from interlock.report.text import where
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading import next_state
from interlock.workflow.reading.fix_command import toward
from interlock.workflow.reading.gates import failed, sentence
from interlock.workflow.reading.records import Records, is_null


def verdict(here: Project, at: Records, state: verify.ItemState) -> Iterator[str]:
    """The lines about a state: every finding, or one sentence."""
    for finding in state.findings:
        fix = localized(finding.fix, here.top)
        yield f'{where(finding)}: {finding.code} {finding.message}'
        yield f'    {fix.said}'
    if state.code == verify.NO_HANDOFF:
        yield f'{at.item} has no handoff'
    elif state.code == verify.STALE:
        assert at.handoff is not None and at.state is not None
        reached = at.kind.label(at.state)
        yield f'{at.item} is {reached}: {at.handoff.path} is stale'
    elif state.code == verify.MISMATCH and not state.findings:
        yield f'{at.item} has a handoff but is not registered'
    elif state.code == verify.FINE:
        yield f'{at.item}: the records are sound'


def way_on(here: Project, at: Records, state: verify.ItemState) -> str:
    """The command that comes next, whatever the verdict."""
    if state.code == verify.FINE and not at.kind.handoff:
        return SHOW if at.role == DONE else toward(at).step
    elif state.code == verify.FINE:
        return ours('menu', at.called)
    elif state.code == verify.STALE:
        return ours('verify-state', '--clean', at.called)
    elif state.code != verify.NO_HANDOFF or state.findings:
        return ours('resolve', at.called)
    elif here.has_lost_handoff(at):
        return ours('handoff', 'restore', at.called)
    elif at.role == DONE:
        # there is no work to hand over
        return ours('menu', at.called)
    return ours('handoff', 'create', at.called)


def known_item(here: Project, name: str) -> Records:
    """As `Project.item`, but an unknown item has no handoff: exit 1, not 2."""
    try:
        return here.item(name)
    except UnknownItem as e:
        raise Denied(e.message, e.hint, meant=e.meant) from None


class Resumption(NamedTuple):
    item: str
    # as reports name it, '' where the item is nowhere
    state: str
    stage: str
    phase: str
    status: str
    updated: str
    # the scores and the other fields that the workflow asks of a handoff
    fields: Mapping[str, str]
    next_steps: tuple[str, ...]
    # the recorded failures, each a sentence
    failures: tuple[str, ...]
    # files that exist, from the top of the project
    documents: tuple[str, ...]
    # what a current handoff has and this one lacks
    missing: tuple[str, ...]


def _field(at: Records, role: str) -> str:
    node = at.handoff_field(role)
    return '' if node is None or is_null(node) else node.text


def _fields(at: Records) -> dict[str, str]:
    spec, values = at.kind.handoff, at.handoff_values
    action = next_as_known(at).action if spec else next_state.NONE
    if spec.action and action != next_state.NONE:
        # an old handoff does not say what comes next; the workflow does
        values.setdefault(spec.action, action)
    names = [field.name for field in spec.fields]
    return {name: values[name] for name in names if name in values}


def _documents(at: Records) -> tuple[str, ...]:
    """The handoff, the contracts and the other documents that the workflow names."""
    contracts = at.kind.contracts.files
    patterns = [path for contract in contracts for path in contract.paths]
    patterns += at.kind.handoff.reads
    named = [at.current.path] if at.current else []
    named += [expand(pattern, at.item) for pattern in patterns]
    return tuple(path for path in named if at.snapshot.blob(path))


def resumption(at: Records) -> Resumption:
    # a leftover handoff says nothing about where work stands
    at = at._replace(current=at.active_handoff)
    kind, state = at.kind, at.stage
    steps = at.section_lines('steps')
    stages = [name for name, spec in kind.states.items() if spec.stage]
    failures = failed(at.current, kind, stages)
    return Resumption(
        item=at.item,
        state=kind.label(state, ''),
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
