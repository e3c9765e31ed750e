"""Write a new handoff document by filling in the texts of the outline."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.handoff_document.comparisons import flat, value
from interlock.handoff_document.draft import SessionFacts, complete_state, gap, is_gap
from interlock.handoff_document.outline import (
    BULLETS,
    CODE,
    NONE,
    ROWS,
    ListSpec,
    Outline,
    SectionSpec,
    TableSpec,
    outline,
)
from interlock.handoff_document.rules.tables import cell_text
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Callable, Iterable, NamedTuple
from interlock.state.agent_text import todo_call
from interlock.state.validate import State, rows_at, value_at

# a name, and the empty lines after it
NAME_RE = re.compile(r'\{(gap: )?([^{}\n]+)\}(\n*)')


class Draft(NamedTuple):
    outline: Outline
    facts: SessionFacts
    state: State

    def get(self, *path: str) -> Any:
        return value_at(self.state, *path)

    def rows(self, *path: str) -> list[State]:
        return rows_at(self.state, *path)

    def none(self, *path: str) -> str:
        """The text for a list without items: its gap, if it is unknown."""
        found = self.get(*path)
        return found if is_gap(found) else NONE


def _cell(text: str) -> str:
    return flat(text).replace('|', '\\|')


def _table(draft: Draft, spec: TableSpec) -> str:
    rows = draft.rows(*spec.rows)
    if not rows:
        return draft.none(*spec.rows)
    lines = [f'| {" | ".join(spec.header)} |', f'|{"---|" * len(spec.header)}']
    for number, row in enumerate(rows, 1):
        cells = [
            cell_text(column, row, number)
            if column.fields or column.kind == 'number'
            else gap(column.name)
            for column in spec.columns
        ]
        lines.append(f'| {" | ".join(map(_cell, cells))} |')
    return '\n'.join(lines)


def _tables(draft: Draft, section: str) -> str:
    made = []
    for spec in draft.outline.tables_of(section):
        if spec.heading:
            made.append(f'#### {spec.heading}')
        made.append(_table(draft, spec))
    return '\n\n'.join(made)


def _fenced(text: str, language: str = '') -> str:
    # longer than any fence inside the text
    marks = '```'
    while marks in text:
        marks += '`'
    return f'{marks}{language}\n{text}\n{marks}'


def _bullets(lines: Iterable[str], none: str = NONE) -> str:
    return '\n'.join(f'- {flat(line)}' for line in lines) or none


def _pairs(rows: Iterable[State], first: str, second: str) -> list[str]:
    return [f'{value(row, first)}: {value(row, second)}' for row in rows]


def _list(draft: Draft, spec: ListSpec) -> str:
    rows = [row for path in spec.rows for row in draft.rows(*path.split('.'))]
    items = [
        _item(row, spec)
        for row in rows
        if not any(row.get(key) in values for key, values in spec.unless.items())
        and (not spec.having or row.get(spec.having))
    ]
    if not items:
        return draft.none(*spec.rows[0].split('.')) if spec.open else spec.none
    elif spec.form == BULLETS:
        return _bullets(items)
    text = spec.between.join(items)
    return _fenced(text, spec.language) if spec.form == CODE else f'{spec.head}{text}'


def _item(row: State, spec: ListSpec) -> str:
    shown = _cell if spec.form == ROWS else flat

    def replaced(match: re.Match[str]) -> str:
        is_unknown, name, lines = match.groups()
        text = gap(name) if is_unknown else shown(value(row, name, spec.nothing))
        return f'{text}{lines}'

    return NAME_RE.sub(replaced, spec.each)


def _resume_call(draft: Draft, row: State) -> str:
    """The call that resumes a skill; without a command, by its name."""
    command = value(row, 'resume_command', '')
    if command:
        return command
    name = row.get('name')
    if not isinstance(name, str) or not name or is_gap(name):
        return gap('the call that resumes the skill')
    quoted = json.dumps(name, ensure_ascii=False)
    return f'{draft.outline.calls["skill"]}({quoted})'


def _skill(draft: Draft) -> str:
    calls = [_resume_call(draft, row) for row in draft.rows('skill_stack')[:1]]
    return _fenced(*calls or [draft.none('skill_stack')])


def _todos(draft: Draft) -> str:
    left = [draft.none('todos', 'explicit'), draft.none('todos')]
    gaps = [each for each in left if is_gap(each)]
    return _fenced(gaps[0] if gaps else todo_call(draft.rows('todos', 'explicit')))


def _position(draft: Draft) -> str:
    """The position of the newest skill, if it is exact."""
    for row in draft.rows('skill_stack')[:1]:
        if row.get('phase') and row.get('step'):
            return f'{row["phase"]}, {row["step"]}'
    return gap('file:line, or phase and task')


def _skill_tree(draft: Draft) -> str:
    """Each skill below the one that runs it, then the work of subagents."""
    lines: list[str] = []
    depths: dict[object, int] = {}

    def add(text: str, depth: int) -> None:
        branch = f'{"      " * (depth - 1)}  └── ' if depth else ''
        lines.append(f'{branch}{flat(text)}')

    # the state lists the newest first
    stack = draft.rows('skill_stack')
    for row in reversed(stack):
        # a parent that is missing or comes later does not count
        depth = depths.get(row.get('parent'), -1) + 1
        depths[row.get('name')] = depth
        places = [value(row, key, '') for key in ('phase', 'step')]
        place = ', '.join(filter(None, places))
        add(f'{value(row, "name")}{f" ({place})" if place else ""}', depth)
    below = max(depths.values(), default=-1) + 1
    for row in draft.rows('subagents'):
        add(f'{value(row, "id")}: {value(row, "task")} ({value(row, "status")})', below)
    return _fenced('\n'.join(lines)) if stack else ''


def _patterns(draft: Draft) -> str:
    chosen = draft.get('workflow', 'pattern')
    patterns = draft.outline.patterns.items()
    return _bullets(
        f'[{"x" if name == chosen else " "}] {title}' for name, title in patterns
    )


def _waiting_for(draft: Draft) -> str:
    waiting = draft.get('workflow', 'waiting_for') or NONE
    return waiting if isinstance(waiting, str) else ', '.join(map(str, waiting))


def _implicit_todos(draft: Draft) -> str:
    found = draft.get('todos', 'implicit')
    listed = [str(each) for each in found] if isinstance(found, list) else []
    return _bullets(listed, draft.none('todos', 'implicit'))


def _discrepancies(draft: Draft) -> str:
    results = draft.rows('artifacts', 'verification_results')
    failed = [row for row in results if row.get('passed') is False]
    files = draft.rows('artifacts', 'files')
    wrong = [row for row in files if row.get('status') in {'partial', 'missing'}]
    return _bullets(
        [*_pairs(failed, 'command', 'actual'), *_pairs(wrong, 'path', 'actual')]
    )


def _resume_calls(draft: Draft) -> str:
    # parents run first; the state lists them last
    calls = [_resume_call(draft, row) for row in reversed(draft.rows('skill_stack'))]
    return _fenced('\n'.join(calls)) if calls else draft.none('skill_stack')


def _entry(draft: Draft) -> str:
    stack = draft.rows('skill_stack')
    if not stack:
        return draft.none('skill_stack')
    plans = draft.rows('documents', 'impl') + draft.rows('documents', 'design')
    lines = [
        _resume_call(draft, stack[-1]),
        *(f'--plan {row["path"]} ({value(row, "status")})' for row in plans),
        f'Position: {_position(draft)}',
        'The decisions of 1.15 stand. What is complete is not run again, '
        'what was answered is not asked again.',
    ]
    return _fenced('\n'.join(lines))


# the names in the texts of the outline
PARTS: dict[str, Callable[[Draft], str]] = {
    'changed': lambda draft: str(len(draft.facts.changed)),
    'changed_files': lambda draft: _bullets(
        f'`{each}`' for each in draft.facts.changed
    ),
    'discrepancies': _discrepancies,
    'entry': _entry,
    'implicit_todos': _implicit_todos,
    'items': lambda draft: '; '.join(draft.facts.items) or NONE,
    'locks': lambda draft: '; '.join(draft.facts.locks) or NONE,
    'patterns': _patterns,
    'position': _position,
    'resume_calls': _resume_calls,
    'skill': _skill,
    'skill_tree': _skill_tree,
    'state': lambda draft: _fenced(yaml.dump(draft.state).rstrip('\n'), 'yaml'),
    'todos': _todos,
    'waiting_for': _waiting_for,
}


def _part(draft: Draft, section: str, name: str) -> str:
    """The text that replaces a name in a section."""
    if name == 'tables':
        return _tables(draft, section)
    elif name in draft.outline.lists:
        return _list(draft, draft.outline.lists[name])
    elif name in PARTS:
        return PARTS[name](draft)
    return flat(str(draft.get(*name.split('.')) or '-'))


def _body(draft: Draft, spec: SectionSpec) -> str:
    is_empty = [draft.get(*path.split('.')) == [] for path in spec.lists]
    if is_empty and all(is_empty):
        return spec.otherwise

    def replaced(match: re.Match[str]) -> str:
        is_unknown, name, lines = match.groups()
        made = gap(name) if is_unknown else _part(draft, spec.id, name)
        if match.start() and spec.text[match.start() - 1] != '\n':
            # the line of a label has room for one line only
            made = flat(made)
        return f'{made}{lines}' if made else ''

    return NAME_RE.sub(replaced, spec.text).rstrip('\n')


def write_document(facts: SessionFacts) -> tuple[str, State]:
    """The document, and the state that it holds."""
    draft = Draft(outline(), facts, complete_state(facts))
    made = []
    for spec in draft.outline.sections.values():
        heading, body = f'{"#" * spec.level} {spec.title}', _body(draft, spec)
        made.append(f'{heading}\n\n{body}\n' if body else f'{heading}\n')
    return '\n'.join(made), draft.state
