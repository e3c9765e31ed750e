"""A markdown registry: tables with one row per item, and entries.

A registry may hold ten thousand items, and a commit touches one. So an item's row
and entry are searched for as bytes (`place`). The difference between two registries
is found by sets of lines and sections (`diff.py`). The whole file is indexed
(`places`) only where every item is judged.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import chain, pairwise

from interlock.documents import markdown
from interlock.documents.registry.record import (
    Record,
    Shape,
    cell_text,
    read_entry,
    read_row,
)
from interlock.documents.text import BOM, content, encoding_of, plain, shown
from interlock.documents.text import name as item_name
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import (
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)

HEADING_RE = re.compile(rb' {0,3}(#+)[ \t]')
NEWLINE_RE = re.compile(rb'\n')
LINK = b']('
# how many lines are counted one by one before all are indexed
FEW_LINES = 20


class Piece(NamedTuple):
    """The bytes of a row or an entry, and where they are in the file."""

    offset: int
    data: bytes


class ItemPieces(NamedTuple):
    rows: tuple[Piece, ...] = ()
    entries: tuple[Piece, ...] = ()


class RegistryTable(NamedTuple):
    header: bytes
    # role -> column number
    columns: dict[str, int]
    # where its rows are
    rows: markdown.Span


NO_TABLE = RegistryTable(b'', {}, markdown.Span(0, 0))


class Registry:
    def __init__(self, blob: Blob, shape: Shape) -> None:
        self.shape = shape
        self.problem: Unreadable | None = None
        self.data = b''
        # every table with the workflow's columns
        self.tables: list[RegistryTable] = []
        self._newlines: list[int] | None = None
        self._counted = 0
        self._found: dict[str, ItemPieces] = {}
        try:
            self._find_tables(blob)
        except Unreadable as e:
            self.problem = e
            self.data = b''
            self.tables = []
        # a name may contain a link
        links = markdown.find_rare(self.data, LINK, 0) >= 0
        self._has_links = links and self._is_link_in_name()

    @property
    def table(self) -> RegistryTable:
        """The first table, which gets new rows."""
        return self.tables[0] if self.tables else NO_TABLE

    def table_at(self, offset: int) -> RegistryTable | None:
        """The table with a row at an offset."""
        for table in self.tables:
            if table.rows.start <= offset < table.rows.end:
                return table
        return None

    def _find_tables(self, blob: Blob) -> None:
        self.data = content(blob)
        self.mask = markdown.Mask(self.data)
        markdown.refuse_conflict(self.data, self.mask)
        ends = {}
        for start in self._headers_at():
            self.tables.extend(self._parts(start))
            ends[start] = self.tables[-1].rows.end
        self._refuse_lost_rows(ends)

    def _parts(self, start: int) -> Iterator[RegistryTable]:
        """The parts of a table, several if comments are between its rows."""
        end = markdown.line_end(self.data, start)
        header = self.data[start:end]
        headers = _headers(header)
        named = dict(self.shape.columns)
        for title in (named['item'], named['status']):
            if headers.count(title) > 1:
                raise Unreadable(
                    f'has {headers.count(title)} columns `{title}`',
                    markdown.line_number(self.data, start),
                )
        columns = {
            role: headers.index(title)
            for role, title in self.shape.columns
            if title in headers
        }
        first = markdown.line_end(self.data, end)
        for rows in self._row_spans(first):
            yield RegistryTable(header, columns, rows)

    def _headers_at(self) -> list[int]:
        columns = dict(self.shape.columns)
        item, status = columns['item'], columns['status']
        found = []
        for start, end in self._lines_with(item, markdown.Span(0, len(self.data))):
            line = self.data[start:end]
            following = self.data[end : markdown.line_end(self.data, end)]
            if (
                b'|' in line
                and start not in self.mask
                and markdown.is_delimiter(following)
                and {item, status} <= {*_headers(line)}
            ):
                found.append(start)
            elif (
                # prose may have pipes, but not a table header with rows below it
                following.count(b'|') == line.count(b'|') > 0
                and start not in self.mask
                and b'|' not in self._line_above(start)
                and {item, status} <= {*_headers(line)}
            ):
                raise Unreadable(
                    f'has a header without the line `|{"---|" * len(_headers(line))}` '
                    f'below it, so its rows do not count',
                    markdown.line_number(self.data, start),
                )
        if not found:
            at, others = self._other_columns({item, status})
            raise Unreadable(
                f'has no table with the columns `{item}` and `{status}`{others}', at
            )
        return found

    def _line_above(self, start: int) -> bytes:
        end = max(start - 1, 0)
        return self.data[self.data.rfind(b'\n', 0, end) + 1 : end]

    def _other_columns(self, wanted: set[str]) -> tuple[int, str]:
        """The line and the columns of the table that was most likely meant."""
        found = []
        start = 0
        while start < len(self.data):
            end = markdown.line_end(self.data, start)
            following = self.data[end : markdown.line_end(self.data, end)]
            if start not in self.mask and markdown.is_delimiter(following):
                headers = [*filter(None, _headers(self.data[start:end]))]
                found.append((len(wanted & {*headers}), -start, headers))
            start = end
        _, start, headers = max(found, default=(0, 0, []))
        if not headers:
            return 1, ''
        named = ', '.join(f'`{shown(header)}`' for header in headers)
        return markdown.line_number(self.data, -start), f'; this one has {named}'

    def _row_spans(self, start: int) -> Iterator[markdown.Span]:
        """Where rows are: neither blank lines nor comments end a table."""
        end = self._block_end(start)
        while True:
            following, is_commented = self._following_rows(end)
            if following < 0:
                break
            elif is_commented:
                yield markdown.Span(start, end)
                start = following
            end = self._block_end(following)
        yield markdown.Span(start, end)

    def _following_rows(self, start: int) -> tuple[int, bool]:
        """Where rows continue, -1 if nowhere, and whether a comment is between."""
        data, at, is_commented = self.data, start, False
        while at < len(data):
            end = markdown.line_end(data, at)
            span = self.mask.span(at)
            if span is not None and markdown.is_comment(data, span):
                at, is_commented = markdown.line_end(data, span.end), True
            elif data[at:end].strip():
                break
            else:
                at = end
        end = markdown.line_end(data, at)
        is_row = at > start and data[at:end].strip().startswith(b'|')
        following = data[end : markdown.line_end(data, end)]
        # a line above dashes is the header of another table
        goes_on = (
            is_row and at not in self.mask and not markdown.is_delimiter(following)
        )
        return (at, is_commented) if goes_on else (-1, False)

    def _refuse_lost_rows(self, ends: Mapping[int, int]) -> None:
        """Refuse rows after a line that ends their table: they would belong to no item.

        `ends` has the end of each table by the start of its header.
        """
        widths = {len(_headers(table.header)) for table in self.tables}
        # the end of the last table, if it is one of the workflow's
        ended = -1
        at = 0 if self.data.startswith(b'|') else self._next_row(0)
        while at >= 0:
            table, span = self.table_at(at), self.mask.span(at)
            if at in ends or table:
                end = ended = table.rows.end if table else ends[at]
            elif span is not None:
                end = span.end
            else:
                end = markdown.line_end(self.data, at)
                below = self.data[end : markdown.line_end(self.data, end)]
                cells = markdown.cells(_text(self.data[at:end]))
                if markdown.is_delimiter(below):
                    *_, (_, end) = self._row_spans(end + len(below))
                    ended = -1
                elif ended >= 0 and len(cells) in widths:
                    raise self._lost_rows(ended, at)
            at = self._next_row(end)

    def _lost_rows(self, ended: int, at: int) -> Unreadable:
        while not self.data[ended : markdown.line_end(self.data, ended)].strip():
            ended = markdown.line_end(self.data, ended)
        line = self.data[ended : markdown.line_end(self.data, ended)]
        return Unreadable(
            f'has a row in line {markdown.line_number(self.data, at)} that is not in '
            f'a table, because `{shown(_text(line).strip())}` ends the table above it',
            markdown.line_number(self.data, ended),
        )

    def _next_row(self, start: int) -> int:
        # few pipes follow the tables, and one byte is found far faster
        pipe = self.data.find(b'|', start)
        return self.data.find(b'\n|', pipe - 1) + 1 or -1 if pipe > 0 else pipe

    def _block_end(self, start: int) -> int:
        """The offset of the first line that has no cell or is hidden."""
        data = self.data
        blank = data.find(b'\n\n', start)
        block = data[start : blank if blank >= 0 else len(data)]
        block = block.rstrip(b'\n')
        if block[:1] == b'|' and block.count(b'\n|') == block.count(b'\n'):
            # the usual table; looking at each line takes far longer
            return min(start + len(block) + 1, len(data))
        while start < len(data):
            end = markdown.line_end(data, start)
            if b'|' not in data[start:end] or start in self.mask:
                break
            start = end
        return start

    def names_in(self, line: bytes) -> set[str]:
        """The items that a line may be a row of, in any table."""
        return {_row_name(line, table) for table in self.tables} - {''}

    def _rows_of(self, table: RegistryTable) -> Iterator[tuple[str, Piece]]:
        start, end = table.rows
        while start < end:
            stop = markdown.line_end(self.data, start)
            line = self.data[start:stop]
            name = _row_name(line, table)
            if name:
                yield name, Piece(start, line)
            start = stop

    def _section_end(self, start: int) -> int:
        for at, hashes in headings(self.data, start + 1):
            if hashes <= self.shape.heading and at not in self.mask:
                return at
        return len(self.data)

    def _entry(self, start: int, end: int, is_row: bool) -> Piece | None:
        """The section, if it is an entry: other sections have the same level."""
        piece = Piece(start, self.data[start:end])
        if is_row:
            return piece
        label = dict(self.shape.fields).get('status', '')
        text = piece.data.decode(errors='surrogateescape')
        return piece if markdown.first_field(text, label) else None

    def _sections(self) -> Iterator[tuple[str, int, int]]:
        """Name, start and end of the sections at the entries' level."""
        level = self.shape.heading
        starts = (
            (at, hashes)
            for at, hashes in headings(self.data)
            if hashes <= level and at not in self.mask
        )
        for (start, hashes), (end, _) in pairwise(chain(starts, [(len(self.data), 0)])):
            if hashes == level:
                yield self._title(start), start, end

    def _title(self, start: int) -> str:
        return title_of(self.data[start : markdown.line_end(self.data, start)])

    @functools.cached_property
    def places(self) -> dict[str, ItemPieces]:
        """Where every item is."""
        rows: dict[str, list[Piece]] = {}
        for table in self.tables:
            for name, piece in self._rows_of(table):
                rows.setdefault(name, []).append(piece)
        places = {name: ItemPieces(tuple(found)) for name, found in rows.items()}
        for name, start, end in self._sections() if self.shape.heading else ():
            entry = self._entry(start, end, name in rows)
            if entry is not None:
                place = places.get(name, ItemPieces())
                places[name] = ItemPieces(place.rows, (*place.entries, entry))
        return places

    def place(self, name: str) -> ItemPieces:
        """Where one item is, without looking at the others."""
        if 'places' in self.__dict__ or not name or self._has_links:
            return self.places.get(name, ItemPieces())
        elif name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def holding(self, names: Iterable[str]) -> set[str]:
        """The names that have a row or an entry."""
        return {name for name in names if any(self.place(name))}

    def _is_link_in_name(self) -> bool:
        return any(self.data.find(LINK, *table.rows) >= 0 for table in self.tables) or (
            any(
                LINK in self.data[at : markdown.line_end(self.data, at)]
                for at, _ in headings(self.data)
            )
        )

    def _search(self, name: str) -> ItemPieces:
        rows, headings = [], []
        whole = markdown.Span(0, len(self.data))
        for start, end in self._lines_with(name, whole):
            table = self.table_at(start)
            if table and _row_name(self.data[start:end], table) == name:
                rows.append(Piece(start, self.data[start:end]))
            if self._is_heading(start) and self._title(start) == name:
                headings.append(start)
        entries = [
            self._entry(start, self._section_end(start), bool(rows))
            for start in headings
        ]
        return ItemPieces(tuple(rows), tuple(filter(None, entries)))

    def _lines_with(self, name: str, among: markdown.Span) -> Iterator[tuple[int, int]]:
        wanted = name.encode(errors='surrogateescape')
        at = self.data.find(wanted, *among)
        while at >= 0:
            start = self.data.rfind(b'\n', 0, at) + 1
            end = markdown.line_end(self.data, at)
            yield start, end
            at = self.data.find(wanted, end, among.end)

    def _is_heading(self, start: int) -> bool:
        """Whether the heading of an entry starts at an offset."""
        match = HEADING_RE.match(self.data, start)
        return (
            match is not None
            and start not in self.mask
            and (len(match[1]) == self.shape.heading)
        )

    @functools.cached_property
    def has_entries(self) -> bool:
        if not self.shape.heading or not self.data:
            return False
        # the first section nearly always decides
        return any(
            self._entry(start, end, self._has_row(name))
            for name, start, end in self._sections()
        )

    def _has_row(self, name: str) -> bool:
        return bool(name) and any(
            _row_name(self.data[start:end], table) == name
            for table in self.tables
            for start, end in self._lines_with(name, table.rows)
        )

    @property
    def hidden(self) -> list[bytes]:
        return [self.data[start:end] for start, end in self.mask.spans]

    @functools.cached_property
    def table_lines(self) -> list[bytes]:
        return [
            line
            for table in self.tables
            for line in self.data[slice(*table.rows)].split(b'\n')
        ]

    @property
    def headers(self) -> list[bytes]:
        # all parts of a table have the same header
        return [*dict.fromkeys(table.header for table in self.tables)]

    @functools.cached_property
    def chunks(self) -> list[bytes]:
        """The file, cut at everything that looks like the start of an entry."""
        if not self.shape.heading:
            return []
        heading = b'\n' + b'#' * self.shape.heading
        mark = heading + b' '
        data = bytearray(self.data)
        for span, hidden in zip(self.mask.spans, self.hidden, strict=True):
            if mark in hidden:
                # it starts no entry: the text belongs to the heading before it
                data[slice(*span)] = hidden.replace(mark, heading + b'\0')
        last = self.tables[-1].rows.start if self.tables else 0
        first = next(
            (
                at
                for at, hashes in headings(self.data, 0, last)
                if hashes >= self.shape.heading
            ),
            last,
        )
        for table in reversed(self.tables):
            if table.rows.start <= first:
                # these rows are in no entry, and their lines are compared separately
                del data[slice(*table.rows)]
        return bytes(data).split(mark)

    def line(self, offset: int) -> int:
        self._counted += 1
        if self._counted <= FEW_LINES:
            return markdown.line_number(self.data, offset)
        elif self._newlines is None:
            self._newlines = [match.start() for match in NEWLINE_RE.finditer(self.data)]
        return bisect_left(self._newlines, offset) + 1

    def _decode(self, piece: Piece) -> str:
        try:
            return piece.data.decode()
        except UnicodeDecodeError:
            line = self.line(piece.offset)
            encoding = encoding_of(self.data)
            raise Unreadable('is not UTF-8 text', line, encoding) from None

    def _placed(self, record: Record, piece: Piece) -> Record:
        # for thousands of records, `_replace` would take three times as long
        start = functools.partial(self.line, piece.offset)
        return Record(record.item, record.values, record.timelines, record.again, start)

    def texts(self, *roles: str) -> Iterator[tuple[str, list[str]]]:
        """The item of each readable row, with the texts of some columns."""
        for table in self.tables:
            columns = [table.columns.get(role, sys.maxsize) for role in roles]
            for line in self.data[slice(*table.rows)].split(b'\n'):
                with suppress(UnicodeDecodeError):
                    cells = markdown.cells(line.decode())
                    name = _name_in(cells, table)
                    if name:
                        yield name, [_cell(cells, column) for column in columns]

    def records(self, item: str) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """The rows and the entries of an item; Unreadable if one cannot be read."""
        rows, entries = self.place(item)
        return (
            tuple([self.row(item, piece) for piece in rows]),
            tuple([self.entry(item, piece) for piece in entries]),
        )

    def row(self, item: str, piece: Piece) -> Record:
        table = self.table_at(piece.offset)
        assert table is not None, 'every row stands in a table'
        columns = tuple(table.columns.items())
        return self._placed(read_row(item, self._decode(piece), columns), piece)

    def entry(self, item: str, piece: Piece) -> Record:
        record = read_entry(item, self._decode(piece), self.shape)
        return self._placed(record, piece)


def _text(line: bytes) -> str:
    return line.decode(errors='surrogateescape')


def _row_name(line: bytes, table: RegistryTable) -> str:
    return _name_in(markdown.cells(_text(line)), table)


def _name_in(cells: Sequence[str], table: RegistryTable) -> str:
    column = table.columns['item']
    return item_name(cells[column]) if column < len(cells) else ''


def _cell(cells: Sequence[str], column: int) -> str:
    return cell_text(cells[column]) if column < len(cells) else ''


# nearly all registries in a history share their headers
@functools.lru_cache(maxsize=16)
def _headers(line: bytes) -> list[str]:
    text = line.removeprefix(BOM).decode('utf-8', 'replace')
    return [plain(cell) for cell in markdown.cells(text)]


def headings(
    data: bytes, start: int = 0, end: int = sys.maxsize
) -> Iterator[tuple[int, int]]:
    """Line offset and level of everything that looks like a heading."""
    # one byte is found far faster than a pattern, and few lines have it
    at = data.find(b'#', start, end)
    while at >= 0:
        line = data.rfind(b'\n', 0, at) + 1
        match = HEADING_RE.match(data, line, end)
        if match and line >= start:
            yield line, len(match[1])
        at = data.find(b'#', markdown.line_end(data, at), end)


def title_of(line: bytes) -> str:
    """The item that a heading names."""
    text = line.decode(errors='surrogateescape')
    return item_name(text.lstrip(' ').lstrip('#').rstrip(' #\r\n'))
