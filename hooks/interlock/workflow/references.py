"""What a schema cannot say: names in a workflow that must fit each other."""
from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from interlock.model.near import did_you_mean
from interlock.model.rules import RULES
from interlock.workflow.load import Path
from interlock.workflow.load import Source
from interlock.workflow.spec import ANY
from interlock.workflow.spec import NOTHING
from interlock.workflow.template import MAX_PLACEHOLDERS
from interlock.workflow.template import placeholders

Problem = tuple[Path, str]
Data = dict[str, Any]

_NEEDED = {
    (): ('path', 'states'),
    ('registry',): ('file', 'columns'),
    ('registry', 'columns'): ('item', 'status'),
    ('handoff',): ('file', 'keys'),
    ('handoff', 'keys'): ('item', 'stage'),
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
    for number, word in enumerate(kind.get('contracts', {}).get('frozen', ())):
        yield ('contracts', 'frozen', number), word
    for part in ('gates', 'deliverables'):
        for word in kind.get(part, {}):
            yield (part, word), word
    subjects = kind.get('commit', {}).get('subjects', ())
    for number, subject in enumerate(subjects):
        if isinstance(subject, dict):
            yield ('commit', 'subjects', number, 'state'), subject['state']


def _patterns(kind: Data) -> Iterator[tuple[Path, str]]:
    """Every text in a kind that may hold placeholders."""
    yield ('path',), kind['path']
    registry, handoff = kind.get('registry', {}), kind.get('handoff', {})
    yield ('registry', 'notes'), registry.get('notes', '')
    yield ('registry', 'entry', 'file'), registry.get('entry', {}).get(
        'file', '',
    )
    yield ('handoff', 'file'), handoff.get('file', '')
    for number, path in enumerate(handoff.get('older', ())):
        yield ('handoff', 'older', number), path
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
    for subject in kind.get('commit', {}).get('subjects', ()):
        text = subject['text'] if isinstance(subject, dict) else subject
        yield ('commit', 'subjects'), text


def _too_many(kind: Data) -> Iterator[Problem]:
    for path, pattern in _patterns(kind):
        if placeholders(pattern) > MAX_PLACEHOLDERS:
            yield path, (
                f'`{pattern}` has more than {MAX_PLACEHOLDERS} placeholders'
            )


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
    named = [(('status_in', word), word) for word in handoff.get(
        'status_in', {},
    )]
    if 'planned' in handoff:
        named.append((('planned', 'status'), handoff['planned']['status']))
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
    keys = kind.get('handoff', {}).get('keys', {})
    if contracts and 'checksums' not in keys:
        yield ('contracts',), 'contracts need `handoff.keys.checksums`'
    for name, file in files.items():
        if not file.get('paths'):
            where: Path = ('contracts', 'files', name)
            yield where, 'the key `paths` is missing'
    for state, gate in kind.get('gates', {}).items():
        for number, word in enumerate(gate.get('contracts', ())):
            if word not in files:
                where = ('gates', state, 'contracts', number)
                yield where, _unknown(word, files, 'contract')


def _problems(kind: Data) -> Iterator[Problem]:
    # the first problem is raised: what follows relies on these keys
    yield from _missing(kind)
    for path, word in _state_names(kind):
        if word not in kind['states']:
            yield path, _unknown(word, kind['states'], 'state')
    yield from _doubles(kind['states'])
    yield from _of_handoff(kind)
    yield from _too_many(kind)
    yield from _contracts(kind)
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


def check(source: Source) -> None:
    """Raises a refusal for the first name that does not fit."""
    for code in source.data.get('severity', {}):
        if code not in RULES:
            raise source.refuse(
                ('severity', code), _unknown(code, RULES, 'rule'),
            )
    if not source.data.get('items'):
        raise source.refuse((), 'it names no items and extends no preset')
    for name, kind in source.data['items'].items():
        for path, message in _problems(kind):
            raise source.refuse(('items', name, *path), message)
