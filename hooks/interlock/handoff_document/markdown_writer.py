"""A handoff document written from a state; the outline says its order."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from interlock.documents import yaml
from interlock.handoff_document.comparisons import flat, value
from interlock.handoff_document.draft import Known, State, gap, is_gap
from interlock.handoff_document.outline import Outline, TableSpec
from interlock.handoff_document.rules.tables import cell_text
from interlock.state.agent_text import todo_call

NONE = 'NONE'


class Draft(NamedTuple):
    outline: Outline
    known: Known
    state: State

    def get(self, *path: str) -> Any:
        found: Any = self.state
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def rows(self, *path: str) -> list[State]:
        found = self.get(*path)
        if not isinstance(found, list):
            return []
        return [row for row in found if isinstance(row, dict)]

    def said(self, *path: str) -> str:
        """A value in one line."""
        value = self.get(*path)
        return flat(str(value)) if value else '-'

    def open(self, *path: str) -> str:
        """The gap, where nobody knows a list."""
        value = self.get(*path)
        return value if is_gap(value) else ''


def resume_call(draft: Draft, row: State) -> str:
    """How a skill is resumed; one that has no command is run by its name."""
    command = value(row, 'resume_command', '')
    if command:
        return command
    name = row.get('name')
    if not isinstance(name, str) or not name or is_gap(name):
        return gap('the call that resumes the skill')
    quoted = json.dumps(name, ensure_ascii=False)
    return f'{draft.outline.calls["skill"]}({quoted})'


def cell(text: str) -> str:
    return flat(text).replace('|', '\\|')


def table(draft: Draft, spec: TableSpec) -> str:
    rows = draft.rows(*spec.rows)
    if not rows:
        return draft.open(*spec.rows) or NONE
    lines = [f'| {" | ".join(spec.header)} |', f'|{"---|" * len(spec.header)}']
    for number, row in enumerate(rows, 1):
        cells = [
            cell_text(column, row, number)
            if column.fields or column.kind == 'number'
            else gap(column.name)
            for column in spec.columns
        ]
        lines.append(f'| {" | ".join(map(cell, cells))} |')
    return '\n'.join(lines)


def tables(draft: Draft, section: str) -> str:
    made = []
    for spec in draft.outline.tables_of(section):
        if spec.heading:
            made.append(f'#### {spec.heading}')
        made.append(table(draft, spec))
    return '\n\n'.join(made)


def fenced(text: str, language: str = '') -> str:
    # longer than any fence in it
    marks = '```'
    while marks in text:
        marks += '`'
    return f'{marks}{language}\n{text}\n{marks}'


def bullets(lines: Sequence[str], none: str = NONE) -> str:
    return '\n'.join(f'- {flat(line)}' for line in lines) or none


def _nothing(draft: Draft, section: str, rest: str) -> str:
    return f'{draft.outline.nothing[section][0]}{rest}'


def skill(draft: Draft) -> str:
    left = draft.open('skill_stack')
    stack = draft.rows('skill_stack')
    if left:
        return fenced(left)
    elif not stack:
        return _nothing(draft, '0.1', ' - go on with 0.2')
    return fenced(resume_call(draft, stack[0]))


def reads(draft: Draft, section: str, rest: str) -> str:
    paths = [str(row['path']) for row in draft.rows('documents', 'must_read')]
    name = draft.outline.calls['read']
    if not paths:
        return _nothing(draft, section, rest)
    return fenced('\n'.join(f'{name}("{path}")' for path in paths))


def todos(draft: Draft) -> str:
    left = draft.open('todos', 'explicit') or draft.open('todos')
    return fenced(left or todo_call(draft.rows('todos', 'explicit')))


def machine(draft: Draft) -> str:
    return fenced(yaml.dump(draft.state).rstrip('\n'), 'yaml')


Body = Callable[[Draft], str]


def document(draft: Draft, bodies: dict[str, Body]) -> str:
    """Every section of the outline, in its order."""
    made = []
    for spec in draft.outline.sections.values():
        body = bodies[spec.id](draft) if spec.id in bodies else spec.text
        heading = f'{"#" * spec.level} {spec.title}'
        made.append(f'{heading}\n\n{body}\n' if body else f'{heading}\n')
    return '\n'.join(made)
