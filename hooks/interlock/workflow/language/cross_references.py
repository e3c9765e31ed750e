"""What a schema cannot say: names in a workflow that must fit each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from interlock.model.suggest import did_you_mean
from interlock.rules.index import RULES
from interlock.workflow.language import menus
from interlock.workflow.language.json_schema import violations
from interlock.workflow.language.load import Path, Source
from interlock.workflow.language.patterns import MAX_PLACEHOLDERS, placeholders
from interlock.workflow.language.protocol import FilesSpec, MainSpec, NumbersSpec
from interlock.workflow.language.spec import ANY, NOTHING

Problem = tuple[Path, str]
Data = dict[str, Any]

_NEEDED = {
    (): ('path', 'states'),
    ('registry',): ('file', 'columns'),
    ('registry', 'columns'): ('item', 'status'),
    ('handoff',): ('file', 'keys'),
    ('handoff', 'keys'): ('item', 'stage'),
    ('protocol',): (
        'files',
        'todo',
        'branch',
        'agent_branch',
        'keys',
        'main',
        'statuses',
        'todo_states',
        'numbers',
        'decisions',
        'scopes',
        'checkpoint',
        'errors',
        'build_success',
        'plan_words',
    ),
    ('protocol', 'files'): FilesSpec._fields,
    ('protocol', 'keys'): (
        'session',
        'task',
        'state',
        'created',
        'log',
        'agents',
        'additions',
        'checkpoint',
        'generation',
        'approvals',
        'presented',
    ),
    ('protocol', 'main'): MainSpec._fields,
    ('protocol', 'statuses'): ('done', 'error'),
    ('protocol', 'decisions'): ('approved', 'rejected'),
    ('protocol', 'scopes'): ('resolve', 'defer'),
    ('protocol', 'todo_states'): ('ready', 'blocked', 'working'),
}


def _unknown(word: Any, known: Iterable[str], what: str) -> str:
    return f'no {what} is named `{word}`{did_you_mean(str(word), known)}'


def _missing(kind: Data) -> Iterator[Problem]:
    for path, keys in _NEEDED.items():
        part: Any = kind
        for step in path:
            part = part.get(step) if isinstance(part, dict) else None
        if part is None:
            continue
        for key in keys:
            if not part.get(key):
                yield path, f'the key `{key}` is missing'


def _state_names(kind: Data) -> Iterator[tuple[Path, Any]]:
    """Every place in a kind that names one of its states."""
    for name, state in kind['states'].items():
        for number, word in enumerate(state.get('agrees', ())):
            yield ('states', name, 'agrees', number), word
        for key in ('becomes', 'agents_since'):
            if key in state:
                yield ('states', name, key), state[key]
    for number, line in enumerate(kind.get('transitions', ())):
        for end in ('from', 'to'):
            words = line[end]
            for word in [words] if isinstance(words, str) else words:
                if end == 'from' and word in (NOTHING, ANY):
                    continue
                yield ('transitions', number, end), word
    handoff = kind.get('handoff', {})
    if 'status_from' in handoff:
        yield ('handoff', 'status_from'), handoff['status_from']
    if 'planned' in handoff:
        yield ('handoff', 'planned', 'state'), handoff['planned']['state']
    for status, words in handoff.get('status_in', {}).items():
        for word in words:
            yield ('handoff', 'status_in', status), word
    for number, line in enumerate(handoff.get('next', ())):
        after = line['after']
        for word in [after] if isinstance(after, str) else after:
            yield ('handoff', 'next', number, 'after'), word
        if 'to' in line:
            yield ('handoff', 'next', number, 'to'), line['to']
    after = (handoff.get('fills') or {}).get('after', ())
    for word in [after] if isinstance(after, str) else after:
        yield ('handoff', 'fills', 'after'), word
    for number, word in enumerate(kind.get('contracts', {}).get('frozen', ())):
        yield ('contracts', 'frozen', number), word
    for part in ('gates', 'deliverables'):
        for word in kind.get(part, {}):
            yield (part, word), word
    conditions = kind.get('protocol', {}).get('conditions', {})
    for name, texts in conditions.items():
        if 'origin' in texts:
            path = ('protocol', 'conditions', name, 'origin')
            yield path, texts['origin']
    subjects = kind.get('commit', {}).get('subjects', ())
    for number, subject in enumerate(subjects):
        if isinstance(subject, dict):
            yield ('commit', 'subjects', number, 'state'), subject['state']


def _patterns(kind: Data) -> Iterator[tuple[Path, str]]:
    """Every text in a kind that may hold placeholders."""
    yield ('path',), kind['path']
    registry, handoff = kind.get('registry', {}), kind.get('handoff', {})
    yield ('registry', 'notes'), registry.get('notes', '')
    yield ('registry', 'entry', 'file'), registry.get('entry', {}).get('file', '')
    yield ('handoff', 'file'), handoff.get('file', '')
    for key in ('older', 'reads'):
        for number, path in enumerate(handoff.get(key, ())):
            yield ('handoff', key, number), path
    for name, field in handoff.get('fields', {}).items():
        for value in field.get('values', ()):
            yield ('handoff', 'fields', name, 'values'), value
    files = kind.get('contracts', {}).get('files', {})
    for name, file in files.items():
        for path in (*file.get('paths', ()), *file.get('drafts', ())):
            yield ('contracts', 'files', name), path
    for state, owed in kind.get('deliverables', {}).items():
        for each in owed:
            for path in each['paths']:
                yield ('deliverables', state), path
    commit = kind.get('commit', {})
    for number, path in enumerate(commit.get('files', ())):
        yield ('commit', 'files', number), path
    for subject in commit.get('subjects', ()):
        text = subject['text'] if isinstance(subject, dict) else subject
        yield ('commit', 'subjects'), text


def _documents(data: Data) -> Iterator[Problem]:
    yield from _too_many(
        [
            ((key, number), pattern)
            for key in ('handoffs', 'markdown')
            for number, pattern in enumerate(data.get(key, ()))
        ]
    )


def _too_many(patterns: Iterable[tuple[Path, str]]) -> Iterator[Problem]:
    for path, pattern in patterns:
        if placeholders(pattern) > MAX_PLACEHOLDERS:
            yield path, (f'`{pattern}` has more than {MAX_PLACEHOLDERS} placeholders')


def _doubles(states: Data) -> Iterator[Problem]:
    words: set[str] = set()
    stages: set[str] = set()
    for name, state in states.items():
        for word in (name, *state.get('aliases', {})):
            if word in words:
                yield ('states', name), f'the word `{word}` stands twice'
            words.add(word)
        stage = str(state.get('stage', ''))
        if stage and stage in stages:
            yield ('states', name, 'stage'), f'`{stage}` stands twice'
        stages.add(stage)


def _of_handoff(kind: Data) -> Iterator[Problem]:
    handoff = kind.get('handoff', {})
    statuses, fields = handoff.get('statuses', ()), handoff.get('fields', {})
    named = [(('status_in', word), word) for word in handoff.get('status_in', {})]
    if 'planned' in handoff:
        named.append((('planned', 'status'), handoff['planned']['status']))
    named.extend(
        (('writes', role), word) for role, word in handoff.get('writes', {}).items()
    )
    for where, word in named:
        if word not in statuses:
            yield ('handoff', *where), _unknown(word, statuses, 'status')
    for name, field in fields.items():
        other = field.get('exactly_when', {}).get('field', name)
        if other not in fields:
            path = ('handoff', 'fields', name, 'exactly_when', 'field')
            yield path, _unknown(other, fields, 'field')
    keys = handoff.get('keys', {}).values()
    for alias, key in handoff.get('aliases', {}).items():
        if key not in keys:
            yield ('handoff', 'aliases', alias), _unknown(key, keys, 'key')


def _contracts(kind: Data) -> Iterator[Problem]:
    contracts = kind.get('contracts')
    files = contracts.get('files', {}) if contracts else {}
    for name, file in files.items():
        if not file.get('paths'):
            where: Path = ('contracts', 'files', name)
            yield where, 'the key `paths` is missing'
    phases = kind.get('handoff', {}).get('phases', {})
    if contracts and phases and phases['contract'] not in files:
        where = ('handoff', 'phases', 'contract')
        yield where, _unknown(phases['contract'], files, 'contract')
    for state, gate in kind.get('gates', {}).items():
        for number, word in enumerate(gate.get('contracts', ())):
            if word not in files:
                where = ('gates', state, 'contracts', number)
                yield where, _unknown(word, files, 'contract')
        if gate.get('evidence') and not kind.get('handoff', {}).get('evidence'):
            where = ('gates', state, 'evidence')
            yield where, 'evidence needs `handoff.evidence`'


def _menus(kind: Data) -> Iterator[Problem]:
    """Of what stands here; a file is read by whoever shows its menus."""
    data = kind.get('menus')
    if not data:
        return
    for violation in violations(data, menus.LANGUAGE.schema):
        where = (*violation.path, *violation.key)
        yield ('menus', *where), violation.message
    for path, message in menus.problems(data, kind['states']):
        yield ('menus', *path), message


def _of_protocol(kind: Data) -> Iterator[Problem]:
    protocol = kind.get('protocol', {})
    if not protocol:
        return
    for name in NumbersSpec._fields:
        if name not in protocol['numbers']:
            # 0 is a number that a workflow may choose
            yield ('protocol', 'numbers'), f'the key `{name}` is missing'
    keys = protocol['keys'].values()
    for alias, key in protocol.get('aliases', {}).items():
        if key not in keys:
            yield ('protocol', 'aliases', alias), _unknown(key, keys, 'key')
    risks = protocol.get('risks', ())
    for risk in protocol.get('skips', {}):
        if risk not in risks:
            yield ('protocol', 'skips', risk), _unknown(risk, risks, 'risk')
    sections = protocol.get('sections', ())
    section = protocol.get('report_section', '')
    if section and section not in sections:
        path = ('protocol', 'report_section')
        yield path, _unknown(section, sections, 'section')


def _problems(kind: Data) -> Iterator[Problem]:
    # the first problem is raised: what follows relies on these keys
    yield from _missing(kind)
    for path, word in _state_names(kind):
        if word not in kind['states']:
            yield path, _unknown(word, kind['states'], 'state')
    yield from _doubles(kind['states'])
    yield from _of_handoff(kind)
    yield from _of_protocol(kind)
    yield from _too_many(_patterns(kind))
    yield from _contracts(kind)
    yield from _menus(kind)
    registry = kind.get('registry', {})
    entry = registry.get('entry', {})
    if (entry.get('heading') or entry.get('file')) and not (
        entry.get('fields', {}).get('status')
    ):
        path = ('registry', 'entry', 'fields')
        yield path, 'the key `status` is missing'
    if registry.get('layout') == 'monolithic' and not entry:
        path = ('registry', 'layout')
        yield path, '`monolithic` needs `registry.entry`'


def check(source: Source, agreements: Collection[str] = ()) -> None:
    """Raises a refusal for the first name that does not fit."""
    known = [*RULES, *agreements]
    for code in source.data.get('severity', {}):
        if code not in known:
            raise source.refuse(('severity', code), _unknown(code, known, 'rule'))
    items = source.data.get('items', {})
    if not items and 'version' not in source.data:
        # a project without items says that it means it
        raise source.refuse(
            (), 'it names no items, extends no preset and has no `version: 1`'
        )
    for path, message in _documents(source.data.get('documents', {})):
        raise source.refuse(('documents', *path), message)
    for name, kind in items.items():
        if 'protocol' in kind and not source.data.get('roots'):
            raise source.refuse((), 'the key `roots` is missing')
        for path, message in _problems(kind):
            raise source.refuse(('items', name, *path), message)
