"""Changes of a registry entry, and new entries and rows."""
from __future__ import annotations

from collections.abc import Mapping

from interlock.documents import markdown
from interlock.documents.markdown import whole_lines
from interlock.documents.record import Shape
from interlock.documents.registry import Registry
from interlock.documents.registry_edit import set_cells
from interlock.documents.text import emoji
from interlock.documents.text import plain
from interlock.model.errors import Unreadable


def restyled(old: str, new: str) -> str:
    """A status in the style (bold or not) of the one it replaces."""
    bare = new.replace('**', '').replace('__', '').strip()
    if '**' not in old:
        return bare
    text = plain(bare)
    sign = bare.replace(text, '').strip() if emoji(bare) else ''
    return f'{sign} **{text}**'.strip()


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
        line = lines[number - 1]
        start = line.rindex(old) if old else len(line.rstrip('\r\n'))
        gap = '' if old or line[start - 1:start] == ' ' else ' '
        rest = line[start + len(old):]
        lines[number - 1] = f'{line[:start]}{gap}{values[role]}{rest}'
    return ''.join(lines)


def append_to_timeline(text: str, shape: Shape, line: str) -> str:
    """The text of an entry with one more line in its (last) timeline."""
    labels = {label.lower() for label in shape.timelines}
    newline = '\r\n' if '\r\n' in text else '\n'
    at = 0
    inside = False
    for number, content in markdown.visible_lines(text):
        stripped = content.strip()
        if plain(stripped.strip('#')).rstrip(':').lower() in labels:
            inside, at = True, number
        elif inside and stripped.startswith(('- ', '* ', '+ ')):
            at = number
        elif inside and stripped and not content.startswith((' ', '\t')):
            inside = False
        elif inside and stripped:
            # an item that goes on in the next line
            at = number
    if not at:
        raise Unreadable('has no timeline')
    lines = whole_lines(text)
    if not lines[at - 1].endswith('\n'):
        lines[at - 1] += newline
    return ''.join([*lines[:at], f'{line}{newline}', *lines[at:]])


def new_row(registry: Registry, values: Mapping[str, str]) -> bytes:
    """The file with one more row at the end of its table."""
    newline = b'\r\n' if registry.header.endswith(b'\r\n') else b'\n'
    columns = len(markdown.cells(registry.header.decode(errors='replace')))
    cells = ['-'] * columns
    for role, column in registry.columns.items():
        cells[column] = values.get(role, '-').replace('|', '\\|')
    row = f'| {" | ".join(cells)} |'.encode() + newline
    at = registry.table.end
    data = registry.data
    gap = b'' if data[:at].endswith(b'\n') else newline
    return data[:at] + gap + row + data[at:]


def new_entry(registry: Registry, text: str) -> bytes:
    """The file with one more entry behind the last one, else at the end."""
    data = registry.data
    entries = [
        piece for place in registry.places.values() for piece in place.entries
    ]
    if b'\r\n' in data:
        text = text.replace('\n', '\r\n')
    newline = b'\r\n' if b'\r\n' in data else b'\n'
    last = max(entries, default=None)
    at = last.offset + len(last.data) if last else len(data)
    head = data[:at].rstrip(b'\r\n')
    tail = data[at:]
    parts = [head, newline * 2, text.encode().rstrip(b'\r\n'), newline]
    if tail:
        parts.extend([newline, tail])
    return b''.join(parts)


def set_row(
        registry: Registry,
        item: str,
        values: Mapping[str, str],
) -> bytes | None:
    """The file with other cells in an item's row, None if it has no row."""
    rows = registry.place(item).rows
    if not rows:
        return None
    row = rows[0]
    known = {
        role: value for role, value in values.items()
        if role in registry.columns
    }
    line = set_cells(registry, row, known)
    end = row.offset + len(row.data)
    return registry.data[:row.offset] + line + registry.data[end:]
