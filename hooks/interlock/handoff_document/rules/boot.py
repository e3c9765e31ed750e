"""Section 0: what is carried out before anything else is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.documents.text import shown
from interlock.documents.tool_calls import ToolCall
from interlock.handoff_document import plans
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_placeholder,
    same,
    visible,
)
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.outline import Outline
from interlock.handoff_document.rules import tables
from interlock.model.finding import Finding


def _problem(call: ToolCall) -> str:
    """Why a call of a skill or a read could not be carried out, or ''."""
    texts = call.texts
    if texts is None:
        return 'its arguments are no quoted texts'
    elif not texts or not texts[0].strip():
        return 'it names nothing'
    left = next(filter(None, map(inner_placeholder, texts)), '')
    return f'`{left}` is still to be filled in' if left else ''


def executable(case: Case, section: str, tool: str) -> list[ToolCall]:
    return [call for call in case.document.calls(section, tool) if not _problem(call)]


def _owed(
    case: Case, code: str, section: str, tool: str, what: str
) -> Iterator[Finding]:
    """Calls that can be carried out, or the words that there are none."""
    document = case.document
    if document.get(section) is None:
        return
    found = document.calls(section, tool)
    name = document.outline.calls[tool]
    words = document.outline.nothing[section][0]
    for call in found:
        problem = _problem(call)
        if problem:
            yield case.finding(
                code,
                call.line,
                f'the call of {name} in {section} cannot be carried out: {problem}',
                f'write it as {name}("{what}")',
                key=section,
                found=shown(call.inside or ''),
            )
    if not found and not document.says_nothing(section):
        yield case.finding(
            code,
            document.line(section),
            f'{section} has no call of {name} and does not say `{words}`',
            f'write {name}("{what}"), or `{words}`',
            key=section,
        )


def _denied(
    case: Case, code: str, section: str, tool: str, named: list[tuple[str, str]]
) -> Iterator[Finding]:
    """A section says that there is nothing, while others name something."""
    document = case.document
    if named and document.says_nothing(section) and not document.calls(section, tool):
        elsewhere, name = named[0]
        words = document.outline.nothing[section][0]
        yield case.finding(
            code,
            document.line(section),
            f'{section} says `{words}`, but {elsewhere} names `{visible(name)}`',
            f'write the call of {document.outline.calls[tool]}',
            key=section,
            found=name,
        )


def _stack(case: Case) -> list[str]:
    return [
        row['name']
        for row in case.document.state.rows('skill_stack')
        if isinstance(row.get('name'), str)
        and row['name'].strip()
        and not is_placeholder(row['name'], case.document.outline)
    ]


def _skills(case: Case) -> list[tuple[str, str]]:
    """The skills that Section 1 names, and where."""
    listed = [
        ('1.1.1', each.cell(row, each.spec.key).strip('` '))
        for each in tables.known(case)
        if each.spec.section == '1.1.1'
        for row in each.table.rows
        if tables.is_filled(case, row)
    ]
    called = [
        (section, call.texts[0])
        for section in ('1.14', '1.23')
        for call in executable(case, section, 'skill')
        if call.texts
    ]
    return [*listed, *called, *(('1.20', name) for name in _stack(case))]


def _is_skill(name: str, known: str) -> bool:
    """A plugin's skill may be named with or without the plugin."""
    if ':' in name and ':' in known:
        return same(name, known)
    return same(name.rpartition(':')[2], known.rpartition(':')[2])


def skill(case: Case) -> Iterator[Finding]:
    yield from _owed(case, 'DOC001', '0.1', 'skill', 'name", "arguments')
    yield from _denied(case, 'DOC001', '0.1', 'skill', _skills(case))
    stack = _stack(case)
    if not isinstance(case.document.state.get('skill_stack'), list) or (
        len(stack) < len(case.document.state.rows('skill_stack'))
    ):
        # it still has to be filled in
        return
    for call in executable(case, '0.1', 'skill'):
        name = call.texts[0] if call.texts else ''
        if not any(_is_skill(name, each) for each in stack):
            at = case.document.state.line('skill_stack')
            yield case.finding(
                'DOC036',
                call.line,
                f'0.1 runs `{shown(name)}`, which is not in the skill_stack '
                f'of 1.20 (line {at})',
                'make both the same',
                key='0.1/skill_stack',
                found=shown(name),
                expected=', '.join(map(shown, stack)),
            )


def _documents(case: Case) -> list[tuple[str, str]]:
    """The documents that Section 1 names, and where."""
    state = case.document.state
    return [
        *(('1.9', path) for _, path in plans.listed(case)),
        *(('1.10', path) for _, path in plans.to_read(case)),
        *(
            ('1.20', row['path'])
            for row in state.rows('documents', 'must_read')
            if isinstance(row.get('path'), str)
            and not is_placeholder(row['path'], case.document.outline)
        ),
    ]


def reads(case: Case) -> Iterator[Finding]:
    yield from _owed(case, 'DOC002', '0.2', 'read', '/absolute/path')
    yield from _denied(case, 'DOC002', '0.2', 'read', _documents(case))


def _entry_problem(entry: Any, outline: Outline) -> str:
    if not isinstance(entry, dict):
        return 'is no object'
    for key in ('content', 'status'):
        value = entry.get(key)
        if not isinstance(value, str) or not value.strip():
            return f'has no {key}'
        elif is_placeholder(value, outline):
            return f'still has to be filled in (`{shown(value)}`)'
    return ''


def _todos_problem(call: ToolCall, outline: Outline) -> str:
    try:
        value = call.json
    except ValueError as e:
        return f'its argument is no JSON ({e})'
    if not isinstance(value, list):
        return 'its argument is no list'
    for number, entry in enumerate(value, 1):
        problem = _entry_problem(entry, outline)
        if problem:
            return f'entry {number} {problem}'
    return ''


def todos(case: Case) -> Iterator[Finding]:
    document = case.document
    if document.get('0.3') is None:
        return
    name = document.outline.calls['todos']
    found = document.calls('0.3', 'todos')
    label = f'write {name}([...]) as JSON, an empty list where none are open'
    if len(found) != 1:
        many = f'{len(found)} calls' if found else 'no call'
        yield case.finding(
            'DOC004',
            found[1].line if found else document.line('0.3'),
            f'0.3 has {many} of {name}, not one',
            label,
        )
    for call in found[:1]:
        problem = _todos_problem(call, document.outline)
        if problem:
            yield case.finding(
                'DOC004',
                call.line,
                f'the call of {name} in 0.3 cannot be carried out: {problem}',
                label,
            )


def restored(case: Case) -> list[dict[str, Any]] | None:
    """The todos of 0.3; None where they cannot be read."""
    found = case.document.calls('0.3', 'todos')
    if len(found) != 1 or _todos_problem(found[0], case.document.outline):
        return None
    value: list[dict[str, Any]] = found[0].json
    return value


def first(case: Case) -> Iterator[Finding]:
    document = case.document
    label = 'move Section 0 to the top'
    start = document.get('S0')
    if start is None:
        yield case.finding('DOC005', 1, 'there is no Section 0', 'write Section 0')
        return
    before = [
        (each.line, each.spec.title)
        for each in document.sections
        if each.line < start.line
    ] + [
        (part.line, part.title)
        for part in document.before
        if part.level > 1 and part.line < start.line
    ]
    if before:
        line, title = min(before)
        yield case.finding(
            'DOC005',
            start.line,
            f'Section 0 stands behind `{shown(title)}` (line {line})',
            label,
        )
