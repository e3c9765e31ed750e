"""What the transcript of a session says of its handoff document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.handoff_document.comparisons import norm, same
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.rules.todos import DONE, in_state
from interlock.model.finding import Finding

# that much of a long message is asked for: the rest may be summed up
START = 60
TASK_RE = re.compile(r'\s*[-*+]\s+\[([ xX])\]\s+(.*)\Z')


def _text(case: Case, *sections: str) -> str:
    return norm(
        ' '.join(line for id in sections for _, line in case.document.lines(id))
    )


def _start(text: str) -> str:
    return norm(' '.join(text.split())[:START])


def messages(case: Case) -> Iterator[Finding]:
    if case.transcript is None:
        return
    written = _text(case, '1.7', '1.25')
    kept = [
        _start(str(row.get('content')))
        for row in case.document.state.rows('conversation', 'user_messages')
    ]
    for message in case.transcript.messages:
        start = _start(message.text)
        if (
            start
            and start not in written
            and not any(each.startswith(start) for each in kept)
        ):
            yield case.finding(
                'DOC043',
                case.document.line('1.7'),
                f'the message `{shown(message.text)}` is not there',
                'write the message in 1.7 and 1.20',
                expected=shown(message.text),
            )


def errors(case: Case) -> Iterator[Finding]:
    if case.transcript is None:
        return
    written = _text(case, '1.6', '1.25')
    kept = [
        norm(str(row.get('error')))
        for row in case.document.state.rows('conversation', 'errors')
    ]
    for error in case.transcript.errors:
        first = error.strip().partition('\n')[0]
        start = _start(first)
        if (
            start
            and start not in written
            and not any(
                start in each or (each and each in norm(error)) for each in kept
            )
        ):
            yield case.finding(
                'DOC044',
                case.document.line('1.6'),
                f'the error `{shown(first)}` is not there',
                'write the error and its fix in 1.6 and 1.20',
                expected=shown(first),
            )


def conversation(case: Case) -> Iterator[Finding]:
    """1.25 is filled, or says that there is nothing."""
    if case.transcript is None:
        return
    section = case.document.get('1.25')
    rows = section is not None and any(table.rows for table in section.tables)
    if rows:
        return
    silent = section is None or not case.document.says_nothing('1.25')
    if silent or case.transcript.messages:
        why = (
            'says that there is nothing, but the user wrote'
            if not silent
            else 'is neither filled nor says that there is nothing'
        )
        yield case.finding(
            'DOC045',
            section.line if section else 1,
            f'1.25 {why}',
            'fill the tables of 1.25',
        )


def skills(case: Case) -> Iterator[Finding]:
    if case.transcript is None:
        return
    state = case.document.state
    written = _text(case, '0.1', '1.1', 'main', '1.1.1', '1.14', '1.23')
    names = {
        norm(str(row.get('name')))
        for row in (
            *state.rows('skill_stack'),
            *(
                each
                for number in range(len(state.rows('subagents')))
                for each in state.rows('subagents', number, 'skill_stack')
            ),
        )
    }
    for name in dict.fromkeys(case.transcript.skills):
        if norm(name) not in names and norm(name) not in written:
            yield case.finding(
                'DOC046',
                case.document.line('1.1'),
                f'the skill `{shown(name)}` was used, and is not documented',
                'name it in 1.1',
                expected=name,
            )


def progress(case: Case) -> Iterator[Finding]:
    """Tasks of a plan that are todos too are done in both or in neither."""
    state = case.document.state
    if case.facts is None:
        return
    todos = in_state(case) or []
    for row in state.rows('documents', 'impl'):
        path = str(row.get('path'))
        for number, line in enumerate((case.facts.read(path) or '').split('\n'), 1):
            task = TASK_RE.match(line)
            for todo in todos if task else ():
                assert task is not None
                finished = task[1] != ' '
                if same(task[2], todo.content) and (finished != (todo.status == DONE)):
                    so = 'done' if finished else 'open'
                    yield case.finding(
                        'DOC047',
                        todo.line,
                        f'`{shown(todo.content)}` is {todo.status}, but '
                        f'{so} in {shown(path)}:{number}',
                        'bring todo and plan in line',
                        key=todo.content,
                        found=todo.status,
                        expected=so,
                    )


def concepts(case: Case) -> Iterator[Finding]:
    """Concepts and decisions are named, and those of 1.20 explained."""
    if case.transcript is None:
        return
    document = case.document
    for id in ('1.3', '1.4'):
        section = document.get(id)
        if section is None or section.empty:
            yield case.finding(
                'DOC048',
                section.line if section else 1,
                f'{id} says nothing',
                'fill it, or say that there is nothing',
                key=id,
            )
    written = _text(case, '1.4', '1.15')
    for row in document.state.rows('decisions', 'binding'):
        decision = str(row.get('decision'))
        if norm(decision) not in written and written:
            yield case.finding(
                'DOC048',
                document.line('1.4'),
                f'the decision `{shown(decision)}` stands only in 1.20',
                'write it in 1.4 or 1.15',
                expected=shown(decision),
            )
