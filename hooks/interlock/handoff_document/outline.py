"""The parts of a handoff document, as `outline.yaml` defines them."""

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
# the word for an empty list
NONE = 'NONE'
# forms of lists
BULLETS = 'bullets'
CODE = 'code'
ROWS = 'rows'


class SectionSpec(NamedTuple):
    id: str
    title: str
    starts: tuple[str, ...] = ()
    level: int = 3
    # how its absence is reported
    missing: str = WARNING
    # its text in a new document; `{name}` is replaced
    text: str = ''
    # its text instead, if these lists of the state have no items
    lists: tuple[str, ...] = ()
    otherwise: str = NONE
    beside: str = ''
    # its place in the order; two sections that may be exchanged share one
    rank: int = 0


class ColumnSpec(NamedTuple):
    name: str
    # the keys of a row in the state; () if only the table has it
    fields: tuple[str, ...] = ()
    # text, code, flag (Yes and No), number (of the row), summary
    kind: str = 'text'
    # the only words that it may hold, if restricted
    values: tuple[str, ...] = ()
    # the text for null
    nothing: str = '-'


class TableSpec(NamedTuple):
    section: str
    heading: str
    # the path of its rows in the state; () if they are not there
    rows: tuple[str, ...]
    key: ColumnSpec
    columns: tuple[ColumnSpec, ...]

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


class ListSpec(NamedTuple):
    """A list in a text, with one item for each of some rows of the state."""

    rows: tuple[str, ...]
    each: str
    # leave out rows with one of these values, and rows without this key
    unless: Mapping[str, tuple[str, ...]] = {}
    having: str = ''
    # the text for null
    nothing: str = '-'
    # the text without items; `open`: a gap, if the state has one there
    none: str = NONE
    open: bool = False
    # bullets, code, lines, or the rows of a table below its head
    form: str = BULLETS
    head: str = ''
    language: str = ''
    between: str = '\n'


class CallSpec(NamedTuple):
    """Calls of a tool in a section, which a successor runs."""

    section: str
    tool: str
    code: str
    example: str
    # the section must have such a call, or say that there is nothing to run
    needed: bool = False


class Marks(NamedTuple):
    """Words that identify something in a section."""

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
    """Where plans are searched for, and their names in a project."""

    root: str
    patterns: tuple[str, ...]


class Question(NamedTuple):
    line: int
    question: str
    decided: str
    # the rules that answer no, and the section that a yes requires
    codes: tuple[str, ...] = ()
    section: str = ''
    # the keys of the state that must be filled in
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
    # words of the lines that every definition of done has
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
        """How a gap begins that was left on purpose."""
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
