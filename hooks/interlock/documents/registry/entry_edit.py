"""Changes of a registry entry, and new entries and rows."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.documents import markdown
from interlock.documents.markdown import whole_lines
from interlock.documents.registry.cell_edit import set_cells, width
from interlock.documents.registry.record import Shape
from interlock.documents.registry.table import Registry
from interlock.documents.text import emoji, plain
from interlock.model.errors import Unreadable


def restyled(old: str, new: str) -> str:
    """A status in the style (bold or not) of the one it replaces."""
    bare = new.replace('**', '').replace('__', '').strip()
    if '**' not in old:
        return bare
    sign, _, text = bare.partition(' ')
    if (old.startswith('**') and emoji(old)) or plain(sign) or not text:
        return f'**{bare}**'
    return f'{sign} **{text}**'


def _one_line(text: str) -> str:
    if (text and text.splitlines() != [text]) or '\0' in text:
        raise Unreadable(f'cannot hold {text!r} in one line')
    return text


def _set_value(line: str, old: str, new: str) -> str:
    """A line with a field in it, with another value of the field."""
    bare = line.rstrip('\r\n')
    match = markdown.FIELD_RE.match(bare)
    start = match.start(2) if match and old else len(bare)
    at = line.find(old, start)
    if at < 0:
        raise Unreadable(f'has a comment in the middle of `{bare}`')
    gap = '' if old or bare.endswith((' ', '\t')) else ' '
    return f'{line[:at]}{gap}{_one_line(new)}{line[at + len(old) :]}'


def set_values(text: str, shape: Shape, values: Mapping[str, str]) -> str:
    """The text of an entry with other values in some of its fields."""
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
    """The text of an entry with one more line in its (last) timeline."""
    labels = {label.lower() for label in shape.timelines}
    at = 0
    inside = False
    for number, content in markdown.visible_lines(text):
        stripped = content.strip()
        if plain(stripped.strip('#')).rstrip(':').lower() in labels:
            inside, at = True, number
        elif (
            inside
            and stripped.startswith(('-', '*', '+'))
            and (not stripped.startswith('**'))
        ):
            at = number
        elif inside and stripped and not content.startswith((' ', '\t')):
            inside = False
        elif inside and stripped:
            # an item that goes on in the next line
            at = number
    if not at:
        raise Unreadable('has no timeline')
    lines = whole_lines(text)
    return ''.join(
        [*lines[: at - 1], behind(lines[at - 1], _one_line(line), text), *lines[at:]]
    )


def behind(line: str, new: str, text: str) -> str:
    """Two lines of a text; the last one ends as the first one did."""
    ending = line[len(line.rstrip('\r\n')) :]
    newline = ending or ('\r\n' if '\r\n' in text else '\n')
    return f'{line[: len(line) - len(ending)]}{newline}{new}{ending}'


def new_row(registry: Registry, values: Mapping[str, str]) -> bytes:
    """The file with one more row at the end of its first table."""
    table, data = registry.table, registry.data
    newline = b'\r\n' if table.header.endswith(b'\r\n') else b'\n'
    at = table.rows.end
    widths = _widths(table.header)
    # columns are kept aligned where they are
    rows = data[slice(*table.rows)].splitlines() or [table.header]
    aligned = _widths(rows[-1]) == widths
    cells = ['-'] * len(widths)
    for role, column in table.columns.items():
        cells[column] = values.get(role, '-').replace('|', '\\|')
    if aligned:
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


def new_entry(registry: Registry, text: str) -> bytes:
    """The file with one more entry behind the last one, else at the end."""
    entries = [piece for place in registry.places.values() for piece in place.entries]
    if b'\r\n' in registry.data:
        text = text.replace('\n', '\r\n')
    last = max(entries, default=None)
    at = last.offset + len(last.data) if last else len(registry.data)
    return insert_entry(registry.data, at, text.encode())


def insert_entry(data: bytes, at: int, new: bytes) -> bytes:
    """The file with an entry where another one ends, blank lines between."""
    newline = b'\r\n' if b'\r\n' in data else b'\n'
    head, tail = data[:at], data[at:]
    new = new.rstrip(b'\r\n')
    if not head.endswith(b'\n'):
        # the file ends without a newline, and goes on doing so
        return head + newline * 2 + new
    gap = b'' if head.endswith(newline * 2) else newline
    return head + gap + new + newline + (newline if tail else b'') + tail


def set_row(registry: Registry, item: str, values: Mapping[str, str]) -> bytes | None:
    """The file with other cells in an item's row, None if it has no row."""
    rows = registry.place(item).rows
    if not rows:
        return None
    row = rows[0]
    table = registry.table_at(row.offset)
    known = {
        role: value for role, value in values.items() if table and role in table.columns
    }
    line = set_cells(registry, row, known)
    end = row.offset + len(row.data)
    return registry.data[: row.offset] + line + registry.data[end:]
