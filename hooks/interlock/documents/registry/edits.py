"""Changes to single cells, rows and entries; every other byte stays.

An item's row and entry can also be copied from one registry to another.
"""

from __future__ import annotations

import unicodedata

from interlock.documents import markdown
from interlock.documents.markdown import whole_lines
from interlock.documents.registry.diff import changed
from interlock.documents.registry.record import Shape, timeline_lines
from interlock.documents.registry.table import ItemPieces, Piece, Registry
from interlock.documents.text import emoji, plain, require_one_line
from interlock.model import quick_re as re
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Callable, Mapping

CONTROL_RE = re.compile('[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]')
VARIATION = '\ufe0f'
STYLES = ('**', '*', '`')
ENDS = b'\r\n'
# the rows or the entries of an item
Pieces = Callable[[ItemPieces], 'tuple[Piece, ...]']


def width(text: str) -> int:
    return sum(
        2 if unicodedata.east_asian_width(char) in {'W', 'F'} else 1
        for char in text
        if not unicodedata.combining(char) and char != VARIATION
    )


def _fit(old: str, new: str) -> str:
    """`new` with the padding of `old`, so that columns stay aligned."""
    content = old.strip()
    start = old.index(content) if content else 1
    left = old[:start] or ' '
    right = old[start + len(content) :]
    spare = len(right) + width(content) - width(new)
    # a backslash before a pipe would escape it
    least = 1 if right or new.endswith('\\') else 0
    return left + new + ' ' * max(spare, least)


def set_cells(registry: Registry, row: Piece, values: Mapping[str, str]) -> bytes:
    """A row with new values in the columns of some roles."""
    try:
        line = row.data.decode()
    except UnicodeDecodeError:
        raise Unreadable('is not UTF-8 text') from None
    cells = markdown.cells(line)
    # a row without a leading pipe starts with its first cell
    start = line.index('|') + 1 if not line.split('|')[0].strip() else 0
    end = start + sum(map(len, cells)) + len(cells) - 1
    table = registry.table_at(row.offset)
    for role, value in values.items():
        if CONTROL_RE.search(value):
            raise Unreadable(f'cannot hold {value!r} in one line')
        column = table.columns.get(role, len(cells)) if table else len(cells)
        if column >= len(cells):
            raise Unreadable(f'has no cell for the {role} in this row')
        cells[column] = _fit(cells[column], value.replace('|', '\\|'))
    return (line[:start] + '|'.join(cells) + line[end:]).encode()


def bare_cells(row: Piece) -> list[str]:
    """The cells of a row, without their padding."""
    text = row.data.decode(errors='surrogateescape')
    return [cell.strip() for cell in markdown.cells(text)]


def splice(data: bytes, changes: Mapping[Piece, bytes]) -> bytes:
    """The file with some of its pieces replaced."""
    for piece in sorted(changes, reverse=True):
        end = piece.offset + len(piece.data)
        data = data[: piece.offset] + changes[piece] + data[end:]
    return data


def set_row(registry: Registry, item: str, values: Mapping[str, str]) -> bytes | None:
    """The file with new cells in an item's row, None if it has no row."""
    for row in registry.place(item).rows:
        table = registry.table_at(row.offset)
        columns = table.columns if table else {}
        known = {role: value for role, value in values.items() if role in columns}
        return splice(registry.data, {row: set_cells(registry, row, known)})
    return None


def new_row(registry: Registry, values: Mapping[str, str]) -> bytes:
    """The file with one more row at the end of its first table."""
    table, data = registry.table, registry.data
    newline = b'\r\n' if table.header.endswith(b'\r\n') else b'\n'
    at = table.rows.end
    widths = _widths(table.header)
    cells = ['-'] * len(widths)
    for role, column in table.columns.items():
        cells[column] = values.get(role, '-').replace('|', '\\|')
    # columns that are aligned stay aligned
    rows = data[slice(*table.rows)].splitlines() or [table.header]
    if _widths(rows[-1]) == widths:
        cells = [
            cell + ' ' * (wide - 2 - width(cell))
            for cell, wide in zip(cells, widths, strict=True)
        ]
    row = f'| {" | ".join(cells)} |'.encode()
    if data[:at].endswith(b'\n'):
        return data[:at] + row + newline + data[at:]
    return data + newline + row


def _widths(row: bytes) -> list[int]:
    return [width(cell) for cell in markdown.cells(row.decode(errors='replace'))]


def restyled(old: str, new: str) -> str:
    """A status in the style (bold, italic, code) of the one it replaces."""
    bare = new.replace('**', '').replace('__', '').strip()
    mark = next((each for each in STYLES if each in old), '')
    if not mark:
        return bare
    sign, _, text = bare.partition(' ')
    if (old.startswith(mark) and emoji(old)) or plain(sign) or not text:
        return f'{mark}{bare}{mark}'
    return f'{sign} {mark}{text}{mark}'


def _set_value(line: str, old: str, new: str) -> str:
    """A line with a new value of the field in it."""
    bare = line.rstrip('\r\n')
    match = markdown.FIELD_RE.match(bare)
    start = match.start(2) if match and old else len(bare)
    at = line.find(old, start)
    if at < 0:
        raise Unreadable(f'has a comment in the middle of `{bare}`')
    gap = '' if old or bare.endswith((' ', '\t')) else ' '
    return f'{line[:at]}{gap}{require_one_line(new)}{line[at + len(old) :]}'


def set_values(text: str, shape: Shape, values: Mapping[str, str]) -> str:
    """The text of an entry with new values in some fields."""
    found = markdown.fields(markdown.visible_lines(text))
    lines = whole_lines(text)
    for role, label in shape.fields:
        if role not in values:
            continue
        elif label.lower() not in found:
            raise Unreadable(f'has no field `{label}`')
        number, old = found[label.lower()][0]
        lines[number - 1] = _set_value(lines[number - 1], old, values[role])
        read = markdown.fields([(number, lines[number - 1].rstrip('\r\n'))])
        if read.get(label.lower()) != [(number, values[role].strip())]:
            raise Unreadable(f'cannot hold `{values[role]}` as its {label}')
    return ''.join(lines)


def append_to_timeline(text: str, shape: Shape, line: str) -> str:
    """The text of an entry with one more line in its last timeline."""
    timelines = timeline_lines(markdown.visible_lines(text), shape)
    if not timelines:
        raise Unreadable('has no timeline')
    at, _ = timelines[-1][-1]
    lines = whole_lines(text)
    lines[at - 1] = with_line_after(lines[at - 1], require_one_line(line), text)
    return ''.join(lines)


def with_line_after(line: str, new: str, text: str) -> str:
    """Two lines of a text; the second ends as the first did."""
    ending = line[len(line.rstrip('\r\n')) :]
    newline = ending or ('\r\n' if '\r\n' in text else '\n')
    return f'{line[: len(line) - len(ending)]}{newline}{new}{ending}'


def new_entry(registry: Registry, text: str) -> bytes:
    """The file with one more entry after the last one, else at the end."""
    entries = [piece for place in registry.places.values() for piece in place.entries]
    if b'\r\n' in registry.data:
        text = text.replace('\n', '\r\n')
    last = max(entries, default=None)
    at = last.offset + len(last.data) if last else len(registry.data)
    return insert_entry(registry.data, at, text.encode())


def insert_entry(data: bytes, at: int, new: bytes) -> bytes:
    """The file with an entry after another one, with blank lines between."""
    newline = b'\r\n' if b'\r\n' in data else b'\n'
    head, tail = data[:at], data[at:]
    new = new.rstrip(b'\r\n')
    if not head.endswith(b'\n'):
        # the file still ends without a newline
        return head + newline * 2 + new
    gap = b'' if head.endswith(newline * 2) else newline
    return head + gap + new + newline + (newline if tail else b'') + tail


def _only(pieces: tuple[Piece, ...], item: str) -> Piece | None:
    if len(pieces) > 1:
        raise Unreadable(f'holds {item} twice')
    return pieces[0] if pieces else None


def _newline(registry: Registry) -> bytes:
    return b'\r\n' if registry.table.header.endswith(b'\r\n') else b'\n'


def _text(piece: Piece, source: Registry, base: Registry) -> bytes:
    """A piece without its line end, with the line ends of the other registry."""
    text = piece.data.rstrip(ENDS)
    if _newline(source) == _newline(base):
        return text
    return text.replace(b'\r\n', b'\n').replace(b'\n', _newline(base))


def _behind(source: Registry, base: Registry, item: str, pieces: Pieces) -> int | None:
    """The end in `base` of the item that precedes this one in both."""
    found = None
    for name, place in sorted(source.places.items(), key=lambda each: pieces(each[1])):
        if not pieces(place):
            continue
        elif name == item:
            break
        for piece in pieces(base.place(name)):
            found = piece.offset + len(piece.data)
    return found


def _insert_row(base: Registry, source: Registry, item: str, row: Piece) -> bytes:
    text, newline = _text(row, source, base), _newline(base)
    at = _behind(source, base, item, lambda place: place.rows)
    at = base.table.rows.start if at is None else at
    head, tail = base.data[:at], base.data[at:]
    if head and not head.endswith(b'\n'):
        return head + newline + text
    return head + text + newline + tail


def _insert_entry(base: Registry, source: Registry, item: str, new: Piece) -> bytes:
    at = _behind(source, base, item, lambda place: place.entries)
    if at is None:
        following = source.data[new.offset + len(new.data) :]
        # without an entry: before the text that follows it, if both have that
        same = base.data.endswith(following)
        end = len(base.data) - len(following) if same else len(base.data)
        entries = [piece for place in base.places.values() for piece in place.entries]
        at = min((piece.offset for piece in entries), default=end)
    return insert_entry(base.data, at, _text(new, source, base))


def _graft(
    base: Registry,
    source: Registry,
    item: str,
    pieces: Pieces,
    insert: Callable[[Registry, Registry, str, Piece], bytes],
) -> Registry:
    new = _only(pieces(source.place(item)), item)
    old = _only(pieces(base.place(item)), item)
    data = base.data
    if new and old:
        end = old.data[len(old.data.rstrip(ENDS)) :]
        data = splice(data, {old: _text(new, source, base) + end})
    elif old:
        data = splice(data, {old: b''})
    elif new:
        data = insert(base, source, item, new)
    return Registry(Blob('', len(data), data), base.shape)


def graft(base: Registry, source: Registry, item: str) -> bytes:
    """`base` with the row and the entry of an item from `source`."""
    for registry in (base, source):
        if registry.problem is not None:
            raise registry.problem
    headers, others = (
        [header.rstrip(ENDS) for header in each.headers] for each in (base, source)
    )
    if headers != others:
        raise Unreadable('has other columns')
    result = _graft(base, source, item, lambda place: place.rows, _insert_row)
    result = _graft(result, source, item, lambda place: place.entries, _insert_entry)
    place, wanted = result.place(item), source.place(item)
    if [*map(len, place)] != [*map(len, wanted)] or not changed(result, base) <= {item}:
        # a fence that is never closed hides what follows
        raise Unreadable(f'cannot hold {item} without other changes')
    return result.data


def registry_of_item(source: Registry, item: str) -> bytes:
    """A registry with one item of another registry and no others."""
    if source.problem is not None:
        raise source.problem
    others = [place for name, place in source.places.items() if name != item]
    return splice(
        source.data,
        {piece: b'' for place in others for piece in (*place.rows, *place.entries)},
    )
