"""Todos: the same everywhere, word by word, and each with a verification."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from interlock.documents.markdown import FIELD_RE, Line
from interlock.documents.text import shown
from interlock.handoff_document.comparisons import (
    flat,
    inner_placeholder,
    is_null,
    is_placeholder,
    same,
)
from interlock.handoff_document.document import bare, starts
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.rules.boot import restored
from interlock.model.finding import ERROR, WARNING, Finding

ITEM_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)\Z')
BOX_RE = re.compile(r'\[([ xX])\]\s+')
STATUS_RE = re.compile(r'[(\[](pending|in_progress|completed|blocked)[)\]]\Z')
DONE = 'completed'


class Todo(NamedTuple):
    line: int
    content: str
    # '' where it is not said
    status: str


def _todo(line: int, text: str) -> Todo:
    status = ''
    box = BOX_RE.match(text)
    if box:
        text = text[box.end() :]
        status = DONE if box[1] != ' ' else ''
    text = text.rstrip()
    said = STATUS_RE.search(text)
    if said:
        text, status = text[: said.start()], said[1]
    return Todo(line, text.strip().strip('"`'), status)


def below(
    lines: Sequence[Line], labels: tuple[str, ...]
) -> tuple[int, list[Todo]] | None:
    """The list below a label in bold, and the line of the label."""
    found: tuple[int, list[Todo]] | None = None
    for number, line in lines:
        label = FIELD_RE.match(line)
        item = ITEM_RE.match(line)
        if label is not None:
            if found is not None:
                break
            name = label[1].strip().partition(' (')[0]
            if any(same(name, each) for each in labels):
                found = number, []
                value = label[2].strip()
                if (
                    value
                    and not is_null(value)
                    and not starts(bare(value), ('NONE', 'NO', 'None'))
                ):
                    found[1].append(_todo(number, value))
        elif found is not None and item is not None:
            found[1].append(_todo(number, item[1]))
    return found


def in_state(case: Case, *, explicit: str = 'explicit') -> list[Todo] | None:
    state = case.document.state
    if not isinstance(state.get('todos', explicit), list):
        return None
    return [
        Todo(
            state.line('todos', explicit, number),
            str(row.get('content', '')),
            str(row.get('status', '')),
        )
        for number, row in enumerate(state.rows('todos', explicit))
    ]


def _booted(case: Case) -> list[Todo] | None:
    entries = restored(case)
    if entries is None:
        return None
    call = case.document.calls('0.3', 'todos')[0]
    return [Todo(call.line, entry['content'], entry['status']) for entry in entries]


def _pending(case: Case) -> list[Todo] | None:
    found = below(
        [line for line in case.document.lines('1.8')], case.document.outline.marks.todos
    )
    if found is None:
        return None
    left = [
        todo for todo in found[1] if is_placeholder(todo.content, case.document.outline)
    ]
    return None if left else found[1]


def _last(case: Case) -> list[Todo] | None:
    """The todos that the session had when it ended."""
    if case.transcript is None or case.transcript.todos is None:
        return None
    return [
        Todo(0, str(each.get('content', '')), str(each.get('status', '')))
        for each in case.transcript.todos
    ]


def _difference(first: Todo | None, second: Todo | None) -> str:
    if first is None or second is None:
        return 'missing'
    elif flat(first.content) != flat(second.content):
        return 'content'
    elif first.status and second.status and first.status != second.status:
        # the tool has no word for what is blocked
        pair = {first.status, second.status}
        return '' if pair == {'pending', 'blocked'} else 'status'
    return ''


def _said(todo: Todo | None, status: bool) -> str:
    if todo is None:
        return 'nothing'
    text = f'`{shown(todo.content)}`'
    return f'{text} ({todo.status})' if status and todo.status else text


def _compare(
    case: Case,
    one: tuple[str, list[Todo]],
    other: tuple[str, list[Todo]],
    severity: str,
) -> Iterator[Finding]:
    (name, first), (other_name, second) = one, other
    for number in range(max(len(first), len(second))):
        mine = first[number] if number < len(first) else None
        theirs = second[number] if number < len(second) else None
        kind = _difference(mine, theirs)
        if kind:
            lines = [todo.line for todo in (mine, theirs) if todo]
            at = f' (line {theirs.line})' if theirs and theirs.line else ''
            said = _said(mine, kind == 'status')
            wanted = _said(theirs, kind == 'status')
            yield case.finding(
                'DOC015',
                max(lines[0], 1),
                f'todo {number + 1} of {name} is {said}; '
                f'{other_name}{at} says {wanted}',
                'make the todos the same, word by word',
                severity=severity,
                expected=wanted,
                found=said,
                key=f'{name}/{other_name}',
            )


def verbatim(case: Case) -> Iterator[Finding]:
    places = [('0.3', _booted(case)), ('1.8', _pending(case)), ('1.20', in_state(case))]
    there = [(name, todos) for name, todos in places if todos is not None]
    for one, other in itertools.pairwise(there):
        yield from _compare(case, one, other, ERROR)
    last = _last(case)
    if last is not None and there:
        yield from _compare(case, there[0], ('the transcript', last), WARNING)


def implicit(case: Case) -> Iterator[Finding]:
    found = below(case.document.lines('1.8'), case.document.outline.marks.implicit)
    state = case.document.state
    said = state.get('todos', 'implicit')
    if found is None or not isinstance(said, list):
        return
    written = [todo.content for todo in found[1]]
    if any(is_placeholder(each, case.document.outline) for each in written):
        return
    wanted = [str(each) for each in said]
    if len(written) != len(wanted) or not all(map(same, written, wanted)):
        line = state.line('todos', 'implicit')
        yield case.finding(
            'DOC036',
            found[0],
            f'the implicit todos of 1.8 are not those of 1.20 (line {line})',
            'make them the same',
            found='; '.join(written),
            expected='; '.join(wanted),
        )


def _has_command(case: Case, todo: dict[str, Any]) -> bool:
    """Does a row of 1.13 say how to verify a todo?"""
    section = case.document.get('1.13')
    for table in section.tables if section else ():
        for row in table.rows:
            cells = [*row.cells, '', '']
            named = any(
                same(cells[0], str(todo.get(key, ''))) for key in ('id', 'content')
            )
            if named and not is_null(cells[1]) and (not inner_placeholder(cells[1])):
                return True
    return False


def verified(case: Case) -> Iterator[Finding]:
    state = case.document.state
    section = case.document.get('1.13')
    for number, todo in enumerate(state.rows('todos', 'explicit')):
        content = shown(str(todo.get('content', '')))
        if todo.get('status') == DONE:
            continue
        if not todo.get('verification'):
            yield case.finding(
                'DOC019',
                state.line('todos', 'explicit', number),
                f'nothing verifies the open todo `{content}`',
                'write a command as its verification',
                key=content,
            )
        if section is not None and not _has_command(case, todo):
            yield case.finding(
                'DOC019',
                section.line,
                f'1.13 has no command for the open todo `{content}`',
                'write a row with its id and a command',
                key=f'1.13 {content}',
            )
