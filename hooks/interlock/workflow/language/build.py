"""Builds the objects that checks use from the merged mapping of a workflow."""

from __future__ import annotations

import posixpath

from interlock.documents.registry.record import Shape
from interlock.model.quick_typing import Any, Iterator
from interlock.workflow.language.spec import Kind, Roots, SubjectSpec, Workflow
from interlock.workflow.language.typed_data import build_record

Data = dict[str, Any]

BASELINE = '.interlock-baseline.json'


def _shape(data: Data) -> Shape:
    entry = data.get('entry', {})
    # in a registry that has only rows, sections are prose
    only_rows = entry.get('file') or data.get('layout') == 'distributed'
    return Shape(
        columns=tuple(data['columns'].items()),
        heading=0 if only_rows else entry.get('heading', 0),
        fields=tuple(entry.get('fields', {}).items()),
        timelines=tuple(entry.get('timelines', ())),
    )


def _words(states: Data) -> Iterator[tuple[str, str]]:
    """Each word for a state, including aliases, with the state's name."""
    for name, state in states.items():
        for word in (name, *state.get('aliases', {})):
            yield word, name


def _subjects(data: Data, states: Data) -> Iterator[SubjectSpec]:
    for subject in data.get('subjects', ()):
        if isinstance(subject, dict):
            yield SubjectSpec(subject['text'], subject['state'])
        elif '{state}' in subject:
            for word, name in _words(states):
                yield SubjectSpec(subject.replace('{state}', word), name)
        else:
            yield SubjectSpec(subject, '')


def _kind(name: str, data: Data, milestones: bool) -> Kind:
    states = data['states']
    given = {
        **data,
        'name': name,
        'words': dict(_words(states)),
        'milestones': milestones,
    }
    if 'registry' in data:
        given['registry'] = {**data['registry'], 'shape': _shape(data['registry'])}
    if 'commit' in data:
        writes = dict(data['commit'].get('writes', {}))
        given['commit'] = {
            **data['commit'],
            'subjects': list(_subjects(data['commit'], states)),
            'body': writes.pop('body', ()),
            'footers': writes.pop('footers', ()),
            'agent_footers': writes.pop('agent_footers', ()),
            'writes': writes,
        }
    if data.get('protocol') is not None:
        # most workflows have no tasks
        from interlock.workflow.language.protocol import ProtocolSpec

        given['protocol'] = build_record(ProtocolSpec, data['protocol'])
    kind: Kind = build_record(Kind, given)
    return kind


def build_roots(data: Any) -> tuple[Roots, ...]:
    lines = data if isinstance(data, list) else [data]
    return tuple(build_record(Roots, line) for line in lines)


def build(data: Data, source: str, path: str) -> Workflow:
    milestones = data.get('display') == 'milestones'
    agree = {'agree': data.get('agreements')}
    items = data['items'].items()
    kinds = [_kind(name, {**kind, **agree}, milestones) for name, kind in items]
    if sum(bool(kind.registry or kind.handoff) for kind in kinds) > 1:
        kinds = [kind._replace(is_one_of_several=True) for kind in kinds]
    recorded = []
    if data.get('recorded'):
        # only workflows that have them import the module for them
        from interlock.workflow.agreements.spec import build_kind

        recorded = [build_kind(*each) for each in data['recorded'].items()]
    given = {**data, 'kinds': kinds, 'recorded': recorded}
    baseline = posixpath.join(posixpath.dirname(path), BASELINE)
    files = (path, *data.get('extended', ()), baseline)
    given |= {'source': source, 'path': path, 'baseline': baseline}
    given['governing'] = [file for file in files if file]
    workflow: Workflow = build_record(Workflow, given)
    return workflow
