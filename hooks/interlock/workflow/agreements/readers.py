"""Reads the items in one file: one reader for each format that people write."""

from __future__ import annotations

from interlock.documents import json, yaml
from interlock.documents.markdown import HEADING_RE, Span, cells, hidden, is_delimiter
from interlock.documents.text import LINK_RE, decode, plain, shown
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import (
    Any,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.workflow.agreements.names import INSIDE, ITEM, KNOWN_LINES, Names
from interlock.workflow.agreements.spec import ALL, BEGUN, NONE, OPEN, PRESENT, Record

# other letters and digits are labels: `- [P] can run in parallel`, `- [1] Smith`
BOX_RE = re.compile(r'([ \t]*)(?:[-*+]|\d+[.)])[ \t]+\[(?P<mark>[xX]|\W)\](?!\()(.*)$')
FENCE = '---'
BOLD = '**'
# allows quotes, lists and emphasis before and around a label
LABEL_RE = re.compile(
    r'[ \t>]*(?:[-*+][ \t]+)?[*_]*(?P<label>[^:*_]+?)[*_]*:[*_]*[ \t]*(?P<value>.*)$'
)
# the separator between two fields on a line
FIELDS_RE = re.compile(r' +[|\u00b7\u2022] +(?=[*_]*[^:|*_]+[*_]*:)')
CONFLICTS = ('<' * 7, '>' * 7)
CONFLICT_RE = re.compile(r'(<{7}|>{7})( |$)')
INDENT = 'indent'
# in a path of keys: any entry of a mapping or list, not part of the item
ANY = '**'
# the start of fenced code and comments
HIDING = ('```', '~~~', '<!--')
# how many file texts are kept
KNOWN_TEXTS = 8
# the characters of the line between the header of a table and its rows
DELIMITERS = '|-: \t'


class Child(NamedTuple):
    label: str
    # None for a box that does not count
    word: str
    line: int
    # whether the word is one of our values, not one of the project
    is_value: bool = False


class Reading(NamedTuple):
    """One entry of one item, as a file has it."""

    # '' for the item that the path names
    item: str
    inside: str
    word: str
    line: int
    is_value: bool = False
    # the boxes that keep a file from being `all`
    open: tuple[TickBox, ...] = ()
    depends: tuple[str, ...] = ()
    parent: str = ''
    children: tuple[Child, ...] = ()


class ParsedRecord(NamedTuple):
    readings: tuple[Reading, ...]
    problem: Unreadable | None = None


class TickBox(NamedTuple):
    line: int
    indent: int
    ticked: bool
    # without emphasis and links
    label: str
    raw: str
    optional: bool = False


@functools.lru_cache(maxsize=KNOWN_LINES)
def words_of(text: str) -> str:
    """A line as people read it: without emphasis, code marks and links."""
    if '](' in text:
        text = LINK_RE.sub(r'\1', text)
    for mark in (BOLD, '~~', '`', '__'):
        text = text.replace(mark, '')
    return ' '.join(text.split())


def _unmarked(text: str) -> str:
    """A line without a leading emoji."""
    first, _, rest = text.partition(' ')
    return rest if rest and not first.isascii() and not plain(first) else text


def _is_open_fence(data: bytes, span: Span) -> bool:
    """Whether a fence is never closed: the text after it is still read."""
    if span.end < len(data) or data[span.start :].lstrip().startswith(b'<!--'):
        return False
    last = data[span.start :].rstrip().rpartition(b'\n')[2].strip()
    return not last or (last.strip(b'`') != b'' and last.strip(b'~') != b'')


def _holds(text: str, token: str) -> bool:
    # searching for one character is fast, and most texts do not contain it
    return token[0] in text and token in text


def _split(text: str) -> list[str]:
    if '\n' not in text and '\r' in text.rstrip():
        # some programs see lines here, and others do not
        raise Unreadable('ends its lines with CR alone')
    return text.split('\n')


class Lines:
    """The visible lines of a file with their numbers: no code, no comments."""

    __slots__ = ('_lines', '_unseen')

    def __init__(self, text: str) -> None:
        text = text.removeprefix('\ufeff')
        self._lines = _split(text)
        if '\r' in text:
            self._lines = [line.rstrip('\r') for line in self._lines]
        self._unseen: Collection[int] = ()
        if any(_holds(text, token) for token in HIDING):
            data = text.encode(errors='surrogateescape')
            spans = [span for span in hidden(data) if not _is_open_fence(data, span)]
            self._unseen = _beginning_in(data, spans)
        if any(_holds(text, token) for token in CONFLICTS):
            for number, line in self:
                if CONFLICT_RE.match(line):
                    raise Unreadable('has conflict markers', number)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self.holding('')

    def holding(self, part: str) -> Iterator[tuple[int, str]]:
        """The lines that contain a text."""
        for number, line in enumerate(self._lines, 1):
            if part in line and number not in self._unseen:
                yield number, line

    @property
    def first(self) -> int:
        """The number of the first line."""
        return next((number for number, _ in self), 1)


# several records may be read from one file, before and after a change
lines_of = functools.lru_cache(maxsize=KNOWN_TEXTS)(Lines)


def _beginning_in(data: bytes, spans: Sequence[Span]) -> set[int]:
    """The numbers of the lines that start in any span; a span starts with a line."""
    found, number, offset = set[int](), 1, 0
    for span in spans:
        number += data.count(b'\n', offset, span.start)
        offset = max(offset, span.start)
        count = 1 + data.count(b'\n', span.start, span.end - 1)
        found.update(range(number, number + count))
    return found


class Heading(NamedTuple):
    level: int
    title: str
    line: int


def _headings(lines: Iterable[tuple[int, str]]) -> Iterator[Heading]:
    for number, line in lines:
        match = HEADING_RE.match(line) if '#' in line[:10] else None
        if match:
            title = match[2].strip().rstrip('#').strip()
            yield Heading(len(match[1]), _unmarked(words_of(title)), number)


def section_lines(
    lines: Iterable[tuple[int, str]], titles: tuple[str, ...], names: Names
) -> list[tuple[int, str]] | None:
    """The lines below the matching headings, None if there is none."""
    found: list[tuple[int, str]] | None = None
    level = 0
    headings = {heading.line: heading for heading in _headings(lines)}
    for number, line in lines:
        heading = headings.get(number)
        if heading is not None and heading.level <= (level or heading.level):
            is_wanted = names.line(titles, heading.title) is not None
            level = heading.level if is_wanted else 0
            found = (found or []) if is_wanted else found
        elif found is not None and level:
            found.append((number, line))
    return found


@functools.lru_cache(maxsize=KNOWN_LINES)
def _box(line: str) -> tuple[int, bool, str, str] | None:
    match = BOX_RE.match(line)
    if match is None:
        return None
    indent = len(match[1].expandtabs(4))
    return indent, match[2] in 'xX', _unmarked(words_of(match[3])), match[3]


# several records are made from the boxes of one file
@functools.lru_cache(maxsize=KNOWN_TEXTS)
def _boxes(text: str) -> Sequence[TickBox]:
    return [
        TickBox(number, *box)
        for number, line in lines_of(text).holding('[')
        if (box := _box(line)) is not None
    ]


def _with_optional(
    found: Sequence[TickBox], patterns: tuple[str, ...], names: Names
) -> Sequence[TickBox]:
    return [
        # the asterisks of bold text do not mark an optional task
        box._replace(
            optional=names.line(patterns, box.raw.replace(BOLD, '').strip()) is not None
        )
        for box in found
    ]


def _state_of(counted: Sequence[TickBox]) -> str:
    if not counted:
        return NONE
    ticked = sum(box.ticked for box in counted)
    if ticked == len(counted):
        return ALL
    return BEGUN if ticked else OPEN


def _whole(found: Sequence[TickBox], line: int) -> Reading:
    counted = [box for box in found if not box.optional]
    left = tuple(box for box in counted if not box.ticked)
    return Reading('', '', _state_of(counted), line, True, left)


def _below(found: Sequence[TickBox], at: int) -> tuple[Child, ...]:
    """The boxes one level below a box, as far as they count."""
    children: list[Child] = []
    depth: int | None = None
    for box in found[at + 1 :]:
        if box.indent <= found[at].indent:
            break
        depth = box.indent if depth is None else min(depth, box.indent)
        if box.indent <= depth and not box.optional:
            word = ALL if box.ticked else OPEN
            children.append(Child(box.label, word, box.line, True))
    return tuple(children)


def _read_boxes(text: str, record: Record, names: Names) -> Iterator[Reading]:
    found = _boxes(text)
    first = 0
    if record.section:
        chosen = section_lines(lines_of(text), record.section, names)
        if chosen is None:
            yield Reading('', '', NONE, 1, True)
            return
        first = chosen[0][0] if chosen else 1
        numbers = {number for number, _ in chosen}
        found = [box for box in found if box.line in numbers]
    if record.optional:
        found = _with_optional(found, record.optional, names)
    if not record.line:
        yield _whole(found, first or lines_of(text).first)
        return
    fitting = names.lines(record.line)
    for at, box in enumerate(found):
        match = fitting(box.label)
        if match is None or box.optional:
            continue
        word = record.ticked if box.ticked else record.unticked
        children = _below(found, at) if record.children == INDENT else ()
        item, inside = match.get(ITEM, ''), match.get(INSIDE, '')
        yield Reading(item, inside, word, box.line, False, (), (), '', children)


def _is_under(parents: Sequence[Heading], record: Record, names: Names) -> bool:
    return not record.under or any(
        names.line(record.under, parent.title) is not None for parent in parents
    )


def _read_headings(text: str, record: Record, names: Names) -> Iterator[Reading]:
    parents: list[Heading] = []
    lines = lines_of(text)
    headings = {heading.line: heading for heading in _headings(lines)}
    for number, line in lines:
        heading = headings.get(number)
        if heading is not None:
            while parents and parents[-1].level >= heading.level:
                parents.pop()
        title = heading.title if heading else words_of(line).lstrip('-*+ ')
        wanted = heading.level == record.level if heading else not record.level
        if wanted and _is_under(parents, record, names):
            match = names.line(record.line, title)
            if match is not None:
                item, inside = match.get(ITEM, ''), match.get(INSIDE, '')
                yield Reading(item, inside, PRESENT, number, True)
        if heading is not None:
            parents.append(heading)


def _after_frontmatter(lines: Lines) -> Iterable[tuple[int, str]]:
    rest = iter(lines)
    if next(rest, (0, ''))[1].rstrip() != FENCE:
        return lines
    for _, line in rest:
        if line.rstrip() == FENCE:
            return rest
    return lines


def _labelled(content: str, wanted: str) -> re.Match[str] | None:
    """The label and its value; a line may have several."""
    for part in FIELDS_RE.split(content):
        match = LABEL_RE.match(part)
        if match and match['label'].strip().casefold() == wanted:
            return match
    return None


def field(text: str, label: str) -> tuple[int, str] | None:
    """Finds `Status: x`, `**Status:** x`, `## Status: x`, or `## Status` and a line;
    also after another field on the same line.

    Reads only the head of the file: up to the first heading below the title
    that is not the label itself.
    """
    wanted = label.casefold()
    is_next = titled = False
    for number, line in _after_frontmatter(lines_of(text)):
        heading = HEADING_RE.match(line) if '#' in line else None
        content = heading[2] if heading else line
        match = _labelled(content, wanted) if ':' in content else None
        if match:
            if match['value'].strip() or not heading:
                return number, match['value']
            is_next = True
        elif heading:
            if words_of(content).rstrip(':').casefold() == wanted:
                is_next = True
            elif is_next or titled:
                return None
            titled = True
        elif is_next and line.strip():
            return number, line.strip().lstrip('-*+ ')
    return None


def _read_field(text: str, record: Record, names: Names) -> Iterator[Reading]:
    found = field(text, record.label)
    if found is not None:
        yield Reading('', '', found[1], found[0])


def _scalar(node: yaml.Node | None) -> str:
    return node.text if isinstance(node, yaml.Scalar) and node.kind != 'null' else ''


def _list(node: yaml.Node | None) -> tuple[str, ...]:
    if isinstance(node, yaml.Sequence):
        return tuple(filter(None, map(_scalar, node.items)))
    return tuple(filter(None, [_scalar(node)]))


def frontmatter_of(text: str) -> yaml.Mapping | None:
    lines = _split(text.removeprefix('\ufeff'))
    if lines[0].rstrip() != FENCE:
        return None
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            node = yaml.parse('\n'.join(lines[1:at]), 2)
            if node is not None and not isinstance(node, yaml.Mapping):
                raise Unreadable('has frontmatter without keys', 2)
            return node
    raise Unreadable('has frontmatter that is not closed')


def _read_frontmatter(text: str, record: Record, names: Names) -> Iterator[Reading]:
    node = frontmatter_of(text)
    if node is None or record.status not in node.items:
        return
    yield Reading(
        '',
        '',
        _scalar(node.items[record.status]),
        node.lines[record.status],
        False,
        (),
        _list(node.items.get(record.depends)) if record.depends else (),
        _scalar(node.items.get(record.parent)) if record.parent else '',
    )


class _Table:
    """The columns of a table that hold items and states."""

    def __init__(
        self,
        header: str,
        columns: tuple[tuple[str, tuple[str, ...]], ...],
        keys: tuple[str, ...],
        names: Names,
    ) -> None:
        titles = [words_of(cell) for cell in cells(header)]
        self._keys, self._names = keys, names

        def found(role: str) -> Iterator[int]:
            for pattern in dict(columns).get(role, ()):
                for at, title in enumerate(titles):
                    if names.line((pattern,), title) is not None:
                        yield at

        self._status = next(found('status'), -1)
        is_other = self._status < 0 or any(True for _ in found('without'))
        self._items = [] if is_other else list(found('item'))
        if self._items:
            # a separate number column beside the name
            self._items += found('number')
        # most rows of a file are unchanged from its previous version
        self._rows: dict[str, tuple[str, str, str] | None] = {}

    def row(self, line: str) -> tuple[str, str, str] | None:
        """The item ('' if cells need not name one), its folder, and its state."""
        if line not in self._rows:
            if len(self._rows) >= KNOWN_LINES:
                self._rows.clear()
            self._rows[line] = self._read(cells(line))
        return self._rows[line]

    def _read(self, row: Sequence[str]) -> tuple[str, str, str] | None:
        for at in self._items:
            if max(at, self._status) < len(row):
                match = self._names.line(self._keys, plain(words_of(row[at])))
                if match is not None:
                    inside = match.get(INSIDE, '')
                    return match.get(ITEM, ''), inside, row[self._status]
        return None


# versions of a file mostly have the same tables
_table = functools.lru_cache(maxsize=64)(_Table)


def _read_table(text: str, record: Record, names: Names) -> Iterator[Reading]:
    before, table = '', None
    for number, line in lines_of(text):
        if '|' not in line:
            before, table = '', None
            continue
        if not line.strip(DELIMITERS) and is_delimiter(line.encode()):
            columns = tuple(
                (role, tuple(each)) for role, each in record.columns.items()
            )
            table = _table(before, columns, record.line, names) if before else None
        elif table is not None:
            found = table.row(line)
            if found is not None:
                yield Reading(*found, number)
        before = line


def _walk(
    data: Any, keys: Sequence[str], seen: tuple[str, ...] = ()
) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The values at a path of keys, and the keys that its `*` matched."""
    if not keys:
        yield data, seen
    elif keys[0] == ANY:
        values = data.values() if isinstance(data, dict) else data
        for value in values if isinstance(data, (dict, list)) else ():
            yield from _walk(value, keys[1:], seen)
    elif isinstance(data, dict):
        if keys[0] == '*':
            for key, value in data.items():
                yield from _walk(value, keys[1:], (*seen, str(key)))
        elif keys[0] in data:
            yield from _walk(data[keys[0]], keys[1:], seen)


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return 'true' if value else 'false'
    elif isinstance(value, float) and value.is_integer():
        # in JSON this is the same number as without `.0`
        return str(int(value))
    return '' if value is None or isinstance(value, (dict, list)) else str(value)


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(filter(None, map(text_of, values)))


def _members(found: Any, record: Record) -> Iterator[tuple[str, Any]]:
    """The items of a mapping, or of a list of mappings, each with its value."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield str(key), value
    for entry in found if isinstance(found, list) else ():
        if isinstance(entry, dict):
            yield text_of(entry.get(record.item)), entry


def _word(entry: Any, record: Record) -> str:
    return text_of(entry.get(record.status) if isinstance(entry, dict) else entry)


def _entries(
    found: Any, inside: str, record: Record, names: Names, line_of: Callable[[Any], int]
) -> Iterator[Reading]:
    """The entries of a mapping of items to states, a list of items, or one value."""
    if isinstance(found, (dict, list)):
        is_listed = isinstance(found, list)
        for key, entry in _members(found, record):
            name: str | None = key
            if not is_listed or record.line:
                match = names.line(record.line or ('{item}',), key)
                name = None if match is None else match.get(ITEM, '')
            if name is None or (is_listed and not name):
                continue
            line = line_of(entry if is_listed else (found, key))
            more = entry if isinstance(entry, dict) else {}
            below = _members(more.get(record.children), record)
            yield Reading(
                name,
                inside,
                _word(entry, record),
                line,
                False,
                (),
                _texts(more.get(record.depends)) if record.depends else (),
                text_of(more.get(record.parent)) if record.parent else '',
                tuple(Child(label, _word(each, record), line) for label, each in below),
            )
    elif text_of(found):
        yield Reading('', inside, text_of(found), line_of(None))


def _of_data(
    data: Any, record: Record, names: Names, line_of: Callable[[Any], int]
) -> Iterator[Reading]:
    for keys in record.at:
        found = list(_walk(data, keys))
        for value, seen in found:
            yield from _entries(value, '/'.join(seen), record, names, line_of)
        if found:
            return


@functools.lru_cache(maxsize=4)
def _yaml_data(text: str) -> tuple[Any, Mapping[str, int]]:
    """The data of a document, and the first line of each key."""
    node = yaml.parse(text.removeprefix('\ufeff'))
    lines: dict[str, int] = {}

    def collect(node: yaml.Node | None) -> None:
        if isinstance(node, yaml.Mapping):
            for key, line in node.lines.items():
                lines.setdefault(key, line)
                collect(node.items[key])
        for each in node.items if isinstance(node, yaml.Sequence) else ():
            if isinstance(each, yaml.Mapping):
                # the name of a list entry
                for key, line in each.lines.items():
                    lines.setdefault(_scalar(each.items[key]), line)
            collect(each)

    collect(node)
    return yaml.value(node), lines


def _read_yaml(text: str, record: Record, names: Names) -> Iterator[Reading]:
    data, lines = _yaml_data(text)

    def line_of(entry: Any) -> int:
        if isinstance(entry, dict):
            return lines.get(text_of(entry.get(record.item)), 1)
        return lines.get(entry[1], 1) if isinstance(entry, tuple) else 1

    yield from _of_data(data, record, names, line_of)


ID_LINE = re.compile(r'^\s*\{?\s*"([^"]+)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,{}\[\]]+)')


def _json_lines(text: str, key: str) -> dict[str, list[int]]:
    """Value of a key -> its lines, least indented first, since an item stands
    above its children. A guess, used only in reports."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(text.split('\n'), 1):
        if f'"{key}"' in line:
            match = ID_LINE.match(line)
            if match and match[1] == key:
                indent = len(line) - len(line.lstrip())
                found.setdefault(match[2].strip('"'), []).append((indent, number))
    return {
        value: [number for _, number in sorted(lines)] for value, lines in found.items()
    }


def _read_json(text: str, record: Record, names: Names) -> Iterator[Reading]:
    raw = text.removeprefix('\ufeff').encode()
    data = json.parse(Blob('', len(raw), raw)).data
    if not isinstance(data, (dict, list)):
        raise Unreadable('holds neither an object nor a list')
    lines = _json_lines(text, record.item) if record.item else {}

    def line_of(entry: Any) -> int:
        """The first call for a value returns its first line, and so on."""
        if not isinstance(entry, dict):
            return 1
        left = lines.get(text_of(entry.get(record.item)))
        return left.pop(0) if left else 1

    yield from _of_data(data, record, names, line_of)


def _read_jsonl(text: str, record: Record, names: Names) -> Iterator[Reading]:
    for number, line in enumerate(text.removeprefix('\ufeff').split('\n'), 1):
        if not line.strip():
            continue
        raw = line.encode()
        try:
            entry = json.parse(Blob('', len(raw), raw)).data
        except Unreadable as e:
            raise Unreadable(e.message, number) from None
        for reading in _entries([entry], '', record, names, lambda _: 1):
            yield reading._replace(line=number)


READERS: Mapping[str, Callable[[str, Record, Names], Iterator[Reading]]] = {
    'boxes': _read_boxes,
    'field': _read_field,
    'frontmatter': _read_frontmatter,
    'heading': _read_headings,
    'json': _read_json,
    'jsonl': _read_jsonl,
    'table': _read_table,
    'yaml': _read_yaml,
}


# the files read last, by id: several records are read from one file
_recent: dict[str, str] = {}


def _text_of(blob: Blob) -> str:
    """Return the same object for the same file, so that caches keyed by text
    need not compare every character."""
    if not blob.oid:
        return decode(blob)
    text = _recent.get(blob.oid)
    if text is None:
        text = decode(blob)
        if len(_recent) >= KNOWN_TEXTS:
            del _recent[next(iter(_recent))]
        _recent[blob.oid] = text
    return text


class Parser:
    """Reads one record; equal parsers share their results for a blob."""

    def __init__(self, record: Record, names: Names) -> None:
        self._record, self._names = record, names
        self._key = (repr(record), names.name)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parser) and self._key == other._key

    def __call__(self, blob: Blob) -> ParsedRecord:
        record = self._record
        if record.read == PRESENT:
            return ParsedRecord((Reading('', '', PRESENT, 1, True),))
        try:
            found = READERS[record.read](_text_of(blob), record, self._names)
            return ParsedRecord(tuple(found))
        except Unreadable as e:
            return ParsedRecord((), Unreadable(shown(e.message), e.line))
