from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

TOKENS = (b'```', b'~~~', b'<!--')
FENCE_RE = re.compile(rb' {0,3}(`{3,}|~{3,})([^\r\n]*)')
HEADING_RE = re.compile(r' {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$')
_DASHES = rb'[ \t]*:?-+:?[ \t]*'
DELIMITER_RE = re.compile(
    rb'[ \t]*\|?' + _DASHES + rb'(?:\|' + _DASHES + rb')*\|?\s*$',
)
PIPE_RE = re.compile(r'(?<!\\)\|')


class Span(NamedTuple):
    start: int
    end: int


class Section(NamedTuple):
    level: int
    title: str
    line: int
    body: str


def hidden(data: bytes) -> list[Span]:
    """Where fenced code and HTML comments stand: not part of the document."""
    spans: list[Span] = []
    position = 0
    following = {token: data.find(token) for token in TOKENS}
    while True:
        for token, at in following.items():
            if 0 <= at < position:
                following[token] = data.find(token, position)
        starts = [at for at in following.values() if at >= 0]
        if not starts:
            return spans
        start = min(starts)
        line = data.rfind(b'\n', 0, start) + 1
        if data[line:start].strip(b' ') or start - line > 3:
            # in the middle of a line, or indented: plain text
            position = start + 3
            continue
        if data.startswith(b'<!--', start):
            close = data.find(b'-->', start)
            position = len(data) if close < 0 else close + 3
        else:
            position = _fence_end(data, line)
        spans.append(Span(line, position))


def _fence_end(data: bytes, line: int) -> int:
    opening = FENCE_RE.match(data, line)
    assert opening is not None, 'only called at the start of a fence'
    fence, info = opening[1], opening[2]
    if fence[:1] == b'`' and b'`' in info:
        # inline code that looks like a fence
        return opening.end()
    position = opening.end()
    while True:
        at = data.find(fence, position)
        if at < 0:
            return len(data)
        start = data.rfind(b'\n', 0, at) + 1
        closing = FENCE_RE.match(data, start)
        if (
                closing and closing[1].startswith(fence) and
                not closing[2].strip()
        ):
            return closing.end()
        position = at + len(fence)


class Mask:
    """Answers whether an offset lies in fenced code or a comment."""

    def __init__(self, data: bytes) -> None:
        self.spans = hidden(data)
        self._starts = [span.start for span in self.spans]

    def __contains__(self, offset: int) -> bool:
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self.spans[at].end


def line_number(data: bytes, offset: int) -> int:
    return data.count(b'\n', 0, offset) + 1


def line_end(data: bytes, start: int) -> int:
    """The offset behind the line that starts at `start`, newline included."""
    end = data.find(b'\n', start)
    return len(data) if end < 0 else end + 1


def visible_lines(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines outside of fenced code and comments."""
    data = text.encode(errors='surrogateescape')
    mask = Mask(data)
    offset = 0
    for number, line in enumerate(data.split(b'\n'), 1):
        if not mask.spans or offset not in mask:
            decoded = line.decode(errors='surrogateescape')
            yield number, decoded.rstrip('\r')
        offset += len(line) + 1


def sections(text: str) -> Sequence[Section]:
    found: list[tuple[int, str, int, list[str]]] = []
    for number, line in visible_lines(text):
        match = HEADING_RE.match(line)
        if match:
            found.append((len(match[1]), match[2], number, []))
        elif found:
            found[-1][3].append(line)
    return tuple(
        Section(level, title, line, '\n'.join(body))
        for level, title, line, body in found
    )


def cells(row: str) -> list[str]:
    """The raw cells of a table row, padding included."""
    row = row.rstrip('\r\n')
    # most rows hold no escaped pipe, and splitting is the hot path
    parts = PIPE_RE.split(row) if '\\|' in row else row.split('|')
    if not parts[0].strip():
        del parts[0]
    if parts and not parts[-1].strip() and row.rstrip().endswith('|'):
        del parts[-1]
    return parts


def field(text: str, label: str) -> tuple[int, str] | None:
    """Line and value of the first `**Label:** value` of a text."""
    pattern = re.compile(
        r'[ \t]*(?:[-*+][ \t]+)?\*\*' + re.escape(label) +
        r'(?::\*\*|\*\*:)[ \t]*(.*)$',
        re.IGNORECASE,
    )
    for number, line in visible_lines(text):
        match = pattern.match(line)
        if match:
            return number, match[1].strip()
    return None
