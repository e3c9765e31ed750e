"""The file that would result from a tool call, as far as it can be known."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.guard.event import Event
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def target(event: Event, directory: str) -> str:
    """The file that a tool writes; '' where it names none."""
    key = 'notebook_path' if event.tool == 'NotebookEdit' else 'file_path'
    given = event.given(key)
    return os.path.join(directory, given) if given else ''


# the client finds a text also where its quotes are of another kind
QUOTES = str.maketrans({'\u2018': "'", '\u2019': "'", '\u201c': '"', '\u201d': '"'})


def _edited(old: str, event: Event) -> str | None:
    """None where the edit cannot be applied as it stands."""
    before, after = event.given('old_string'), event.given('new_string')
    if before and before not in old:
        at = old.translate(QUOTES).find(before.translate(QUOTES))
        before = old[at : at + len(before)] if at >= 0 else ''
    count = old.count(before) if before else 0
    everywhere = event.fields('tool_input').get('replace_all') in (True, 'true')
    if not count or (count > 1 and not everywhere):
        return None
    return old.replace(before, after)


def _edit(old: bytes | None, event: Event) -> bytes | None:
    if old is None:
        is_new = not event.given('old_string')
        return event.given('new_string').encode() if is_new else None
    text = old.decode(errors='surrogateescape')
    # the client looks for text with plain line ends, and keeps the others
    ends = '\r\n' if '\r\n' in text else '\n'
    edited = _edited(text.replace('\r\n', '\n'), event)
    if edited is None:
        return None
    return edited.replace('\n', ends).encode(errors='surrogateescape')


def _place(cells: list[Any], wanted: str) -> int:
    """Where a cell stands, by its id or its number; -1 if nowhere."""
    for number, cell in enumerate(cells):
        if isinstance(cell, dict) and wanted in (cell.get('id'), f'cell-{number}'):
            return number
    return -1


def _cells(cells: list[Any], event: Event) -> list[Any] | None:
    mode = event.given('edit_mode') or 'replace'
    at = _place(cells, event.given('cell_id'))
    source = event.given('new_source')
    if mode == 'insert':
        cell = {
            'cell_type': event.given('cell_type') or 'code',
            'metadata': {},
            'source': source,
        }
        return [*cells[: at + 1], cell, *cells[at + 1 :]]
    elif at < 0 or not isinstance(cells[at], dict):
        return None
    elif mode == 'delete':
        return [*cells[:at], *cells[at + 1 :]]
    return [*cells[:at], {**cells[at], 'source': source}, *cells[at + 1 :]]


def _notebook(old: bytes | None, event: Event) -> bytes | None:
    import json

    try:
        data = loads((old or b'').decode())
    except ValueError:
        return None
    cells = data.get('cells') if isinstance(data, dict) else None
    new = _cells(cells, event) if isinstance(cells, list) else None
    if new is None:
        return None
    return json.dumps({**data, 'cells': new}, indent=1).encode()


def result(event: Event, path: str) -> bytes | None:
    """None: nobody can say, and the path alone is judged."""
    if event.tool == 'Write':
        content = event.fields('tool_input').get('content')
        if not isinstance(content, str):
            return None
        return content.encode(errors='replace')
    old = read(path)
    if event.tool == 'NotebookEdit':
        return _notebook(old, event)
    return _edit(old, event)
