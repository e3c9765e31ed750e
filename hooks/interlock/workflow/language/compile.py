"""Compiles the text of a workflow file and validates the whole of it."""

from __future__ import annotations

from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, Iterable, Iterator
from interlock.rules.index import RULES
from interlock.workflow.agreements.references import names, wrong
from interlock.workflow.language import menu_files
from interlock.workflow.language.json_schema import violations
from interlock.workflow.language.load import Path, Source, key_rules, load, validate
from interlock.workflow.language.patterns import MAX_PLACEHOLDERS, placeholders
from interlock.workflow.language.presets import Reader, is_preset
from interlock.workflow.language.spec import ANY, NOTHING

# the path of a mistake, and a description
Mistake = tuple[Path, str]
Data = dict[str, Any]

# the schema for a workflow after merging
MERGED = 'merged-workflow.schema.json'
EACH = '*'


def _named(data: Any, place: str, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values at a place, each with its path."""
    key, _, rest = place.partition('.')
    if not place:
        if isinstance(data, dict):
            yield from (((*path, name), name) for name in data)
        else:
            yield from ((path, each) for each in _several(data))
    elif key == EACH and isinstance(data, list):
        for number, value in enumerate(data):
            yield from _named(value, rest, (*path, number))
    elif isinstance(data, dict):
        for name in data if key == EACH else {key} & set(data):
            yield from _named(data[name], rest, (*path, name))


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _unknown(
    used: Iterable[tuple[Path, Any]], known: Iterable[str], what: str
) -> Iterator[Mistake]:
    known = list(known)
    for path, word in used:
        if word not in known:
            yield path, f'no {what} is named `{word}`{did_you_mean(str(word), known)}'


def _references(kind: Data) -> Iterator[Mistake]:
    for each in key_rules()['references']:
        known = [word for _, word in _named(kind, each['defined'])]
        for place in each['used']:
            yield from _unknown(_named(kind, place), known, each['what'])
    origins = _named(kind, 'transitions.*.from')
    yield from _unknown(origins, [*kind['states'], NOTHING, ANY], 'state')
    if kind.get('contracts'):
        files = kind['contracts'].get('files', {})
        yield from _unknown(_named(kind, 'handoff.phases.contract'), files, 'contract')


def _crowded(data: Data, places: Iterable[str]) -> Iterator[Mistake]:
    """Find patterns with more placeholders than can be matched quickly."""
    for place in places:
        for path, pattern in _named(data, place):
            if isinstance(pattern, str) and placeholders(pattern) > MAX_PLACEHOLDERS:
                yield path, f'`{pattern}` has more than {MAX_PLACEHOLDERS} placeholders'


def _unplaced(kind: Data) -> Iterator[Mistake]:
    """Find contract paths with `*`: a contract is exactly one file of an item."""
    for path, pattern in _named(kind, 'contracts.files.*.paths.*'):
        if isinstance(pattern, str) and '*' in pattern:
            yield (
                path,
                f'`{pattern}` does not name a single file: write its name with {{item}}, or '
                f'use `records` and `frozen` (interlock config explain items.NAME.frozen)',
            )


def _repeated(states: Data) -> Iterator[Mistake]:
    words: set[str] = set()
    stages: set[str] = set()
    for name, state in states.items():
        for word in (name, *state.get('aliases', {})):
            if word in words:
                yield ('states', name), f'the word `{word}` occurs twice'
            words.add(word)
        stage = str(state.get('stage', ''))
        if stage and stage in stages:
            yield ('states', name, 'stage'), f'`{stage}` occurs twice'
        stages.add(stage)


def _incomplete(kind: Data) -> Iterator[Mistake]:
    """Find keys that need another key which is missing."""
    registry = kind.get('registry', {})
    entry = registry.get('entry', {})
    if (entry.get('heading') or entry.get('file')) and not (
        entry.get('fields', {}).get('status')
    ):
        yield ('registry', 'entry', 'fields'), 'the key `status` is missing'
    if registry.get('layout') == 'monolithic' and not entry:
        yield ('registry', 'layout'), '`monolithic` needs `registry.entry`'
    for state, gate in kind.get('gates', {}).items():
        if gate.get('evidence') and not kind.get('handoff', {}).get('evidence'):
            yield ('gates', state, 'evidence'), 'evidence needs `handoff.evidence`'


def _menus(kind: Data) -> Iterator[Mistake]:
    """Check menus written in the workflow; a menu file is read when it is shown."""
    data = kind.get('menus')
    if not data:
        return
    for each in violations(data, menu_files.LANGUAGE.schema):
        yield ('menus', *each.place), each.message
    for path, message in menu_files.mistakes(data, kind['states']):
        yield ('menus', *path), message


def _mistakes(data: Data, agreements: Iterable[str]) -> Iterator[Mistake]:
    severities = ((('severity', code), code) for code in data.get('severity', {}))
    yield from _unknown(severities, [*RULES, *agreements], 'rule')
    items = data.get('items', {})
    if not items and 'version' not in data:
        # a project without items must say that it means it
        yield (), 'it does not name items, extend a preset or have `version: 1`'
    yield from _crowded(data, ('documents.handoffs.*', 'documents.markdown.*'))
    for name, kind in items.items():
        if 'protocol' in kind and not data.get('roots'):
            yield (), 'the key `roots` is missing'
        for check in (_references, _incomplete, _unplaced, _menus):
            yield from ((('items', name, *path), text) for path, text in check(kind))
        for path, text in (
            *_repeated(kind['states']),
            *_crowded(kind, key_rules()['patterns']),
        ):
            yield ('items', name, *path), text


def _check(source: Source, agreements: Iterable[str]) -> None:
    """Raise a refusal for the first name that does not fit."""
    # the code below relies on the keys that this schema requires
    validate(source.data, source, MERGED)
    for path, message in _mistakes(source.data, agreements):
        raise source.refuse(path, message)


def _expand_any_target(kind: Data) -> None:
    """Replace `to: any` by all states, so that no other code must know the word."""
    states = kind.get('states', {})
    for line in kind.get('transitions', ()):
        if line['to'] == ANY and ANY not in states:
            line['to'] = list(states)


def compile_workflow(
    name: str, data: bytes, reader: Reader
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The merged workflow, and every file that went into it."""
    source = load(name, data, reader)
    items = source.data.get('items', {})
    recorded = {name: kind for name, kind in items.items() if 'records' in kind}
    for name in recorded:
        del items[name]
    for path, message in wrong(recorded):
        raise source.refuse(path, message)
    for kind in items.values():
        _expand_any_target(kind)
    _check(source, names(recorded))
    extended = [file for file in source.files if not is_preset(file)]
    # a project without items may have handoff documents and saved states
    merged = {
        'items': {},
        **source.data,
        'recorded': recorded,
        'agreements': key_rules()['agreements'],
        'extended': extended[1:],
    }
    return merged, source.files
