"""What `outline.yaml` says a handoff document consists of."""

from __future__ import annotations

import os

from interlock.documents import yaml
from interlock.model import quick_tools as functools
from interlock.model.finding import WARNING
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.workflow.language.typed_data import build_record

FILE = os.path.join(os.path.dirname(__file__), 'outline.yaml')

PARTLY = 'partly'
NEVER = 'never'


class SectionSpec(NamedTuple):
    id: str
    title: str
    starts: tuple[str, ...] = ()
    level: int = 3
    # how its absence is reported
    missing: str = WARNING
    # what a new document says; `{name}` is replaced
    text: str = ''
    beside: str = ''
    # its place in the order; two that may be exchanged share one
    rank: int = 0


class ColumnSpec(NamedTuple):
    name: str
    # the keys of a row of the state; () if it stands only in the table
    fields: tuple[str, ...] = ()
    # text, code, flag (Yes and No), number (of the row), summary
    kind: str = 'text'
    # the only words that it may hold, if it is restricted
    values: tuple[str, ...] = ()
    # what it says for null
    nothing: str = '-'


class TableSpec(NamedTuple):
    section: str
    heading: str
    # where its rows stand in the state; () if they do not
    rows: tuple[str, ...]
    key: ColumnSpec
    columns: tuple[ColumnSpec, ...]

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


class ListSpec(NamedTuple):
    """Items of a text, one for each of some rows of the state."""

    rows: tuple[str, ...]
    each: str
    # rows with one of these values are left out
    unless: Mapping[str, tuple[str, ...]] = {}
    # what stands for null
    nothing: str = '-'
    # it says that it is a gap, where the state does
    open: bool = False


class CallSpec(NamedTuple):
    """Calls of a tool in a section: a successor runs them."""

    section: str
    tool: str
    code: str
    example: str
    # it has such a call, or says that there is nothing to run
    needed: bool = False


class Marks(NamedTuple):
    """Words by which something is known in a section."""

    approved: str
    position: tuple[str, ...]
    decisions: tuple[str, ...]
    # patterns of sentences, and words in them that are not a position
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
    unfinished: tuple[str, ...]
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
    # the rules that say no, and the section that a yes requires
    codes: tuple[str, ...] = ()
    section: str = ''
    # what of the state has to be filled in
    keys: tuple[str, ...] = ()


class Outline(NamedTuple):
    version: str
    sections: Mapping[str, SectionSpec]
    lists: Mapping[str, ListSpec]
    nothing: Mapping[str, tuple[str, ...]]
    # the names of the tools: skill, read, todos
    calls: Mapping[str, str]
    runnable: tuple[CallSpec, ...]
    marks: Marks
    # words of the lines that a definition of done always has
    done: tuple[tuple[str, ...], ...]
    patterns: Mapping[str, str]
    # what to do about a subagent, by its status
    actions: Mapping[str, str]
    tables: tuple[TableSpec, ...]
    markers: Markers
    plans: Plans
    quality: tuple[Question, ...]

    @property
    def gap(self) -> str:
        """How a gap that is left on purpose begins."""
        return f'[{self.markers.gap}'

    def tables_of(self, section: str) -> list[TableSpec]:
        return [table for table in self.tables if table.section == section]


def _sections(data: list[Any]) -> dict[str, SectionSpec]:
    found: dict[str, SectionSpec] = {}
    for number, each in enumerate(data):
        spec: SectionSpec = build_record(SectionSpec, each)
        rank = found[spec.beside].rank if spec.beside else number
        found[spec.id] = spec._replace(rank=rank, starts=spec.starts or (spec.id,))
    return found


def _table(data: dict[str, Any]) -> dict[str, Any]:
    name, rows = data['key'], data.get('rows', '')
    key = {'name': name, **data['columns'][name]}
    return {**data, 'rows': rows.split('.') if rows else [], 'key': key}


def text() -> str:
    with open(FILE, encoding='UTF-8') as f:
        return f.read()


@functools.cache
def outline() -> Outline:
    data: dict[str, Any] = yaml.value(yaml.parse(text()))
    data['sections'] = _sections(data['sections'])
    data['tables'] = [*map(_table, data['tables'])]
    made: Outline = build_record(Outline, data)
    return made
