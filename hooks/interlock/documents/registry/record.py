"""A row or an entry of a registry: its values and their lines."""

from __future__ import annotations

from interlock.documents import markdown
from interlock.documents.text import date, plain
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Callable, Iterable, Mapping, NamedTuple

# contents of a cell that count as empty
EMPTY = {'', '-', '–', '—', 'n/a', 'tbd'}


class Shape(NamedTuple):
    """How a workflow's registry is laid out."""

    # role (item, status, version, updated) -> header of its column
    columns: tuple[tuple[str, str], ...]
    # 0: this file holds no entries
    heading: int
    # role -> label of the field in an entry
    fields: tuple[tuple[str, str], ...]
    timelines: tuple[str, ...]


class Value(NamedTuple):
    text: str
    # the line in the record, whose first line is 1
    line: int


def _one() -> int:
    return 1


class Record(NamedTuple):
    item: str
    values: Mapping[str, Value]
    # the dates in each timeline
    timelines: tuple[tuple[Value, ...], ...] = ()
    # statuses below the first one
    again: tuple[Value, ...] = ()
    # the line on which it starts; counting lines is slow, and seldom needed
    start: Callable[[], int] = _one

    @property
    def line(self) -> int:
        return self.start()

    def text(self, role: str) -> str:
        value = self.values.get(role)
        return value.text if value else ''

    def compared(self, role: str) -> str:
        """A value for comparison: '' for an empty one, and the day of a date."""
        text = plain(self.text(role))
        if text.lower() in EMPTY:
            return ''
        return (date(text) if role == 'updated' else '') or text

    def line_at(self, value: Value) -> int:
        return self.line + value.line - 1

    def line_of(self, role: str) -> int:
        value = self.values.get(role)
        return self.line_at(value) if value else self.line


def cell_text(cell: str) -> str:
    return cell.strip().replace('\\|', '|')


# most rows and entries stay the same in the next version of a registry
@functools.lru_cache(maxsize=1024)
def read_row(item: str, text: str, columns: tuple[tuple[str, int], ...]) -> Record:
    cells = markdown.cells(text)
    values = {
        role: Value(cell_text(cells[column]), 1)
        for role, column in columns
        if column < len(cells)
    }
    return Record(item, values, (), (), _one)


@functools.lru_cache(maxsize=1024)
def read_entry(item: str, text: str, shape: Shape) -> Record:
    lines = list(markdown.visible_lines(text))
    found = markdown.fields(lines)
    values = {}
    for role, label in shape.fields:
        if label.lower() in found:
            number, value = found[label.lower()][0]
            values[role] = Value(value, number)
    status = dict(shape.fields).get('status', '').lower()
    again = tuple(Value(value, number) for number, value in found.get(status, ())[1:])
    timelines = tuple(
        tuple(Value(day, number) for number, text in found[1:] if (day := date(text)))
        for found in timeline_lines(lines, shape)
    )
    return Record(item, values, timelines, again)


# many registries share lines
@functools.lru_cache(maxsize=1024)
def _label(line: str) -> str:
    return plain(line.strip('#')).rstrip(':').lower()


def timeline_lines(
    lines: Iterable[tuple[int, str]], shape: Shape
) -> list[list[tuple[int, str]]]:
    """The lines of each timeline, starting with its label."""
    labels = {label.lower() for label in shape.timelines}
    timelines: list[list[tuple[int, str]]] = []
    inside = False
    for number, content in lines:
        stripped = content.strip()
        if not stripped:
            continue
        elif _label(stripped) in labels:
            inside = True
            timelines.append([(number, stripped)])
        elif inside:
            is_item = stripped.startswith(('-', '*', '+')) and stripped[:2] != '**'
            # an item, or the continuation of an item
            inside = is_item or content.startswith((' ', '\t'))
            if inside:
                timelines[-1].append((number, stripped if is_item else ''))
    return timelines
