"""Changes of single cells; every other byte of the file stays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from interlock.documents import markdown
from interlock.documents.registry.table import Piece, Registry
from interlock.model.errors import Unreadable

CONTROL_RE = re.compile('[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]')
VARIATION = '\ufe0f'


def width(text: str) -> int:
    return sum(
        2 if unicodedata.east_asian_width(char) in {'W', 'F'} else 1
        for char in text
        if not unicodedata.combining(char) and char != VARIATION
    )


def _fit(old: str, new: str) -> str:
    """`new` in the padding of `old`, so that columns stay aligned."""
    content = old.strip()
    start = old.index(content) if content else 1
    left = old[:start] or ' '
    right = old[start + len(content) :]
    spare = len(right) + width(content) - width(new)
    # a backslash right before a pipe would escape it
    least = 1 if right or new.endswith('\\') else 0
    return left + new + ' ' * max(spare, least)


def set_cells(registry: Registry, row: Piece, values: Mapping[str, str]) -> bytes:
    """A row with other values in the columns of some roles."""
    try:
        line = row.data.decode()
    except UnicodeDecodeError:
        raise Unreadable('is not UTF-8 text') from None
    cells = markdown.cells(line)
    # a row without a leading pipe starts with its first cell
    start = line.index('|') + 1 if not line.split('|')[0].strip() else 0
    body_end = start + sum(map(len, cells)) + len(cells) - 1
    head, tail = line[:start], line[body_end:]
    table = registry.table_at(row.offset)
    columns = table.columns if table else {}
    for role, value in values.items():
        if CONTROL_RE.search(value):
            raise Unreadable(f'cannot hold {value!r} in one line')
        column = columns.get(role, len(cells))
        if column >= len(cells):
            raise Unreadable(f'has no cell for the {role} in this row')
        cells[column] = _fit(cells[column], value.replace('|', '\\|'))
    return (head + '|'.join(cells) + tail).encode()


def splice(data: bytes, changes: Mapping[Piece, bytes]) -> bytes:
    """The file with some of its pieces replaced."""
    for piece in sorted(changes, reverse=True):
        end = piece.offset + len(piece.data)
        data = data[: piece.offset] + changes[piece] + data[end:]
    return data
