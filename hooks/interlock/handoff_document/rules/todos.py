"""Todos: the same everywhere, word by word, and each with a verification."""

from __future__ import annotations

import itertools

from interlock.documents.markdown import FIELD_RE
from interlock.documents.text import shown
from interlock.handoff_document.case import SAME, Case, finding, rule
from interlock.handoff_document.comparisons import (
    flat,
    inner_placeholder,
    is_null,
    same,
)
from interlock.handoff_document.document import bare, starts
from interlock.handoff_document.rules.calls import restored_todos
from interlock.model import quick_re as re
from interlock.model.finding import ERROR, WARNING, Finding
from interlock.model.quick_typing import Any, Iterator, NamedTuple

ITEM_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)\Z')
BOX_RE = re.compile(r'\[([ xX])\]\s+')
STATUS_RE = re.compile(r'[(\[](pending|in_progress|completed|blocked)[)\]]\Z')
NONE = ('NONE', 'NO', 'None')
DONE = 'completed'


class Todo(NamedTuple):
    line: int
    content: str
    # '' if it has none
    status: str


def _parse(line: int, text: str) -> Todo:
    status = ''
    if box := BOX_RE.match(text):
        text = text[box.end() :]
        status = DONE if box[1] != ' ' else ''
    text = text.rstrip()
    if said := STATUS_RE.search(text):
        text, status = text[: said.start()], said[1]
    return Todo(line, text.strip().strip('"`'), status)


def list_below(
    case: Case, section: str, labels: tuple[str, ...]
) -> tuple[int, list[Todo]] | None:
    """The line of a label in bold, and the list below it."""
    found: tuple[int, list[Todo]] | None = None
    for number, line in case.document.lines(section):
        label, item = FIELD_RE.match(line), ITEM_RE.match(line)
        if label is not None:
            if found is not None:
                break
            name = label[1].strip().partition(' (')[0]
            if any(same(name, each) for each in labels):
                found = number, []
                value = label[2].strip()
                if value and not is_null(value) and not starts(bare(value), NONE):
                    found[1].append(_parse(number, value))
        elif found is not None and item is not None:
            found[1].append(_parse(number, item[1]))
    return found


def saved_todos(case: Case) -> list[Todo] | None:
    path = ('todos', 'explicit')
    if not isinstance(case.state.get(*path), list):
        return None
    return [
        Todo(
            case.state.line(*path, n),
            str(row.get('content', '')),
            str(row.get('status', '')),
        )
        for n, row in enumerate(case.state.rows(*path))
    ]


def _restored(case: Case) -> list[Todo] | None:
    entries = restored_todos(case)
    if entries is None:
        return None
    line = case.document.calls('0.3', 'todos')[0].line
    return [Todo(line, entry['content'], entry['status']) for entry in entries]


def _pending(case: Case) -> list[Todo] | None:
    found = list_below(case, '1.8', case.outline.marks.todos)
    if found is None or any(case.is_open(todo.content) for todo in found[1]):
        return None
    return found[1]


def _last(case: Case) -> list[Todo] | None:
    """The session's last todos."""
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
        # the tool has no word for `blocked`
        pair = {first.status, second.status}
        return '' if pair == {'pending', 'blocked'} else 'status'
    return ''


def _shown(todo: Todo | None, status: bool) -> str:
    if todo is None:
        return 'nothing'
    text = f'`{shown(todo.content)}`'
    return f'{text} ({todo.status})' if status and todo.status else text


def _compare(
    first: tuple[str, list[Todo]], second: tuple[str, list[Todo]], severity: str
) -> Iterator[Finding]:
    (name, mine), (other, theirs) = first, second
    for number, (one, two) in enumerate(itertools.zip_longest(mine, theirs), 1):
        kind = _difference(one, two)
        if kind:
            line = one.line if one else two.line if two else 0
            at = f' (line {two.line})' if two and two.line else ''
            said, wanted = (_shown(each, kind == 'status') for each in (one, two))
            yield finding(
                max(line, 1),
                f'todo {number} of {name} is {said}; {other}{at} says {wanted}',
                severity=severity,
                expected=wanted,
                found=said,
                key=f'{name}/{other}',
            )


@rule('DOC015', 'make the todos the same, word by word')
def todos_are_the_same(case: Case) -> Iterator[Finding]:
    lists = {'0.3': _restored(case), '1.8': _pending(case), '1.20': saved_todos(case)}
    there = [(name, todos) for name, todos in lists.items() if todos is not None]
    for one, other in itertools.pairwise(there):
        yield from _compare(one, other, ERROR)
    last = _last(case)
    if last is not None and there:
        yield from _compare(there[0], ('the transcript', last), WARNING)


@rule('DOC036', SAME)
def implicit_todos_are_the_same(case: Case) -> Iterator[Finding]:
    found = list_below(case, '1.8', case.outline.marks.implicit)
    saved = case.state.get('todos', 'implicit')
    if found is None or not isinstance(saved, list):
        return
    written, wanted = [todo.content for todo in found[1]], [str(each) for each in saved]
    if any(map(case.is_open, written)):
        return
    if len(written) != len(wanted) or not all(map(same, written, wanted)):
        line = case.state.line('todos', 'implicit')
        yield finding(
            found[0],
            f'the implicit todos of 1.8 are not those of 1.20 (line {line})',
            found='; '.join(written),
            expected='; '.join(wanted),
        )


def _has_command(case: Case, todo: dict[str, Any]) -> bool:
    """Whether a row of 1.13 says how to verify a todo."""
    section = case.document.get('1.13')
    names = [str(todo.get(key, '')) for key in ('id', 'content')]
    for table in section.tables if section else ():
        for row in table.rows:
            name, command, *_ = [*row.cells, '', '']
            if any(same(name, each) for each in names):
                if not is_null(command) and not inner_placeholder(command):
                    return True
    return False


@rule('DOC019', 'write a command as its verification')
def open_todos_can_be_verified(case: Case) -> Iterator[Finding]:
    section = case.document.get('1.13')
    for number, todo in enumerate(case.state.rows('todos', 'explicit')):
        content = shown(str(todo.get('content', '')))
        if todo.get('status') == DONE:
            continue
        if not todo.get('verification'):
            line = case.state.line('todos', 'explicit', number)
            message = f'nothing verifies the open todo `{content}`'
            yield finding(line, message, key=content)
        if section is not None and not _has_command(case, todo):
            yield finding(
                section.line,
                f'1.13 has no command for the open todo `{content}`',
                key=f'1.13 {content}',
                todo='write a row with its id and a command',
            )
