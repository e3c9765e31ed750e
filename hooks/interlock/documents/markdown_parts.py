"""A markdown file by its headings, fenced code and tables included."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from interlock.documents.markdown import (
    FENCE_RE,
    Span,
    cells,
    hidden,
    is_delimiter,
    line_number,
    sections,
    visible_lines,
)

Line = tuple[int, str]
T = TypeVar('T')


class Fence(NamedTuple):
    # the number of the line that opens it
    line: int
    language: str
    text: str
    closed: bool
    # the backquotes or tildes that open it
    mark: str

    @property
    def lines(self) -> Iterator[Line]:
        yield from enumerate(self.text.split('\n'), self.line + 1)


class Row(NamedTuple):
    line: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    line: int
    header: tuple[str, ...]
    rows: tuple[Row, ...]


class Part(NamedTuple):
    """A heading and what stands between it and the next one."""

    level: int
    title: str
    line: int
    # outside of fenced code and comments
    text: tuple[Line, ...]
    fences: tuple[Fence, ...]
    tables: tuple[Table, ...]

    @property
    def empty(self) -> bool:
        return not self.fences and not any(
            line.strip() and not is_rule(line) for _, line in self.text
        )

    @property
    def lines(self) -> list[Line]:
        """The text and the fenced code, in the order of the file."""
        return sorted(
            [*self.text, *(line for each in self.fences for line in each.lines)]
        )


def is_rule(line: str) -> bool:
    bare = line.replace(' ', '')
    return len(bare) > 2 and set(bare) in ({'-'}, {'*'}, {'_'})


def _fence(data: bytes, span: Span) -> Fence | None:
    """None for a comment."""
    whole = data[span.start : span.end].decode(errors='surrogateescape')
    first, _, rest = whole.partition('\n')
    marker = first.lstrip(' \t-*+0123456789.)').encode(errors='surrogateescape')
    opening = FENCE_RE.match(marker)
    if opening is None:
        return None
    mark = opening[1].decode()
    body, _, last = rest.rpartition('\n')
    bare = last.strip()
    closed = bare.startswith(mark) and not bare.strip(mark[0])
    text = body if closed else rest
    return Fence(
        line_number(data, span.start),
        opening[2].decode(errors='surrogateescape').strip(),
        text.replace('\r\n', '\n').removesuffix('\r'),
        closed,
        mark,
    )


def fences(text: str) -> list[Fence]:
    data = text.encode(errors='surrogateescape')
    found = (_fence(data, span) for span in hidden(data))
    return [fence for fence in found if fence is not None]


def _row(number: int, line: str) -> Row:
    return Row(number, tuple(cell.strip().replace('\\|', '|') for cell in cells(line)))


def tables(lines: Sequence[Line]) -> Iterator[Table]:
    at = 0
    while at + 1 < len(lines):
        (number, line), (following, below) = lines[at], lines[at + 1]
        at += 1
        if '|' not in line or following != number + 1 or '|' not in below:
            continue
        if not is_delimiter(below.encode(errors='replace')):
            continue
        rows = []
        at += 1
        while at < len(lines) and '|' in lines[at][1]:
            rows.append(_row(*lines[at]))
            at += 1
        yield Table(number, _row(number, line).cells, tuple(rows))


def parts(text: str) -> list[Part]:
    """Every heading of a file; what stands before the first is left out."""
    found = sections(text)
    blocks = fences(text)
    ends = [*(section.line for section in found), text.count('\n') + 2][1:]
    lines = list(visible_lines(text))
    numbers = [number for number, _ in lines]
    starts = [block.line for block in blocks]
    made = []
    for section, end in zip(found, ends, strict=True):
        own = _between(lines, numbers, section.line, end)
        made.append(
            Part(
                section.level,
                section.title,
                section.line,
                own,
                _between(blocks, starts, section.line, end),
                tuple(tables(own)),
            )
        )
    return made


def _between(
    things: Sequence[T], numbers: Sequence[int], start: int, end: int
) -> tuple[T, ...]:
    """What stands on the lines behind one and before another."""
    first, last = bisect_right(numbers, start), bisect_left(numbers, end)
    return tuple(things[first:last])
