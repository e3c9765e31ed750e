"""What `outline.yaml` says a handoff document consists of."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from interlock.documents import yaml
from interlock.model.finding import WARNING

FILE = os.path.join(os.path.dirname(__file__), 'outline.yaml')

PARTLY = 'partly'
NEVER = 'never'


class SectionSpec(NamedTuple):
    id: str
    title: str
    starts: tuple[str, ...]
    level: int
    # how its absence is reported
    missing: str
    # '' where it says something else in each document
    text: str
    # its place in the order; two that may be exchanged share one
    rank: int


class ColumnSpec(NamedTuple):
    name: str
    # what it is made of in a row of the state; () if it stands only here
    fields: tuple[str, ...]
    # text, code, flag (Yes and No), number (of the row), summary
    kind: str
    # the only words that may stand in it, if it is restricted
    values: tuple[str, ...]
    # what it says for a value that is null
    nothing: str


class TableSpec(NamedTuple):
    section: str
    heading: str
    # where its rows stand in the state; () if they do not
    rows: tuple[str, ...]
    key: str
    columns: tuple[ColumnSpec, ...]

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> ColumnSpec:
        return next(each for each in self.columns if each.name == name)


class Marks(NamedTuple):
    """Words by which something is known in a section."""

    approved: str
    position: tuple[str, ...]
    decisions: tuple[str, ...]
    # patterns of sentences, and words that are no position in them
    prose: tuple[str, ...]
    vague: tuple[str, ...]
    field: str
    todos: tuple[str, ...]
    implicit: tuple[str, ...]
    discrepancies: tuple[str, ...]
    result: str
    expected: str


class Markers(NamedTuple):
    words: tuple[str, ...]
    endings: tuple[str, ...]
    unfinished: frozenset[str]
    genuine: tuple[str, ...]
    filled: tuple[str, ...]
    gap: str


class Plans(NamedTuple):
    """Where plans are looked for, and how they are named in a project."""

    root: str
    patterns: tuple[str, ...]


class Question(NamedTuple):
    line: int
    question: str
    decided: str
    # the rules that say no, and the section without which nobody says yes
    codes: tuple[str, ...]
    section: str
    # what has to be filled in of the state
    keys: tuple[str, ...]


class Outline(NamedTuple):
    version: str
    sections: Mapping[str, SectionSpec]
    nothing: Mapping[str, tuple[str, ...]]
    # what the tools are called: skill, read, todos
    calls: Mapping[str, str]
    marks: Marks
    # the lines of a definition of done that are never left out, as words
    done: tuple[tuple[str, ...], ...]
    patterns: Mapping[str, str]
    # what to do about a subagent, by its status
    actions: Mapping[str, str]
    tables: tuple[TableSpec, ...]
    markers: Markers
    plans: Plans
    quality: tuple[Question, ...]

    def tables_of(self, section: str) -> list[TableSpec]:
        return [table for table in self.tables if table.section == section]


def _sections(data: list[Any]) -> dict[str, SectionSpec]:
    found: dict[str, SectionSpec] = {}
    for number, each in enumerate(data):
        beside = found.get(each.get('beside', ''))
        found[each['id']] = SectionSpec(
            each['id'],
            each['title'],
            tuple(each.get('starts', (each['id'],))),
            each.get('level', 3),
            each.get('missing', WARNING),
            each.get('text', ''),
            beside.rank if beside else number,
        )
    return found


def _column(name: str, data: Mapping[str, Any]) -> ColumnSpec:
    return ColumnSpec(
        name,
        tuple(data.get('fields', ())),
        data.get('kind', 'text'),
        tuple(data.get('values', ())),
        data.get('nothing', '-'),
    )


def _table(data: Mapping[str, Any]) -> TableSpec:
    rows = data.get('rows', '')
    return TableSpec(
        data['section'],
        data.get('heading', ''),
        tuple(rows.split('.')) if rows else (),
        data['key'],
        tuple(_column(*each) for each in data['columns'].items()),
    )


def _marks(data: Mapping[str, Any]) -> Marks:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
    }
    return Marks(**values)


def _nothing(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    anywhere = tuple(data['any'])
    return {key: (value,) if key != 'any' else anywhere for key, value in data.items()}


def build(data: Mapping[str, Any]) -> Outline:
    return Outline(
        data['version'],
        _sections(data['sections']),
        _nothing(data['nothing']),
        data['calls'],
        _marks(data['marks']),
        tuple(tuple(words) for words in data['done']),
        data['patterns'],
        data['actions'],
        tuple(_table(each) for each in data['tables']),
        Markers(
            tuple(data['markers']['words']),
            tuple(data['markers']['endings']),
            frozenset(data['markers']['unfinished']),
            tuple(data['markers']['genuine']),
            tuple(data['markers']['filled']),
            data['markers']['gap'],
        ),
        Plans(data['plans']['root'], tuple(data['plans']['patterns'])),
        tuple(
            Question(
                each['line'],
                each['question'],
                each['decided'],
                tuple(each.get('codes', ())),
                each.get('section', ''),
                tuple(each.get('keys', ())),
            )
            for each in data['quality']
        ),
    )


def text() -> str:
    with open(FILE, encoding='UTF-8') as f:
        return f.read()


@functools.cache
def outline() -> Outline:
    return build(yaml.value(yaml.parse(text())))
