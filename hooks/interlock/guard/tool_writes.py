"""What the files that a tool writes hold afterwards."""

from __future__ import annotations

from interlock.files.atomic_files import stored
from interlock.guard.event import EDIT, NOTEBOOK, WRITE, Event
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.documents.apply_patch import PatchedFile
    from interlock.model.quick_typing import Callable

# a client may match a text even if straight and curly quotes differ
QUOTES = str.maketrans({'\u2018': "'", '\u2019': "'", '\u201c': '"', '\u201d': '"'})


def _replaced(old: str, event: Event) -> str | None:
    """The text after an edit; None if the edit cannot be applied as it is."""
    before, after = event.given('old_string'), event.given('new_string')
    if before and before not in old:
        at = old.translate(QUOTES).find(before.translate(QUOTES))
        before = old[at : at + len(before)] if at >= 0 else ''
    count = old.count(before) if before else 0
    everywhere = event.fields('tool_input').get('replace_all') in (True, 'true')
    if not count or (count > 1 and not everywhere):
        return None
    return old.replace(before, after)


def _edited(old: bytes | None, event: Event) -> bytes | None:
    if old is None:
        is_new = not event.given('old_string')
        return event.given('new_string').encode() if is_new else None
    text = old.decode(errors='surrogateescape')
    # clients search for text with plain line ends, and keep the file's own
    ends = '\r\n' if '\r\n' in text else '\n'
    edited = _replaced(text.replace('\r\n', '\n'), event)
    if edited is None:
        return None
    return edited.replace('\n', ends).encode(errors='surrogateescape')


def _edited_cells(cells: list[Any], event: Event) -> list[Any] | None:
    wanted = event.given('cell_id')
    found = (
        number
        for number, cell in enumerate(cells)
        if isinstance(cell, dict) and wanted in (cell.get('id'), f'cell-{number}')
    )
    at = next(found, -1)
    mode, source = event.given('edit_mode') or 'replace', event.given('new_source')
    if mode == 'insert':
        kind = event.given('cell_type') or 'code'
        cell = {'cell_type': kind, 'metadata': {}, 'source': source}
        return [*cells[: at + 1], cell, *cells[at + 1 :]]
    elif at < 0:
        return None
    new = [] if mode == 'delete' else [{**cells[at], 'source': source}]
    return [*cells[:at], *new, *cells[at + 1 :]]


def _edited_notebook(old: bytes | None, event: Event) -> bytes | None:
    import json

    try:
        data = loads((old or b'').decode())
    except ValueError:
        return None
    cells = data.get('cells') if isinstance(data, dict) else None
    new = _edited_cells(cells, event) if isinstance(cells, list) else None
    if new is None:
        return None
    return json.dumps({**data, 'cells': new}, indent=1).encode()


def _written(event: Event) -> bytes | None:
    content = event.fields('tool_input').get('content')
    return content.encode(errors='replace') if isinstance(content, str) else None


# tool -> what its file holds afterwards
RESULTS: dict[str, Callable[[bytes | None, Event], bytes | None]] = {
    WRITE: lambda old, event: _written(event),
    EDIT: _edited,
    NOTEBOOK: _edited_notebook,
}


def _text(path: str) -> str | None:
    data = stored(path)
    return None if data is None else data.decode(errors='surrogateescape')


def result(event: Event, old: bytes | None) -> bytes | None:
    """The content of a tool's file afterwards; None if it is removed or unknown."""
    return RESULTS[event.tool](old, event)


def patched(
    event: Event, read: Callable[[str], str | None] = _text
) -> list[PatchedFile]:
    """The files of a patch; raises Refusal if the patch is not understood."""
    from interlock.documents.apply_patch import patched_files
    from interlock.model.errors import Refusal, Unreadable

    try:
        return patched_files(event.given('patch'), event.cwd, read)
    except Unreadable as error:
        raise Refusal(f'the patch cannot be read: {error.message}') from None
