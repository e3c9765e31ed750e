"""1.20: the state that programs read."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.handoff_document.case import Case, finding, rule
from interlock.handoff_document.comparisons import inner_placeholder, is_choice
from interlock.handoff_document.document import STATE
from interlock.model.finding import Finding
from interlock.model.quick_typing import Any, Iterator
from interlock.state.plan_files import encoded
from interlock.state.validate import InvalidValue, Path, invalid_values, where

# in these a bar is part of a command, not a choice between words
COMMANDS = {'command', 'verification', 'resume_command'}
OPEN_GATES = ('FAILED', 'PENDING')
# code, list of the state, and the key of its rows that must not be empty
NOT_EMPTY: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ('DOC034', ('subagents',), 'id'),
    ('DOC034', ('subagents',), 'persona'),
    ('DOC012', ('conversation', 'corrections'), 'lesson'),
)


@rule('DOC008', 'write one yaml block that can be read')
def state_can_be_read(case: Case) -> Iterator[Finding]:
    problem = case.state.problem
    if problem is not None and case.document.get(STATE) is not None:
        line = max(problem.line, case.document.line(STATE))
        yield finding(line, f'{STATE} {problem.message}', found=problem.message)


def _texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, (*path, number))
    elif isinstance(value, str):
        yield path, value


def _is_unfilled(case: Case, path: Path, text: str) -> bool:
    last = str(path[-1]) if path else ''
    if last == 'resume_command' and inner_placeholder(text):
        return True
    return case.is_open(text) or (is_choice(text) and last not in COMMANDS)


def _unfilled(case: Case) -> list[tuple[Path, str]]:
    # `[N]` is a list to YAML
    lists = [
        (each.path, 'a list')
        for each in invalid_values(case.state.data, True)
        if each.kind == 'type' and isinstance(case.state.get(*each.path), list)
    ]
    texts = _texts(case.state.data)
    return lists + [
        (path, text) for path, text in texts if _is_unfilled(case, path, text)
    ]


@rule('DOC009', 'write the value')
def state_is_filled_in(case: Case) -> Iterator[Finding]:
    seen: set[Path] = set()
    for path, text in _unfilled(case) if case.state.problem is None else ():
        # what is inside of another placeholder is not reported again
        if not any(path[:n] in seen for n in range(len(path) + 1)):
            message = f'`{where(path)}` is not filled in: {shown(text)}'
            line = case.state.line(*path)
            yield finding(line, message, found=shown(text), key=where(path))
        seen.add(path)


def _code(invalid: InvalidValue) -> str:
    """The rule that an invalid value breaks."""
    path = invalid.path
    first, last = (path[0], path[-1]) if path else ('', '')
    if invalid.kind == 'enum':
        return 'DOC013'
    elif invalid.kind == 'command':
        return 'DOC030'
    elif 'constraints' in path:
        return 'DOC010'
    elif first == 'subagents' and last == 'skill_stack':
        return 'DOC011'
    elif last == 'lesson':
        return 'DOC012'
    elif first == 'subagents' and len(path) == 3 and last in {'id', 'persona'}:
        return 'DOC034'
    return 'DOC035'


@rule('DOC035', 'correct the value')
def state_is_valid(case: Case) -> Iterator[Finding]:
    if case.state.problem is not None:
        return
    unfilled = [path for path, _ in _unfilled(case)]
    for invalid in invalid_values(case.state.data, complete=True):
        at = invalid.path
        around = any(p[: len(at)] == at or at[: len(p)] == p for p in unfilled)
        if not around or invalid.kind == 'missing':
            name = where(at) or 'the state'
            yield finding(
                case.state.line(*at),
                f'`{name}` {invalid.message}',
                found=invalid.message,
                key=name,
                code=_code(invalid),
            )


@rule('DOC034', 'write the value')
def texts_are_not_empty(case: Case) -> Iterator[Finding]:
    for code, path, key in NOT_EMPTY:
        for number, row in enumerate(case.state.rows(*path)):
            value = row.get(key, 'missing')
            # another rule reports a value of the wrong type
            if value is None or (isinstance(value, str) and not value.strip()):
                name = where((*path, number, key))
                line = case.state.line(*path, number, key)
                yield finding(line, f'`{name}` is empty', key=name, code=code)


@rule('DOC014', 'write the path without its first slash, each other one a dash')
def project_is_encoded(case: Case) -> Iterator[Finding]:
    path, name = case.state.get('project_path'), case.state.get('project_encoded')
    if not isinstance(path, str) or not isinstance(name, str):
        return
    if name != encoded(path) and not case.is_open(path) and not case.is_open(name):
        yield finding(
            case.state.line('project_encoded'),
            f'project_encoded is `{shown(name)}`, not `{shown(encoded(path))}`',
            expected=encoded(path),
            found=name,
        )


@rule('DOC040', 'write can_skip: false')
def open_gates_cannot_be_skipped(case: Case) -> Iterator[Finding]:
    for number, gate in enumerate(case.state.rows('quality_gates')):
        if gate.get('status') in OPEN_GATES and gate.get('can_skip') is True:
            name = shown(str(gate.get('name')))
            line = case.state.line('quality_gates', number, 'can_skip')
            message = f'the gate `{name}` is {gate["status"]} and may be skipped'
            yield finding(line, message, key=name)
