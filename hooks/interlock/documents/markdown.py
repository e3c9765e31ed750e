"""Markdown: headings, tables, fields, fenced code, and its hidden parts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from interlock.documents.text import shown, without_comments
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.errors import MergeConflict
from interlock.model.quick_typing import (
    Collection,
    Iterable,
    Iterator,
    NamedTuple,
    Sequence,
    TypeVar,
)

TOKENS = (b'```', b'~~~', b'<!--')
FENCE_RE = re.compile(rb'(`{3,}|~{3,})([^\r\n]*)')
# a fence may be in a list item
BEFORE_COMMENT_RE = re.compile(rb' {0,3}')
BEFORE_FENCE_RE = re.compile(rb'[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?')
HEADING_RE = re.compile(r' {0,3}(#{1,6})[ \t]+(.*)$')
DASHES_RE = re.compile(r':?-+:?')
FIELD_RE = re.compile(r'[ \t]*(?:[-*+][ \t]+)?\*\*([^*:]+)(?::\*\*|\*\*:)[ \t]*(.*)$')
LINE_RE = re.compile(r'[^\n]*\n|[^\n]+')
# conflict markers of a merge; a line of `=` may be below a heading, and pipes with more
# pipes after them are a row
CONFLICT_RE = re.compile(
    rb'^(?:(?:<{7,}|>{7,})(?![^ \r\n])|\|{7,} (?!.*\|))[^\r\n]*', re.MULTILINE
)
CONFLICTS = (b'<<<<<<<', b'>>>>>>>', b'|||||||')
PIPE_RE = re.compile(r'(?<!\\)\|')


# line number and text
Line = tuple[int, str]
T = TypeVar('T')


class Span(NamedTuple):
    start: int
    end: int


class Section(NamedTuple):
    level: int
    title: str
    line: int
    body: str


class Fence(NamedTuple):
    # the number of the line that opens it
    line: int
    language: str
    text: str
    closed: bool
    # the backticks or tildes that open it
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
    """A heading and the text up to the next one."""

    level: int
    title: str
    line: int
    # without fenced code and comments
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


def find_rare(data: bytes, token: bytes, start: int) -> int:
    """Search for one byte first: that is far faster, and tokens are rare."""
    at = data.find(token[:1], start)
    return data.find(token, at) if at >= 0 else -1


def hidden(data: bytes) -> list[Span]:
    """The spans of fenced code and HTML comments: not part of the document."""
    spans: list[Span] = []
    position = 0
    following = {token: find_rare(data, token, 0) for token in TOKENS}
    while True:
        for token, at in following.items():
            if 0 <= at < position:
                following[token] = find_rare(data, token, position)
        starts = [at for at in following.values() if at >= 0]
        if not starts:
            return spans
        start = min(starts)
        line = data.rfind(b'\n', 0, start) + 1
        comment = data.startswith(b'<!--', start)
        before = BEFORE_COMMENT_RE if comment else BEFORE_FENCE_RE
        if not before.fullmatch(data, line, start):
            # in the middle of a line it is plain text
            position = line_end(data, start)
            continue
        if comment:
            close = data.find(b'-->', start)
            position = len(data) if close < 0 else close + 3
        else:
            opening = FENCE_RE.match(data, start)
            assert opening is not None, 'a fence starts on this line'
            if opening[1][:1] == b'`' and b'`' in opening[2]:
                # inline code that looks like a fence
                position = line_end(data, start)
                continue
            position = _fence_end(data, opening[1], opening.end())
        spans.append(Span(line, position))


def _fence_end(data: bytes, fence: bytes, position: int) -> int:
    while True:
        at = data.find(fence, position)
        if at < 0:
            return len(data)
        start = data.rfind(b'\n', 0, at) + 1
        closing = FENCE_RE.match(data, at)
        if closing and not data[start:at].strip() + closing[2].strip():
            return closing.end()
        position = line_end(data, at)


class Mask:
    """Answers whether an offset lies in fenced code or a comment."""

    def __init__(self, data: bytes) -> None:
        self.spans = hidden(data)
        self._starts = [span.start for span in self.spans]

    def span(self, offset: int) -> Span | None:
        """The code or the comment that contains an offset."""
        at = bisect_right(self._starts, offset) - 1
        return self.spans[at] if (at >= 0 and offset < self.spans[at].end) else None

    def __contains__(self, offset: int) -> bool:
        return self.span(offset) is not None


def _holds(data: bytes, token: bytes) -> bool:
    """Like `in`, but fast for a repeated byte."""
    return find_rare(data[: data.rfind(token[:1]) + 1], token, 0) >= 0


def is_comment(data: bytes, span: Span) -> bool:
    """Whether a hidden span is a comment; else it is code."""
    return data[span.start : span.start + 7].lstrip().startswith(b'<!--')


def refuse_conflict(data: bytes, mask: Mask) -> None:
    """Refuse text with a merge conflict, outside code."""
    if not any(_holds(data, mark) for mark in CONFLICTS):
        return
    for match in CONFLICT_RE.finditer(data):
        span = mask.span(match.start())
        if span is None or is_comment(data, span):
            line = match[0].decode(errors='replace')
            raise MergeConflict(
                f'has a conflict marker: `{shown(line)}`',
                line_number(data, match.start()),
            )


def line_number(data: bytes, offset: int) -> int:
    return data.count(b'\n', 0, offset) + 1


def line_end(data: bytes, start: int) -> int:
    """The offset after the line that starts at `start`, newline included."""
    end = data.find(b'\n', start)
    return len(data) if end < 0 else end + 1


def whole_lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    return LINE_RE.findall(text)


def visible_lines(text: str) -> Iterable[Line]:
    """The lines outside fenced code and comments."""
    if '```' in text or '~~~' in text or '<!--' in text:
        return ((number, line) for number, line, span in _lines(text) if span is None)
    lines = text.split('\n')
    if '\r' in text:
        lines = [line.rstrip('\r') for line in lines]
    return enumerate(lines, 1)


def _lines(text: str) -> Iterator[tuple[int, str, Span | None]]:
    """Each line with the code or the comment that contains it."""
    data = text.encode(errors='surrogateescape')
    mask = Mask(data)
    offset = 0
    for number, line in enumerate(data.split(b'\n'), 1):
        decoded = line.decode(errors='surrogateescape')
        yield number, decoded.rstrip('\r'), mask.span(offset)
        offset += len(line) + 1


def _lines_with_code(text: str) -> Iterator[tuple[int, str, bool]]:
    """The lines outside comments, each with whether it is code."""
    data = text.encode(errors='surrogateescape')
    for number, line, span in _lines(text):
        if span is None or not is_comment(data, span):
            yield number, line, span is not None


def _title(text: str) -> str:
    """A title without the hashes that may close the heading."""
    text = text.rstrip(' \t')
    bare = text.rstrip('#')
    closed = not bare or bare.endswith((' ', '\t'))
    return bare.rstrip(' \t') if closed else text


def sections(
    text: str, first_line: int = 1, with_code: bool = False
) -> Sequence[Section]:
    """The sections of a text, without comments; code only if asked for."""
    if not with_code:
        return _sections(visible_lines(text), first_line)
    lines = list(_lines_with_code(text))
    code = {number for number, _, is_code in lines if is_code}
    return _sections([(number, line) for number, line, _ in lines], first_line, code)


def _sections(
    lines: Iterable[Line], first_line: int, code: Collection[int] = ()
) -> Sequence[Section]:
    """The sections; lines whose numbers are in `code` are not headings."""
    found: list[tuple[int, str, int, list[str]]] = []
    for number, line in lines:
        match = HEADING_RE.match(line) if '#' in line and number not in code else None
        if match:
            found.append((len(match[1]), _title(match[2]), number, []))
        elif found:
            found[-1][3].append(line)
    return tuple(
        [
            Section(level, title, line + first_line - 1, '\n'.join(body))
            for level, title, line, body in found
        ]
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


@functools.lru_cache(maxsize=16)
def is_delimiter(line: bytes) -> bool:
    """Whether a line separates the header of a table from its rows."""
    parts = cells(line.decode(errors='replace'))
    return bool(parts) and all(DASHES_RE.fullmatch(part.strip()) for part in parts)


def fields(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Line and value of each `**Label:** value`, by label in lower case."""
    found: dict[str, list[Line]] = {}
    for number, line in lines:
        match = FIELD_RE.match(line) if '**' in line else None
        if match:
            label, value = match.groups()
            if '-->' in value:
                value = without_comments(value)
            found.setdefault(label.strip().lower(), []).append((number, value.strip()))
    return found


def first_field(text: str, label: str) -> Line | None:
    return next(iter(fields(visible_lines(text)).get(label.lower(), ())), None)


def is_rule(line: str) -> bool:
    bare = line.replace(' ', '')
    return len(bare) > 2 and set(bare) in ({'-'}, {'*'}, {'_'})


def _fence(data: bytes, span: Span) -> Fence | None:
    """The fenced code in a span, None for a comment."""
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
    """Every heading of a file; text before the first one is left out."""
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
    """The things whose lines are between two lines."""
    first, last = bisect_right(numbers, start), bisect_left(numbers, end)
    return tuple(things[first:last])
