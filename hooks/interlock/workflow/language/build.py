"""From the merged mapping of a workflow to the objects the checks use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.documents.registry.record import Shape
from interlock.workflow.agreements.spec import build_kind
from interlock.workflow.language.build_protocol import build_protocol, build_roots
from interlock.workflow.language.protocol import FLAGS, LENIENT
from interlock.workflow.language.spec import (
    CommitSpec,
    ConfirmSpec,
    ContractSpec,
    ContractsSpec,
    DeliverableSpec,
    DocumentsSpec,
    FieldSpec,
    GateSpec,
    HandoffSpec,
    Kind,
    NextSpec,
    PhasesSpec,
    RegistrySpec,
    StateSpec,
    SubjectSpec,
    TransitionSpec,
    Workflow,
)

Data = dict[str, Any]


def _several(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _state(name: str, data: Data) -> StateSpec:
    return StateSpec(
        name=name,
        role=data.get('role', 'stage'),
        stage=str(data.get('stage', '')),
        emoji=data.get('emoji', ''),
        phased=data.get('phased', False),
        annotation=data.get('annotation', False),
        beside=data.get('beside', False),
        handoff=data.get('handoff', ''),
        agrees=tuple(data.get('agrees', ())),
        aliases={
            alias: emoji or '' for alias, emoji in data.get('aliases', {}).items()
        },
        timeline=data.get('timeline', ''),
        agent=data.get('agent', ''),
        becomes=data.get('becomes', ''),
        begun=tuple(data.get('begun', ())),
        agents=data.get('agents', False),
        additions=data.get('additions', False),
        entering=tuple(data.get('entering', ())),
        agents_since=data.get('agents_since', ''),
    )


def _transition(data: Data) -> TransitionSpec:
    return TransitionSpec(
        _several(data['from']),
        _several(data['to']),
        data.get('severity', ''),
        data.get('reason', ''),
        data.get('hint', ''),
        data.get('kind', ''),
        tuple(data.get('gate', ())),
    )


def _registry(data: Data) -> RegistrySpec:
    entry, begins = data.get('entry', {}), data.get('begins', {})
    file, layout = entry.get('file', ''), data.get('layout', 'auto')
    shape = Shape(
        columns=tuple(data['columns'].items()),
        # sections of a registry of rows only are prose
        heading=0 if file or layout == 'distributed' else (entry.get('heading', 0)),
        fields=tuple(entry.get('fields', {}).items()),
        timelines=tuple(entry.get('timelines', ())),
    )
    return RegistrySpec(
        data['file'],
        layout,
        shape,
        file,
        entry.get('format', 'fields'),
        data.get('notes', ''),
        entry.get('template', ''),
        tuple(data.get('types', ())),
        data.get('description', ''),
        (begins.get('described', ''), begins.get('otherwise', '')),
    )


def _field(name: str, data: Data) -> FieldSpec:
    when = data.get('exactly_when')
    return FieldSpec(
        name,
        data.get('type', 'text'),
        data.get('minimum'),
        data.get('maximum'),
        tuple(data.get('values', ())),
        data.get('planned', False),
        (when['field'], when['minimum']) if when else None,
    )


def _next(data: Data) -> NextSpec:
    return NextSpec(
        _several(data['after']),
        data.get('phases', False),
        data.get('when', {}),
        data.get('to', ''),
        data.get('in_phases', False),
        data.get('led', False),
        data['action'],
        tuple(data.get('steps', ())),
    )


def _phases(data: Data) -> PhasesSpec:
    return PhasesSpec(
        data['contract'],
        tuple(data['levels']),
        data['heading'],
        data.get('done', ''),
        data.get('when', ''),
        data.get('field', ''),
        data.get('timeline', ''),
    )


def _handoff(data: Data) -> HandoffSpec:
    planned, sections = data.get('planned'), data.get('sections', {})
    fills = data.get('fills') or {}
    return HandoffSpec(
        file=data['file'],
        older=tuple(data.get('older', ())),
        keys=data['keys'],
        aliases=data.get('aliases', {}),
        statuses=tuple(data.get('statuses', ())),
        status_from=data.get('status_from', ''),
        status_in={
            status: tuple(states)
            for status, states in data.get('status_in', {}).items()
        },
        planned=(planned['state'], planned['status']) if planned else None,
        fields=tuple(
            _field(name, field) for name, field in data.get('fields', {}).items()
        ),
        expected_sections=tuple(sections.get('expected', ())),
        sections=sections.get('roles', {}),
        writes=data.get('writes', {}),
        next=tuple(_next(line) for line in data.get('next', ())),
        phases=_phases(data['phases']) if 'phases' in data else None,
        action=data.get('action', ''),
        evidence=data.get('evidence', ''),
        failures=data.get('failures', {}),
        artifacts=data.get('artifacts', {}),
        reads=tuple(data.get('reads', ())),
        template=data.get('template', ''),
        resumes=tuple(data.get('resumes', ())),
        filled_after=_several(fills.get('after', ())),
        fills={role: tuple(lines) for role, lines in fills.get('sections', {}).items()},
    )


def _contracts(data: Data) -> ContractsSpec:
    return ContractsSpec(
        algorithm=data.get('algorithm', 'sha256'),
        frozen=tuple(data.get('frozen', ())),
        amendment=data.get('amendment', 'Contract-Amendment'),
        files=tuple(
            ContractSpec(
                name,
                tuple(file['paths']),
                tuple(file.get('drafts', ())),
                file.get('made_by', ''),
                file.get('free', False),
            )
            for name, file in data.get('files', {}).items()
        ),
    )


def _subjects(data: Sequence[Any], states: Data) -> tuple[SubjectSpec, ...]:
    subjects = []
    for subject in data:
        if isinstance(subject, dict):
            subjects.append(SubjectSpec(subject['text'], subject['state']))
        elif '{state}' in subject:
            subjects.extend(
                SubjectSpec(subject.replace('{state}', word), name)
                for name, state in states.items()
                for word in (name, *state.get('aliases', {}))
            )
        else:
            subjects.append(SubjectSpec(subject, ''))
    return tuple(subjects)


def _deliverable(data: Data) -> DeliverableSpec:
    return DeliverableSpec(tuple(data['paths']), data['must'], data.get('unless', {}))


def _confirm(data: Data) -> ConfirmSpec:
    return ConfirmSpec(
        tuple(data.get('words', ())),
        data.get('phases', False),
        data.get('always', False),
    )


def _commit(data: Data, states: Data) -> CommitSpec:
    writes = data.get('writes', {})
    return CommitSpec(
        tuple(data.get('prefixes', ())),
        _subjects(data.get('subjects', ()), states),
        tuple(data.get('words', ())),
        {key: writes[key] for key in ('stage', 'phase') if key in writes},
        tuple(writes.get('body', ())),
        tuple(writes.get('footers', ())),
        tuple(data.get('files', ())),
        data.get('by_subagents', True),
        _confirm(data['confirm']) if 'confirm' in data else None,
    )


def _kind(name: str, data: Data, milestones: bool) -> Kind:
    return Kind(
        name=name,
        path=data['path'],
        ignore=tuple(data.get('ignore', ())),
        states={state: _state(state, spec) for state, spec in data['states'].items()},
        words={
            word: state
            for state, spec in data['states'].items()
            for word in (state, *spec.get('aliases', {}))
        },
        transitions=tuple(_transition(line) for line in data.get('transitions', ())),
        registry=_registry(data['registry']) if 'registry' in data else None,
        handoff=_handoff(data['handoff']) if 'handoff' in data else None,
        contracts=(_contracts(data['contracts']) if 'contracts' in data else None),
        gates={
            state: GateSpec(
                tuple(gate.get('contracts', ())), tuple(gate.get('evidence', ()))
            )
            for state, gate in data.get('gates', {}).items()
        },
        deliverables={
            state: tuple(_deliverable(each) for each in owed)
            for state, owed in data.get('deliverables', {}).items()
        },
        commit=(_commit(data['commit'], data['states']) if 'commit' in data else None),
        milestones=milestones,
        menus=data.get('menus', {}),
        protocol=(build_protocol(data['protocol']) if 'protocol' in data else None),
        names=data.get('names', ''),
    )


def _documents(data: Data) -> DocumentsSpec:
    plans = data.get('plans', {})
    return DocumentsSpec(
        tuple(data.get('handoffs', ())),
        tuple(data.get('markdown', ())),
        plans.get('root', ''),
        tuple(plans.get('patterns', ())),
    )


def build(data: Data, source: str, path: str) -> Workflow:
    milestones = data.get('display') == 'milestones'
    return Workflow(
        tuple(_kind(name, kind, milestones) for name, kind in data['items'].items()),
        data.get('severity', {}),
        source,
        path,
        tuple(data.get('extended', ())),
        data.get('gate_trailer', ''),
        _documents(data.get('documents', {})),
        build_roots(data.get('roots', [])),
        data.get('approvals', FLAGS),
        data.get('plan', LENIENT),
        data.get('evidence', LENIENT),
        tuple(data.get('protected', ())),
        tuple(build_kind(*each) for each in data.get('recorded', {}).items()),
    )
