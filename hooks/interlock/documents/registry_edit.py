"""Changes of single cells; every other byte of the file stays."""
from __future__ import annotations

import unicodedata

from interlock.documents import markdown
from interlock.documents.registry import Piece
from interlock.documents.registry import Registry
from interlock.model.errors import Unreadable


def _width(text: str) -> int:
    return sum(
        2 if unicodedata.east_asian_width(char) in {'W', 'F'} else 1
        for char in text
        if not unicodedata.combining(char) and char != '\ufe0f'
    )


def _fit(old: str, new: str) -> str:
    """`new` in the padding of `old`, so that columns stay aligned."""
    content = old.strip()
    start = old.index(content) if content else len(old)
    left = old[:start] or ' '
    right = old[start + len(content):]
    spare = len(right) + _width(content) - _width(new)
    return left + new + ' ' * max(spare, min(len(right), 1))


def set_cell(registry: Registry, row: Piece, role: str, text: str) -> bytes:
    """The bytes of the registry with one cell of one row changed."""
    column = registry.columns.get(role)
    try:
        old = row.data.decode()
    except UnicodeDecodeError:
        raise Unreadable('is not UTF-8 text') from None
    if column is None or column >= len(markdown.cells(old)):
        raise Unreadable(f'has no cell for `{role}` in this row')
    raw = markdown.cells(old)
    # a row without a leading pipe starts with its first cell
    position = old.index('|') + 1 if not old.split('|')[0].strip() else 0
    for cell in raw[:column]:
        position += len(cell) + 1
    new = text.replace('|', '\\|')
    end = position + len(raw[column])
    line = old[:position] + _fit(raw[column], new) + old[end:]
    data = registry.data
    stop = row.offset + len(row.data)
    return data[:row.offset] + line.encode() + data[stop:]
