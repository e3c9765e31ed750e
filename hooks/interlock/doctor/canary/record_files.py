"""Files that give the records of an item chosen values."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.model.quick_typing import Any, Iterable, Mapping, NamedTuple
from interlock.workflow.agreements.names import INSIDE, ITEM, SPLIT_RE
from interlock.workflow.agreements.readers import FENCE
from interlock.workflow.agreements.spec import (
    ABSENT,
    ALL,
    BEGUN,
    NONE,
    PRESENT,
    Record,
    RecordedKind,
)

WORD = 'canary'
TITLE = '# Canary'
DAY = '2026-01-02'
# value -> the marks of the boxes that give a file this value
TICKS: Mapping[str, str] = {ALL: 'x', BEGUN: 'x ', NONE: ''}


class RecordValue(NamedTuple):
    """The value that a record of an item should have."""

    kind: RecordedKind
    record: Record
    item: str
    number: int
    value: str
    depends: str = ''
    parent: str = ''
    # the value of one child in the item's entry
    child: str = ''
    # in a second file of the same item
    again: bool = False


class FrozenText(NamedTuple):
    """A text in a file that may be frozen."""

    path: str
    lines: tuple[str, ...]


def filled(
    pattern: str,
    kind: RecordedKind,
    number: int,
    item: str = '',
    star: str = '',
    again: bool = False,
) -> str:
    """A text that matches a pattern."""
    slug = f'{WORD}{number}'
    other = f'{slug}b' if again else slug
    parts = {
        ITEM: item,
        INSIDE: slug,
        'n': str(number),
        'nn': str(number),
        'letter': 'a',
        'suffix': '',
        'slug': other,
        'text': other,
        'date': DAY,
        '**/': '',
        '**': f'{slug}.md',
        '*': f'{star}b' if star and again else star,
        **{name: ''.join(source.default[:1]) for name, source in kind.let.items()},
    }
    return ''.join(
        piece[1:] if piece.startswith('\\') else parts.get(piece.strip('{}'), piece)
        for piece in SPLIT_RE.split(pattern)
    )


def path_of(said: RecordValue, pattern: str = '') -> str:
    pattern = pattern or said.record.files[0]
    return filled(pattern, said.kind, said.number, said.item, WORD, said.again)


def _line(said: RecordValue) -> str:
    return filled(said.record.line[0], said.kind, said.number, said.item)


class _Page:
    """A markdown file that combines the values of several records."""

    def __init__(self) -> None:
        self.front: dict[str, Any] = {}
        self.head: list[str] = []
        self.body: list[str] = []

    def text(self) -> str:
        front = f'{FENCE}\n{yaml.dump(self.front)}{FENCE}\n' if self.front else ''
        return front + '\n'.join([TITLE, '', *self.head, '', *self.body, ''])

    def add(self, said: RecordValue) -> None:
        record = said.record
        if record.read == 'frontmatter':
            self.front[record.status] = said.value
            if said.depends:
                self.front[record.depends] = [said.depends]
            if said.parent:
                self.front[record.parent] = said.parent
        elif record.read == 'field':
            self.head.append(f'{record.label}: {said.value}')
        elif record.read in ('boxes', 'heading', 'table'):
            self.body += ['', *getattr(self, f'_{record.read}')(said)]
        else:
            self.body.append(WORD)

    def _boxes(self, said: RecordValue) -> list[str]:
        record = said.record
        if record.line:
            mark = 'x' if said.value == record.ticked else ' '
            return [f'- [{mark}] {_line(said)}']
        heading = [filled(each, said.kind, said.number) for each in record.section[:1]]
        ticks = TICKS.get(said.value, ' ')
        boxes = [f'- [{mark}] {WORD} {at}' for at, mark in enumerate(ticks)]
        return [*(f'## {each}' for each in heading), *boxes]

    def _heading(self, said: RecordValue) -> list[str]:
        record = said.record
        above = '#' * max(record.level - 1, 2)
        under = [f'{above} {each}' for each in record.under[:1]]
        mark = '#' * record.level if record.level else '-'
        return [*under, f'{mark} {_line(said)}']

    def _table(self, said: RecordValue) -> list[str]:
        columns = said.record.columns
        header = [
            filled(columns[role][0], said.kind, said.number)
            for role in ('item', 'status')
        ]
        row = f'| {_line(said)} | {said.value} |'
        return [f'| {" | ".join(header)} |', '|---|---|', row]


def _entry(said: RecordValue) -> dict[str, Any]:
    record = said.record
    entry: dict[str, Any] = {record.item: said.item, record.status: said.value}
    if said.depends:
        entry[record.depends] = [said.depends]
    if said.parent:
        entry[record.parent] = said.parent
    if said.child:
        entry[record.children] = [{record.item: WORD, record.status: said.child}]
    return entry


def _add_data(data: dict[str, Any], said: RecordValue) -> dict[str, Any]:
    """The data of a file with one more entry at the record's path of keys."""
    record = said.record
    at: Any = data
    *above, last = [WORD if key in ('*', '**') else key for key in ('', *record.at[0])]
    for key in above:
        if isinstance(at, list):
            # the list belongs to another record, which contains this one
            at.append({})
            at = at[-1]
        else:
            at = at.setdefault(key, {})
    if record.item:
        listed = at.setdefault(last, [])
        if isinstance(listed, dict):
            listed[said.item] = _entry(said)
        else:
            listed.append(_entry(said))
    elif any(f'{{{ITEM}}}' in file for file in record.files):
        at[last] = said.value
    else:
        key = _line(said) if record.line else said.item
        at.setdefault(last, {})[key] = said.value
    return data


def files_of(contents: Iterable[RecordValue | FrozenText]) -> dict[str, bytes]:
    """Every file that these contents need."""
    pages: dict[str, _Page] = {}
    data: dict[str, tuple[str, dict[str, Any]]] = {}
    for each in contents:
        if isinstance(each, FrozenText):
            pages.setdefault(each.path, _Page()).body += each.lines
        elif each.value == ABSENT:
            continue
        elif each.record.read in ('json', 'jsonl', 'yaml'):
            path = path_of(each)
            read, known = data.get(path, (each.record.read, {}))
            data[path] = read, _add_data(known, each)
        elif each.value == PRESENT and each.record.read == PRESENT:
            pages.setdefault(path_of(each), _Page())
        else:
            pages.setdefault(path_of(each), _Page()).add(each)
    made = {path: page.text().encode() for path, page in pages.items()}
    return made | {path: _dumped(*each) for path, each in data.items()}


def _dumped(read: str, data: dict[str, Any]) -> bytes:
    # the empty key holds the root of the data
    found = data['']
    if read == 'jsonl':
        return ''.join(f'{json.dumps(entry)}\n' for entry in found).encode()
    # JSON is YAML
    return json.dumps(found, indent=2).encode() + b'\n'
