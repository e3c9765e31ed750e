"""A markdown registry: a table with one row per item, and entries.

A registry may hold ten thousand items and a commit touches one. So an item's
row and entry are searched for as bytes (`place`), what differs between two
registries is found by sets of lines and sections (`registry_changes.py`), and
only where every item is judged is the whole file indexed (`places`).
"""
from __future__ import annotations

import contextlib
import functools
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from itertools import pairwise
from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.record import read_entry
from interlock.documents.record import read_row
from interlock.documents.record import Record
from interlock.documents.record import Shape
from interlock.documents.text import name as item_name
from interlock.documents.text import plain
from interlock.model.change import Blob
from interlock.model.errors import Unreadable

HASHES_RE = re.compile(rb'#+[ \t]')
# so many lines are counted one by one before all of them are indexed
FEW_LINES = 20


class Piece(NamedTuple):
    """A row or an entry as it stands in the file."""

    offset: int
    data: bytes


class Place(NamedTuple):
    rows: tuple[Piece, ...] = ()
    entries: tuple[Piece, ...] = ()


class Registry:
    def __init__(self, blob: Blob, shape: Shape) -> None:
        self.shape = shape
        self.problem: Unreadable | None = None
        self.columns: dict[str, int] = {}
        self.header = b''
        self.data = b''
        self.table = markdown.Span(0, 0)
        self._newlines: list[int] | None = None
        self._counted = 0
        self._found: dict[str, Place] = {}
        try:
            self._find_table(blob)
        except Unreadable as e:
            self.problem = e
            self.data = b''

    def _find_table(self, blob: Blob) -> None:
        if blob.data is None:
            raise Unreadable(f'is too large ({blob.size} bytes)')
        elif b'\0' in blob.data:
            line = markdown.line_number(blob.data, blob.data.index(b'\0'))
            raise Unreadable('holds a NUL byte', line)
        self.data = blob.data
        self.mask = markdown.Mask(self.data)
        start = self._header_at()
        end = markdown.line_end(self.data, start)
        self.header = self.data[start:end]
        headers = _headers(self.header)
        self.columns = {
            role: headers.index(header)
            for role, header in self.shape.columns if header in headers
        }
        first = markdown.line_end(self.data, end)
        self.table = markdown.Span(first, self._table_end(first))

    def _header_at(self) -> int:
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
                    start not in self.mask and
                    markdown.is_delimiter(following) and
                    {columns['item'], columns['status']} <= {*_headers(line)}
            ):
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

    def _table_end(self, start: int) -> int:
        """Where the first line without a cell stands, or a hidden one."""
        data = self.data
        blank = data.find(b'\n\n', start)
        block = data[start:blank if blank >= 0 else len(data)]
        block = block.rstrip(b'\n')
        if block[:1] == b'|' and block.count(b'\n|') == block.count(b'\n'):
            # the usual table; looking at each of its lines takes far longer
            return min(start + len(block) + 1, len(data))
        while start < len(data):
            end = markdown.line_end(data, start)
            if b'|' not in data[start:end] or start in self.mask:
                break
            start = end
        return start

    def row_name(self, line: bytes) -> str:
        column = self.columns['item']
        cells = markdown.cells(line.decode(errors='surrogateescape'))
        return item_name(cells[column]) if column < len(cells) else ''

    def _rows(self) -> Iterator[tuple[str, Piece]]:
        start, end = self.table
        while start < end:
            stop = markdown.line_end(self.data, start)
            line = self.data[start:stop]
            name = self.row_name(line)
            if name:
                yield name, Piece(start, line)
            start = stop

    def _section_end(self, start: int) -> int:
        for at, hashes in headings(self.data, start + 1):
            if hashes <= self.shape.heading and at not in self.mask:
                return at
        return len(self.data)

    def _entry(self, start: int, end: int, is_row: bool) -> Piece | None:
        """The section there, if it is an entry: others share its level."""
        piece = Piece(start, self.data[start:end])
        if is_row:
            return piece
        label = dict(self.shape.fields).get('status', '')
        text = piece.data.decode(errors='surrogateescape')
        return piece if markdown.first_field(text, label) else None

    def _sections(self) -> Iterator[tuple[str, int, int]]:
        """Name, start and end of the sections at the level of entries."""
        level = self.shape.heading
        starts = (
            (at, hashes) for at, hashes in headings(self.data)
            if hashes <= level and at not in self.mask
        )
        for (start, hashes), (end, _) in pairwise(
                chain(starts, [(len(self.data), 0)]),
        ):
            if hashes == level:
                yield self._title(start), start, end

    def _title(self, start: int) -> str:
        end = markdown.line_end(self.data, start)
        title = self.data[start + self.shape.heading:end]
        text = title.decode(errors='surrogateescape')
        return item_name(text.rstrip(' #\r\n'))

    @functools.cached_property
    def places(self) -> dict[str, Place]:
        """Where every item stands."""
        rows: dict[str, list[Piece]] = {}
        for name, piece in self._rows():
            rows.setdefault(name, []).append(piece)
        places = {name: Place(tuple(found)) for name, found in rows.items()}
        if self.shape.heading:
            for name, start, end in self._sections():
                entry = self._entry(start, end, name in rows)
                if entry is not None:
                    place = places.get(name, Place())
                    entries = (*place.entries, entry)
                    places[name] = Place(place.rows, entries)
        return places

    def place(self, name: str) -> Place:
        """Where one item stands, without looking at the others."""
        if 'places' in self.__dict__ or not name:
            return self.places.get(name, Place())
        elif name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> Place:
        rows, headings = [], []
        whole = markdown.Span(0, len(self.data))
        for start, end in self._lines_with(name, whole):
            if self.table.start <= start < self.table.end and (
                    self.row_name(self.data[start:end]) == name
            ):
                rows.append(Piece(start, self.data[start:end]))
            if self._is_heading(start) and self._title(start) == name:
                headings.append(start)
        entries = [
            self._entry(start, self._section_end(start), bool(rows))
            for start in headings
        ]
        return Place(tuple(rows), tuple([one for one in entries if one]))

    def _lines_with(
            self,
            name: str,
            among: markdown.Span,
    ) -> Iterator[tuple[int, int]]:
        wanted = name.encode(errors='surrogateescape')
        at = self.data.find(wanted, *among)
        while at >= 0:
            start = self.data.rfind(b'\n', 0, at) + 1
            end = markdown.line_end(self.data, at)
            yield start, end
            at = self.data.find(wanted, end, among.end)

    def _is_heading(self, start: int) -> bool:
        """Whether a line starts with what is the heading of an entry."""
        level = self.shape.heading
        mark = b'#' * level
        return level > 0 and self.data.startswith(mark, start) and (
            self.data[start + level:start + level + 1] in {b' ', b'\t'} and
            start not in self.mask
        )

    @functools.cached_property
    def has_entries(self) -> bool:
        if not self.shape.heading or not self.data:
            return False
        first = self.chunks[1:2]
        if first and self._has_row(item_name(_first_line(first[0]))):
            # it tells it nearly always
            return True
        return any(
            self._entry(start, end, self._has_row(name))
            for name, start, end in self._sections()
        )

    def _has_row(self, name: str) -> bool:
        return bool(name) and any(
            self.row_name(self.data[start:end]) == name
            for start, end in self._lines_with(name, self.table)
        )

    @functools.cached_property
    def hidden(self) -> list[bytes]:
        return [self.data[start:end] for start, end in self.mask.spans]

    @functools.cached_property
    def table_lines(self) -> list[bytes]:
        return self.data[slice(*self.table)].split(b'\n')

    @functools.cached_property
    def chunks(self) -> list[bytes]:
        """The file, cut at what looks like the start of an entry."""
        if not self.shape.heading:
            return []
        heading = b'\n' + b'#' * self.shape.heading
        mark = heading + b' '
        data = bytearray(self.data)
        for span, hidden in zip(self.mask.spans, self.hidden, strict=True):
            if mark in hidden:
                # what stands behind it belongs to the heading before it
                data[slice(*span)] = hidden.replace(mark, heading + b'\0')
        table = slice(*self.table)
        if heading not in b'\n' + self.data[:table.start]:
            # it is in no entry, and its lines are compared on their own
            del data[table]
        return bytes(data).split(mark)

    def line(self, offset: int) -> int:
        self._counted += 1
        if self._counted <= FEW_LINES:
            return markdown.line_number(self.data, offset)
        elif self._newlines is None:
            self._newlines = list(_newlines(self.data))
        return bisect_left(self._newlines, offset) + 1

    def _decode(self, piece: Piece) -> str:
        try:
            return piece.data.decode()
        except UnicodeDecodeError:
            line = self.line(piece.offset)
            raise Unreadable('is not UTF-8 text', line) from None

    def _placed(self, record: Record, piece: Piece) -> Record:
        start = functools.partial(self.line, piece.offset)
        return Record(*record[:-1], start)

    def rows(self) -> Iterator[Record]:
        """Every row that can be read; what has none but an entry is not
        looked for."""
        for name, piece in self._rows():
            with contextlib.suppress(Unreadable):
                yield self.row(name, piece)

    def row(self, item: str, piece: Piece) -> Record:
        columns = tuple(self.columns.items())
        record = read_row(item, self._decode(piece), columns)
        return self._placed(record, piece)

    def entry(self, item: str, piece: Piece) -> Record:
        record = read_entry(item, self._decode(piece), self.shape)
        return self._placed(record, piece)


def _first_line(chunk: bytes) -> str:
    line = chunk.partition(b'\n')[0].decode(errors='surrogateescape')
    return line.rstrip(' #\r\n')


# the same in nearly all registries of a history
@functools.lru_cache(maxsize=16)
def _headers(line: bytes) -> list[str]:
    text = line.decode('utf-8-sig', 'replace')
    return [plain(cell) for cell in markdown.cells(text)]


def _newlines(data: bytes) -> Iterator[int]:
    at = data.find(b'\n')
    while at >= 0:
        yield at
        at = data.find(b'\n', at + 1)


def headings(data: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """Offset and level of what looks like a heading."""
    at = 0 if start == 0 and data.startswith(b'#') else (
        data.find(b'\n#', max(start - 1, 0)) + 1 or -1
    )
    while at >= 0:
        match = HASHES_RE.match(data, at)
        if match:
            yield at, match.end() - at - 1
        at = data.find(b'\n#', at) + 1 or -1
