"""Rules that compare a document with the transcript of its session."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.handoff_document.case import Case, finding, rule
from interlock.handoff_document.comparisons import norm, same
from interlock.handoff_document.rules.todos import DONE, saved_todos
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator
from interlock.state.transcript import Transcript

# the start of a long message is enough: the rest may be a summary
START = 60
TASK_RE = re.compile(r'\s*[-*+]\s+\[([ xX])\]\s+(.*)\Z')
NO_TRANSCRIPT = Transcript()


def _text(case: Case, *sections: str) -> str:
    return norm(
        ' '.join(line for id in sections for _, line in case.document.lines(id))
    )


def _start(text: str) -> str:
    return norm(' '.join(text.split())[:START])


@rule('DOC043', 'write the message in 1.7 and 1.20')
def messages_are_kept(case: Case) -> Iterator[Finding]:
    written = _text(case, '1.7', '1.25')
    rows = case.state.rows('conversation', 'user_messages')
    saved = [_start(str(row.get('content'))) for row in rows]
    for message in (case.transcript or NO_TRANSCRIPT).messages:
        start, text = _start(message.text), shown(message.text)
        if start not in written and not any(each.startswith(start) for each in saved):
            line = case.document.line('1.7')
            yield finding(line, f'the message `{text}` is missing', expected=text)


@rule('DOC044', 'write the error and its fix in 1.6 and 1.20')
def errors_are_kept(case: Case) -> Iterator[Finding]:
    written = _text(case, '1.6', '1.25')
    rows = case.state.rows('conversation', 'errors')
    saved = [norm(str(row.get('error'))) for row in rows]
    for error in (case.transcript or NO_TRANSCRIPT).errors:
        first = error.strip().partition('\n')[0]
        start, whole = _start(first), norm(error)
        kept = any(start in each or (each and each in whole) for each in saved)
        if start not in written and not kept:
            line = case.document.line('1.6')
            message = f'the error `{shown(first)}` is missing'
            yield finding(line, message, expected=shown(first))


@rule('DOC045', 'fill the tables of 1.25')
def conversation_is_filled_in(case: Case) -> Iterator[Finding]:
    """1.25 is filled in, or says that there is nothing."""
    section = case.document.get('1.25')
    rows = section is not None and any(table.rows for table in section.tables)
    if case.transcript is None or rows:
        return
    line = section.line if section else 1
    if section is None or not case.document.says_nothing('1.25'):
        message = '1.25 is not filled in and does not say that there is nothing'
        yield finding(line, message)
    elif case.transcript.messages:
        yield finding(line, '1.25 says that there is nothing, but the user wrote')


@rule('DOC046', 'name it in 1.1')
def skills_are_documented(case: Case) -> Iterator[Finding]:
    written = _text(case, '0.1', '1.1', 'main', '1.1.1', '1.14', '1.23')
    rows = case.state.rows('skill_stack')
    for number in range(len(case.state.rows('subagents'))):
        rows += case.state.rows('subagents', number, 'skill_stack')
    names = {norm(str(row.get('name'))) for row in rows}
    for name in dict.fromkeys((case.transcript or NO_TRANSCRIPT).skills):
        if norm(name) not in names and norm(name) not in written:
            message = f'the skill `{shown(name)}` was used, but is not documented'
            yield finding(case.document.line('1.1'), message, expected=name)


@rule('DOC047', 'make todo and plan agree')
def plans_agree_with_todos(case: Case) -> Iterator[Finding]:
    """If a task of a plan is also a todo, both or neither are done."""
    todos = saved_todos(case) or []
    for row in case.state.rows('documents', 'impl') if case.facts else ():
        path = str(row.get('path'))
        text = case.facts.read(path) if case.facts else None
        for number, line in enumerate((text or '').split('\n'), 1):
            task = TASK_RE.match(line)
            for todo in todos if task else ():
                assert task is not None
                done = task[1] != ' '
                if same(task[2], todo.content) and done != (todo.status == DONE):
                    said = 'done' if done else 'open'
                    yield finding(
                        todo.line,
                        f'`{shown(todo.content)}` is {todo.status}, but {said} in '
                        f'{shown(path)}:{number}',
                        key=todo.content,
                        found=todo.status,
                        expected=said,
                    )


@rule('DOC048', 'fill it in, or say that there is nothing')
def concepts_and_decisions_are_named(case: Case) -> Iterator[Finding]:
    if case.transcript is None:
        return
    for id in ('1.3', '1.4'):
        section = case.document.get(id)
        if section is None or section.empty:
            yield finding(section.line if section else 1, f'{id} is empty', key=id)
    written = _text(case, '1.4', '1.15')
    for row in case.state.rows('decisions', 'binding') if written else ():
        decision = str(row.get('decision'))
        if norm(decision) not in written:
            yield finding(
                case.document.line('1.4'),
                f'only 1.20 has the decision `{shown(decision)}`',
                expected=shown(decision),
                todo='write it in 1.4 or 1.15',
            )
