"""A markdown registry: a table with one row per item, and entries.

A registry may hold ten thousand items and a commit touches one, so the file
is only indexed (where each item's row and entry stand, found by searching
bytes) and rows and entries are parsed when they are asked for.
"""
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.text import date
from interlock.documents.text import name as item_name
from interlock.documents.text import plain
from interlock.model.change import Blob
from interlock.model.errors import Unreadable


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
    line: int


class Piece(NamedTuple):
    """A row or an entry as it stands in the file."""

    offset: int
    data: bytes


class Place(NamedTuple):
    rows: tuple[Piece, ...] = ()
    entries: tuple[Piece, ...] = ()

    def same_bytes(self, other: Place) -> bool:
        return (
            [row.data for row in self.rows] == [r.data for r in other.rows] and
            [e.data for e in self.entries] == [e.data for e in other.entries]
        )


class Record(NamedTuple):
    """A row or an entry, read: what it says, and where."""

    item: str
    line: int
    values: Mapping[str, Value]
    # per timeline the dates of its lines
    timelines: tuple[tuple[Value, ...], ...] = ()

    def text(self, role: str) -> str:
        value = self.values.get(role)
        return value.text if value else ''

    def line_of(self, role: str) -> int:
        value = self.values.get(role)
        return value.line if value else self.line


class Registry:
    def __init__(self, blob: Blob, shape: Shape) -> None:
        self.shape = shape
        self.problem: Unreadable | None = None
        self.columns: dict[str, int] = {}
        self.header = b''
        self.data = b''
        self.places: dict[str, Place] = {}
        self.has_entries = False
        try:
            self._index(blob)
        except Unreadable as e:
            self.problem = e

    def _index(self, blob: Blob) -> None:
        if blob.data is None:
            raise Unreadable(f'is too large ({blob.size} bytes)')
        elif b'\0' in blob.data:
            line = markdown.line_number(blob.data, blob.data.index(b'\0'))
            raise Unreadable('holds a NUL byte', line)
        self.data = blob.data
        mask = markdown.Mask(self.data)
        rows = self._rows(mask)
        places = {name: Place(tuple(pieces)) for name, pieces in rows.items()}
        if self.shape.heading:
            for name, pieces in self._entries(mask, rows).items():
                self.has_entries = True
                place = places.get(name, Place())
                places[name] = place._replace(entries=tuple(pieces))
        self.places = places

    def _header_at(self, mask: markdown.Mask) -> int:
        columns = dict(self.shape.columns)
        wanted = columns['item'].encode()
        found = []
        at = self.data.find(wanted)
        while at >= 0:
            start = self.data.rfind(b'\n', 0, at) + 1
            end = markdown.line_end(self.data, start)
            line = self.data[start:end]
            following = self.data[end:markdown.line_end(self.data, end)]
            if (
                    b'|' in line and
                    start not in mask and
                    markdown.DELIMITER_RE.match(following)
            ):
                headers = [
                    plain(cell) for cell in
                    markdown.cells(line.decode(errors='replace'))
                ]
                if columns['item'] in headers and columns['status'] in headers:
                    found.append(start)
            at = self.data.find(wanted, end)
        both = f'`{columns["item"]}` and `{columns["status"]}`'
        if not found:
            raise Unreadable(f'has no table with the columns {both}')
        elif len(found) > 1:
            raise Unreadable(
                f'has {len(found)} tables with the columns {both}',
                markdown.line_number(self.data, found[1]),
            )
        return found[0]

    def _rows(self, mask: markdown.Mask) -> dict[str, list[Piece]]:
        start = self._header_at(mask)
        end = markdown.line_end(self.data, start)
        self.header = self.data[start:end]
        headers = [
            plain(cell) for cell in
            markdown.cells(self.header.decode(errors='replace'))
        ]
        self.columns = {
            role: headers.index(header)
            for role, header in self.shape.columns if header in headers
        }
        column = self.columns['item']
        rows: dict[str, list[Piece]] = {}
        start = markdown.line_end(self.data, end)
        while start < len(self.data):
            end = markdown.line_end(self.data, start)
            line = self.data[start:end]
            if b'|' not in line or start in mask:
                break
            row = markdown.cells(line.decode(errors='surrogateescape'))
            name = item_name(row[column]) if column < len(row) else ''
            if name:
                rows.setdefault(name, []).append(Piece(start, line))
            start = end
        return rows

    def _entries(
            self,
            mask: markdown.Mask,
            rows: Mapping[str, object],
    ) -> dict[str, list[Piece]]:
        data, level = self.data, self.shape.heading
        label = dict(self.shape.fields)['status'].lower().encode()
        starts = [
            (at, hashes == level)
            for at, hashes in _headings(data)
            if hashes <= level and at not in mask
        ]
        starts.append((len(data), False))
        entries: dict[str, list[Piece]] = {}
        for (start, ours), (end, _) in pairwise(starts):
            if not ours:
                continue
            title = data[start + level:markdown.line_end(data, start)]
            name = item_name(
                title.decode(errors='surrogateescape').rstrip(' #\r\n'),
            )
            # other sections may use the same level of heading
            if name in rows or b'**' + label in data[start:end].lower():
                piece = Piece(start, data[start:end])
                entries.setdefault(name, []).append(piece)
        return entries

    def _decode(self, piece: Piece) -> tuple[int, str]:
        line = markdown.line_number(self.data, piece.offset)
        try:
            return line, piece.data.decode()
        except UnicodeDecodeError:
            raise Unreadable('is not UTF-8 text', line) from None

    def row(self, item: str, piece: Piece) -> Record:
        line, text = self._decode(piece)
        cells = markdown.cells(text)
        values = {
            role: Value(cells[column].strip(), line)
            for role, column in self.columns.items() if column < len(cells)
        }
        return Record(item, line, values)

    def entry(self, item: str, piece: Piece) -> Record:
        line, text = self._decode(piece)
        return read_entry(item, text, self.shape, line)


def _headings(data: bytes) -> Iterator[tuple[int, int]]:
    at = 0 if data.startswith(b'#') else data.find(b'\n#') + 1 or -1
    while at >= 0:
        text = at
        while data[text:text + 1] == b'#':
            text += 1
        if data[text:text + 1] in {b' ', b'\t'}:
            yield at, text - at
        at = data.find(b'\n#', at) + 1 or -1


def read_entry(item: str, text: str, shape: Shape, line: int = 1) -> Record:
    values = {}
    for role, label in shape.fields:
        found = markdown.field(text, label)
        if found:
            values[role] = Value(found[1], line + found[0] - 1)
    return Record(item, line, values, _timelines(text, shape, line))


def _timelines(
        text: str,
        shape: Shape,
        line: int,
) -> tuple[tuple[Value, ...], ...]:
    labels = {label.lower() for label in shape.timelines}
    timelines: list[list[Value]] = []
    inside = False
    for number, content in markdown.visible_lines(text):
        stripped = content.strip()
        if plain(stripped.strip('#')).rstrip(':').lower() in labels:
            inside = True
            timelines.append([])
        elif inside and stripped.startswith(('-', '*', '+')) and (
                not stripped.startswith('**')
        ):
            day = date(stripped)
            if day:
                timelines[-1].append(Value(day, line + number - 1))
        elif stripped and not content.startswith((' ', '\t')):
            inside = False
    return tuple(tuple(timeline) for timeline in timelines)
