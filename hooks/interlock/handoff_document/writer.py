"""A new handoff document: the outline has its text, and this fills it in."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.handoff_document.comparisons import flat, value
from interlock.handoff_document.draft import SessionFacts, complete_state, gap, is_gap
from interlock.handoff_document.outline import ListSpec, Outline, TableSpec, outline
from interlock.handoff_document.rules.tables import cell_text
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Callable, Iterable, NamedTuple
from interlock.state.agent_text import todo_call
from interlock.state.validate import State, rows_at, value_at

NONE = 'NONE'
FIELD_RE = re.compile(r'\{(\w+)\}')
NAME_RE = re.compile(r'\{(gap: )?([^{}\n]+)\}')


class Draft(NamedTuple):
    outline: Outline
    facts: SessionFacts
    state: State

    def get(self, *path: str) -> Any:
        return value_at(self.state, *path)

    def rows(self, *path: str) -> list[State]:
        return rows_at(self.state, *path)

    def none(self, *path: str) -> str:
        """What stands for a list without items: its gap, if it is unknown."""
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
    # longer than any fence in it
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
    kept = [
        row
        for row in rows
        if not any(row.get(key) in values for key, values in spec.unless.items())
    ]
    none = draft.none(*spec.rows[0].split('.')) if spec.open else NONE
    return _bullets((_item(row, spec) for row in kept), none)


def _item(row: State, spec: ListSpec) -> str:
    return FIELD_RE.sub(lambda match: value(row, match[1], spec.nothing), spec.each)


def _nothing(draft: Draft, section: str, rest: str) -> str:
    return f'{draft.outline.nothing[section][0]}{rest}'


def _resume_call(draft: Draft, row: State) -> str:
    """How a skill is resumed; one without a command is run by its name."""
    command = value(row, 'resume_command', '')
    if command:
        return command
    name = row.get('name')
    if not isinstance(name, str) or not name or is_gap(name):
        return gap('the call that resumes the skill')
    quoted = json.dumps(name, ensure_ascii=False)
    return f'{draft.outline.calls["skill"]}({quoted})'


def _skill(draft: Draft) -> str:
    stack = draft.rows('skill_stack')
    if stack:
        return _fenced(_resume_call(draft, stack[0]))
    left = draft.none('skill_stack')
    nothing = _nothing(draft, '0.1', ' - go on with 0.2')
    return _fenced(left) if is_gap(left) else nothing


def _must_read(draft: Draft) -> list[str]:
    return [str(row['path']) for row in draft.rows('documents', 'must_read')]


def _reads(draft: Draft, nothing: str) -> str:
    name = draft.outline.calls['read']
    calls = [f'{name}("{path}")' for path in _must_read(draft)]
    return _fenced('\n'.join(calls)) if calls else nothing


def _reads_again(draft: Draft) -> str:
    calls = _reads(draft, _nothing(draft, '1.10', ' TO RE-READ'))
    if not _must_read(draft):
        return calls
    return f'{_tables(draft, "1.10")}\n\nBefore any work:\n\n{calls}'


def _todos(draft: Draft) -> str:
    left = [draft.none('todos', 'explicit'), draft.none('todos')]
    gaps = [each for each in left if is_gap(each)]
    return _fenced(gaps[0] if gaps else todo_call(draft.rows('todos', 'explicit')))


def _position(draft: Draft) -> str:
    """Where the newest skill stands, if that says it exactly."""
    for row in draft.rows('skill_stack')[:1]:
        if row.get('phase') and row.get('step'):
            return f'{row["phase"]}, {row["step"]}'
    return gap('file:line, or phase and task')


def _skill_tree(draft: Draft) -> str:
    """Each skill below the one that runs it, then what subagents do."""
    lines: list[str] = []
    depths: dict[object, int] = {}

    def add(text: str, depth: int) -> None:
        branch = f'{"      " * (depth - 1)}  └── ' if depth else ''
        lines.append(f'{branch}{flat(text)}')

    # the state has the newest first
    for row in reversed(draft.rows('skill_stack')):
        # a parent that is missing, or comes later, counts as none
        depth = depths.get(row.get('parent'), -1) + 1
        depths[row.get('name')] = depth
        places = [value(row, key, '') for key in ('phase', 'step')]
        place = ', '.join(filter(None, places))
        add(f'{value(row, "name")}{f" ({place})" if place else ""}', depth)
    below = max(depths.values(), default=-1) + 1
    for row in draft.rows('subagents'):
        add(f'{value(row, "id")}: {value(row, "task")} ({value(row, "status")})', below)
    return '\n'.join(lines)


def _skill_stack(draft: Draft) -> str:
    made = _tables(draft, '1.1.1')
    if not draft.rows('skill_stack'):
        return made
    return f'{made}\n\n{_fenced(_skill_tree(draft))}'


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


def _plans(draft: Draft) -> str:
    plans = draft.rows('documents', 'impl')
    if not plans and not draft.rows('documents', 'design'):
        return _nothing(draft, '1.9', ' - ad-hoc work')
    progress = '\n\n'.join(
        f'DOC: {row["path"]}\n'
        f'Completed, in progress, remaining: {gap("sections")}\n'
        f'Where it differs from the todos: {gap("differences")}'
        for row in plans
    )
    said = _fenced(progress) if progress else NONE
    return f'{_tables(draft, "1.9")}\n\n#### Progress\n\n{said}'


def _results(draft: Draft) -> str:
    mark = draft.outline.marks.result
    lines = [
        f'{flat(value(row, "command"))}  # {mark} {flat(value(row, "actual"))}'
        for row in draft.rows('artifacts', 'verification_results')
    ]
    return _fenced('\n'.join(lines), 'bash') + '\n\n' if lines else ''


def _discrepancies(draft: Draft) -> str:
    results = draft.rows('artifacts', 'verification_results')
    failed = [row for row in results if row.get('passed') is False]
    files = draft.rows('artifacts', 'files')
    wrong = [row for row in files if row.get('status') in {'partial', 'missing'}]
    return _bullets(
        [*_pairs(failed, 'command', 'actual'), *_pairs(wrong, 'path', 'actual')]
    )


def _verification(draft: Draft) -> str:
    rows = [
        f'| {value(row, "id")} | `{_cell(str(row["verification"]))}` '
        f'| exit 0 | not run |'
        for row in draft.rows('todos', 'explicit')
        if row.get('verification')
    ]
    head = '| Task | Command | Expected | Actual |\n|---|---|---|---|\n'
    return head + '\n'.join(rows) if rows else NONE


def _resume_calls(draft: Draft) -> str:
    # parents, which the state has last, run first
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


def _conversation(draft: Draft) -> str:
    kinds = ('user_messages', 'corrections', 'errors')
    if all(draft.get('conversation', kind) == [] for kind in kinds):
        return _nothing(draft, '1.25', '')
    return _tables(draft, '1.25')


def _smoke_test(draft: Draft) -> str:
    mark = draft.outline.marks.expected
    lines = [
        f'pwd  # {mark} {draft.facts.project}',
        *(f'test -f {path} && echo OK || echo MISSING' for path in _must_read(draft)),
        f'git status --porcelain | wc -l  # {mark} ~{len(draft.facts.changed)}',
    ]
    return _fenced('\n'.join(lines), 'bash')


# the names in the texts of the outline
PARTS: dict[str, Callable[[Draft], str]] = {
    'changed_files': lambda draft: _bullets(
        f'`{each}`' for each in draft.facts.changed
    ),
    'conversation': _conversation,
    'discrepancies': _discrepancies,
    'entry': _entry,
    'implicit_todos': _implicit_todos,
    'items': lambda draft: '; '.join(draft.facts.items) or NONE,
    'locks': lambda draft: '; '.join(draft.facts.locks) or NONE,
    'patterns': _patterns,
    'plans': _plans,
    'position': _position,
    'reads': lambda draft: _reads(draft, _nothing(draft, '0.2', ' TO READ')),
    'reads_again': _reads_again,
    'results': _results,
    'resume_calls': _resume_calls,
    'skill': _skill,
    'skill_names': lambda draft: (
        ', '.join(value(row, 'name') for row in draft.rows('skill_stack')) or NONE
    ),
    'skill_stack': _skill_stack,
    'smoke_test': _smoke_test,
    'state': lambda draft: _fenced(yaml.dump(draft.state).rstrip('\n'), 'yaml'),
    'todos': _todos,
    'verification': _verification,
    'waiting_for': _waiting_for,
}


def _body(draft: Draft, section: str, text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        if match[1]:
            return gap(name)
        elif name == 'tables':
            return _tables(draft, section)
        elif name in draft.outline.lists:
            return _list(draft, draft.outline.lists[name])
        elif name in PARTS:
            made = PARTS[name](draft)
            # on the line of a label there is room for one line
            return (
                made
                if match.start() == 0 or text[match.start() - 1] == '\n'
                else flat(made)
            )
        found = draft.get(*name.split('.'))
        return flat(str(found)) if found else '-'

    return NAME_RE.sub(replaced, text)


def write_document(facts: SessionFacts) -> tuple[str, State]:
    """The document, and the state that it holds."""
    draft = Draft(outline(), facts, complete_state(facts))
    made = []
    for spec in draft.outline.sections.values():
        heading = f'{"#" * spec.level} {spec.title}'
        body = _body(draft, spec.id, spec.text)
        made.append(f'{heading}\n\n{body}\n' if body else f'{heading}\n')
    return '\n'.join(made), draft.state
