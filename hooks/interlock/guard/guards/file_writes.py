"""Files that would be written, by a tool, a command or an MCP server.

All of them are judged here, so that no rule depends on the route.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.guard.context import Context
from interlock.guard.decision import Decision, ask, deny
from interlock.guard.event import Event
from interlock.guard.relevance import Write, is_relevant
from interlock.model.errors import Refusal
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# the client finds a text even if its quotes are of another kind
QUOTES = str.maketrans({'\u2018': "'", '\u2019': "'", '\u201c': '"', '\u201d': '"'})


def _replaced(old: str, event: Event) -> str | None:
    """None if the edit cannot be applied as it stands."""
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
    # the client looks for text with plain line ends, and keeps the others
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


def _result(event: Event, path: str) -> bytes | None:
    """The content after the call; None: unknown, judge the path alone."""
    if event.tool == 'Write':
        content = event.fields('tool_input').get('content')
        return content.encode(errors='replace') if isinstance(content, str) else None
    elif event.tool == 'NotebookEdit':
        return _edited_notebook(read(path), event)
    return _edited(read(path), event)


def handle(context: Context) -> Decision | None:
    """PreToolUse of the tools that write files."""
    event = context.event
    given = event.given(
        'notebook_path' if event.tool == 'NotebookEdit' else 'file_path'
    )
    if not given:
        raise Refusal(f'{event.tool} names no file')
    path = os.path.join(context.directory, given)
    return judge_write(context, Write(path, lambda: _result(event, path)))


def worst(decisions: Iterable[Decision | None]) -> Decision | None:
    """The first refusal, else the first question."""
    question = None
    for decision in filter(None, decisions):
        if not decision.asks:
            return decision
        question = question or decision
    return question


def judge_write(context: Context, write: Write) -> Decision | None:
    contexts = context.governing(os.path.dirname(write.real))
    return worst(_judged(each, write) for each in contexts)


def _unjudged(context: Context, write: Write, why: Refusal) -> Decision | None:
    """With an invalid workflow only the workflow can be changed."""
    if os.path.join(context.base, os.path.basename(context.file)) in write.places:
        return ask('CLD004', f'this changes the workflow file ({why.message})')
    elif any(map(context.owns, write.places)):
        return deny(
            'CLD014',
            f'{why.message}; fix {context.file} before writing other files',
            'interlock doctor',
        )
    return None


def _judged(context: Context, write: Write) -> Decision | None:
    try:
        if not is_relevant(context, write):
            return None
    except Refusal as error:
        return _unjudged(context, write, error)
    # what follows takes ten times as long as all that went before
    from interlock.guard.guards import wiring

    found = [wiring.judge(context, write)]
    if context.has_tasks and (found[0] is None or found[0].asks):
        from interlock.guard.guards import task_files

        # a question does not replace the refusal without a lock
        found.append(task_files.judge(context, write))
    if not any(found):
        from interlock.guard.guards import records

        found.append(records.judge(context, write))
    return worst(found)
