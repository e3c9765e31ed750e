"""Checks that names in agreements fit each other, which a schema cannot."""

from __future__ import annotations

from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, Iterable, Iterator, Mapping
from interlock.workflow.agreements.names import ITEM, PART_RE, PARTS, names_by_parts
from interlock.workflow.agreements.spec import (
    ABSENT,
    ALL,
    BEGUN,
    CHILDREN,
    DEPENDS,
    NONE,
    OPEN,
    PRESENT,
    UNREADABLE,
    Record,
    RecordedKind,
    build_kind,
)

BOXES = (ALL, BEGUN, OPEN, NONE)
# readers that find item names under keys
BY_KEY = ('yaml', 'json', 'jsonl')
# a path in the workflow, and what is wrong there
Wrong = tuple[tuple[str, ...], str]


def _known(name: str, known: Mapping[str, Any], what: str) -> str:
    if name in known:
        return ''
    return f'`{name}` is not a {what}{did_you_mean(name, list(known))}'


def _values(kind: RecordedKind, name: str) -> set[str] | None:
    """The values that a record can have, None if the project defines the words."""
    record = kind.records[name]
    if record.read in ('present', 'heading'):
        return {PRESENT, ABSENT}
    if record.read == 'boxes' and not record.line:
        return {*BOXES, ABSENT, UNREADABLE}
    if kind.words_from is not None:
        return None
    return {*kind.words.values(), ABSENT, UNREADABLE}


def _of_side(
    kinds: Mapping[str, RecordedKind],
    kind: RecordedKind,
    side: Mapping[str, tuple[str, ...]],
) -> Iterator[str]:
    for name, allowed in side.items():
        head, _, record = name.rpartition('.')
        owner = kind if head in ('', DEPENDS, CHILDREN) else kinds.get(head)
        if owner is None:
            yield _known(head, kinds, 'kind of item')
        elif record in owner.derive:
            continue
        elif record not in owner.records:
            yield _known(record, owner.records, f'record of {owner.name}')
        else:
            values = _values(owner, record)
            for value in allowed if values is not None else ():
                if value not in (values or ()):
                    yield (
                        f'`{value}` is not a value of `{record}`'
                        f'{did_you_mean(value, sorted(values or ()))}'
                    )


def _of_pattern(kind: RecordedKind, pattern: str) -> Iterator[str]:
    for part in PART_RE.findall(pattern):
        if part not in {ITEM, *PARTS, *kind.let}:
            yield f'`{{{part}}}` is not a part of a pattern'


def _patterns(record: Record) -> Iterator[str]:
    yield from (*record.files, *record.excluded, *record.line, *record.refs)
    yield from (*record.under, *record.section, *record.optional, record.short)
    for titles in record.columns.values():
        yield from titles


def _without_item(kind: RecordedKind, patterns: Iterable[str]) -> Iterator[str]:
    for at, pattern in enumerate(patterns):
        # the first pattern gives a missing file its name, so it needs `{item}`
        if f'{{{ITEM}}}' not in pattern and not (
            at and names_by_parts(kind.item, pattern)
        ):
            yield f'`{pattern}` does not say where the name of an item is: `{{{ITEM}}}`'


def _of_record(kind: RecordedKind, record: Record) -> Iterator[str]:
    for pattern in _patterns(record):
        yield from _of_pattern(kind, pattern)
    if record.read not in BY_KEY and not any(
        f'{{{ITEM}}}' in line for line in record.line
    ):
        yield from _without_item(kind, record.files)


def _of_kind(kinds: Mapping[str, RecordedKind], kind: RecordedKind) -> Iterator[Wrong]:
    for part in PART_RE.findall(kind.item):
        if part not in {*PARTS, *kind.let}:
            yield ('name',), f'`{{{part}}}` is not a part of a name'
    for name, record in kind.records.items():
        for message in _of_record(kind, record):
            yield ('records', name), message
    for agreement in kind.agree:
        where = ('agree',)
        for name in agreement.same:
            yield where, _known(name, kind.records, f'record of {kind.name}')
        for side in (*agreement.when, agreement.then):
            for message in _of_side(kinds, kind, side):
                yield where, f'{agreement.name}: {message}' if message else ''
    for freeze in kind.frozen:
        for pattern in freeze.files:
            for message in _of_pattern(kind, pattern):
                yield ('frozen',), message
        for message in _without_item(kind, freeze.files):
            yield ('frozen',), f'{freeze.name}: {message}'
        for side in freeze.when:
            for message in _of_side(kinds, kind, side):
                yield ('frozen',), f'{freeze.name}: {message}' if message else ''
    for name in kind.board:
        yield ('board',), _known(name, kind.records, f'record of {kind.name}')
    for agreement in kind.agree:
        if agreement.edit:
            for name in filter(None, (agreement.edit.record, agreement.edit.like)):
                message = _known(name, kind.records, f'record of {kind.name}')
                yield ('agree',), f'{agreement.name}: {message}' if message else ''
    for name, derived in kind.derive.items():
        for record_name in derived:
            yield (
                ('derive', name),
                _known(record_name, kind.records, f'record of {kind.name}'),
            )


def names(recorded: Mapping[str, Any]) -> set[str]:
    """The names of the agreements of a workflow."""
    kinds = [build_kind(name, data) for name, data in recorded.items()]
    found = {agreement.name for kind in kinds for agreement in kind.agree}
    found |= {freeze.name for kind in kinds for freeze in kind.frozen}
    records = (record for kind in kinds for record in kind.records.values())
    return found | {record.once.name for record in records if record.once}


def wrong(recorded: Mapping[str, Any]) -> Iterator[Wrong]:
    kinds = {name: build_kind(name, data) for name, data in recorded.items()}
    for name, kind in kinds.items():
        for path, message in _of_kind(kinds, kind):
            if message:
                yield ('items', name, *path), message
