"""1.20: the state that programs read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.documents.text import shown
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_choice,
    is_placeholder,
)
from interlock.handoff_document.document import STATE
from interlock.handoff_document.document_context import Case
from interlock.model.finding import Finding
from interlock.state.plan_files import encoded
from interlock.state.validate import InvalidValue, Path, invalid_values, where

# the values that are commands: a bar is no choice between words there
COMMANDS = {'command', 'verification', 'resume_command'}
OPEN_GATES = ('FAILED', 'PENDING')


def readable(case: Case) -> Iterator[Finding]:
    problem = case.document.state.problem
    if problem is not None and case.document.get(STATE) is not None:
        line = max(problem.line, case.document.line(STATE))
        yield case.finding(
            'DOC008',
            line,
            f'{STATE} {problem.message}',
            'write one yaml block that can be read',
            found=problem.message,
        )


def _texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, (*path, number))
    elif isinstance(value, str):
        yield path, value


def _is_left(case: Case, path: Path, text: str) -> bool:
    last = str(path[-1]) if path else ''
    if last == 'resume_command' and inner_placeholder(text):
        return True
    elif is_placeholder(text, case.document.outline):
        return True
    return is_choice(text) and last not in COMMANDS


def _left(case: Case) -> list[tuple[Path, str]]:
    """The values that still have to be filled in."""
    state = case.document.state
    # `[N]` is a list to YAML
    found = [
        (each.path, 'a list')
        for each in invalid_values(state.data, True)
        if each.kind == 'type' and isinstance(state.get(*each.path), list)
    ]
    return found + [
        (path, text) for path, text in _texts(state.data) if _is_left(case, path, text)
    ]


def placeholders(case: Case) -> Iterator[Finding]:
    state = case.document.state
    if state.problem is not None:
        return
    seen: set[Path] = set()
    for path, text in _left(case):
        # what stands in a list that is none is not told again
        if not any(path[:n] in seen for n in range(len(path) + 1)):
            yield case.finding(
                'DOC009',
                state.line(*path),
                f'`{where(path)}` still has to be filled in: {shown(text)}',
                'write the value',
                found=shown(text),
                key=where(path),
            )
        seen.add(path)


def _code(path: Path) -> str:
    """The rule that a key belongs to."""
    last, first = path[-1] if path else '', path[0] if path else ''
    if last == 'constraints' or 'constraints' in path:
        return 'DOC010'
    elif first == 'subagents' and last == 'skill_stack':
        return 'DOC011'
    elif last == 'lesson':
        return 'DOC012'
    elif first == 'subagents' and len(path) == 3 and last in {'id', 'persona'}:
        return 'DOC034'
    return 'DOC035'


def _violation(case: Case, violation: InvalidValue) -> Finding:
    code = _code(violation.path)
    if violation.kind == 'enum':
        code = 'DOC013'
    elif violation.kind == 'command':
        code = 'DOC030'
    name = where(violation.path) or 'the state'
    return case.finding(
        code,
        case.document.state.line(*violation.path),
        f'`{name}` {violation.message}',
        'correct the value',
        found=violation.message,
        key=name,
    )


def valid(case: Case) -> Iterator[Finding]:
    """What the schema of the state demands."""
    state = case.document.state
    if state.problem is not None:
        return
    left = [path for path, _ in _left(case)]
    for violation in invalid_values(state.data, complete=True):
        at = violation.path
        around = [
            path for path in left if path[: len(at)] == at or at[: len(path)] == path
        ]
        if not around or violation.kind == 'missing':
            yield _violation(case, violation)


def filled(case: Case) -> Iterator[Finding]:
    """Texts that must say something, besides being there."""
    state = case.document.state
    wanted = [
        (('subagents', number, key), row.get(key), 'DOC034')
        for number, row in enumerate(state.rows('subagents'))
        for key in ('id', 'persona')
        if key in row
    ] + [
        (('conversation', 'corrections', number, 'lesson'), row['lesson'], 'DOC012')
        for number, row in enumerate(state.rows('conversation', 'corrections'))
        if 'lesson' in row
    ]
    for path, value, code in wanted:
        empty = value is None or (isinstance(value, str) and not value.strip())
        # what is of a wrong kind is told already, an empty text is not
        if empty:
            yield case.finding(
                code,
                state.line(*path),
                f'`{where(path)}` says nothing',
                'write the value',
                key=where(path),
            )


def project(case: Case) -> Iterator[Finding]:
    state = case.document.state
    path, name = state.get('project_path'), state.get('project_encoded')
    if not isinstance(path, str) or not isinstance(name, str):
        return
    elif is_placeholder(path, case.document.outline) or is_placeholder(
        name, case.document.outline
    ):
        return
    if name != encoded(path):
        yield case.finding(
            'DOC014',
            state.line('project_encoded'),
            f'project_encoded is `{shown(name)}`, '
            f'but the path makes it `{shown(encoded(path))}`',
            'write the path without its first slash, each other a dash',
            expected=encoded(path),
            found=name,
        )


def gates(case: Case) -> Iterator[Finding]:
    """A gate that is not passed cannot be skipped."""
    state = case.document.state
    for number, gate in enumerate(state.rows('quality_gates')):
        if gate.get('status') in OPEN_GATES and gate.get('can_skip') is True:
            name = shown(str(gate.get('name')))
            yield case.finding(
                'DOC040',
                state.line('quality_gates', number, 'can_skip'),
                f'the gate `{name}` is {gate["status"]} and may be skipped',
                'write can_skip: false',
                key=name,
            )
