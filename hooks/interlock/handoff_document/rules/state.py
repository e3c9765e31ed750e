"""1.20: the state that programs read, and the prose that must agree with it.

`tables.py` compares the tables.
"""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.handoff_document.case import (
    SAME,
    Case,
    compare_names,
    disagreement,
    finding,
    rule,
)
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_choice,
    is_null,
    norm,
    same,
)
from interlock.handoff_document.document import STATE
from interlock.handoff_document.rules.todos import list_below
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator
from interlock.model.schema_check import texts, where
from interlock.state.plan_files import encoded
from interlock.state.validate import InvalidValue, Path, invalid_values

# in these a bar belongs to a command and does not separate alternatives
COMMANDS = {'command', 'verification', 'resume_command'}
OPEN_GATES = ('FAILED', 'PENDING')
# code, list of the state, and the key of its rows that must not be empty
NOT_EMPTY: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ('DOC034', ('subagents',), 'id'),
    ('DOC034', ('subagents',), 'persona'),
    ('DOC012', ('conversation', 'corrections'), 'lesson'),
)
TICK_RE = re.compile(r'\[([ xX])\]\s*([^\[/|]+)')
COUNT_RE = re.compile(r'~?(\d+)\s+(?:uncommitted|changed|modified)')
CLEAN_RE = re.compile(r'\bclean\b')
RESULTS = ('artifacts', 'verification_results')


@rule('DOC008', 'write one yaml block that can be read')
def state_can_be_read(case: Case) -> Iterator[Finding]:
    problem = case.state.problem
    if problem is not None and case.document.get(STATE) is not None:
        line = max(problem.line, case.document.line(STATE))
        yield finding(line, f'{STATE} {problem.message}', found=problem.message)


def _is_unfilled(case: Case, path: Path, text: str) -> bool:
    last = str(path[-1]) if path else ''
    if last == 'resume_command' and inner_placeholder(text):
        return True
    return case.is_open(text) or (is_choice(text) and last not in COMMANDS)


def _unfilled(case: Case) -> list[tuple[Path, str]]:
    # to YAML, `[N]` is a list
    lists = [
        (each.path, 'a list')
        for each in invalid_values(case.state.data, True)
        if each.kind == 'type' and isinstance(case.state.get(*each.path), list)
    ]
    return lists + [
        (path, text)
        for path, text in texts(case.state.data)
        if _is_unfilled(case, path, text)
    ]


@rule('DOC009', 'write the value')
def state_is_filled_in(case: Case) -> Iterator[Finding]:
    seen: set[Path] = set()
    for path, text in _unfilled(case) if case.state.problem is None else ():
        # do not report again what is inside another placeholder
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


@rule('DOC014', 'write the path without its first slash, with dashes for the others')
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


def _ticks(case: Case) -> list[tuple[int, str]]:
    """The ticked patterns, by their names in the state."""
    names = {norm(title): name for name, title in case.outline.patterns.items()}
    return [
        (number, names.get(norm(match[2])) or match[2].strip())
        for number, line in case.document.lines('pattern')
        for match in TICK_RE.finditer(line)
        if match[1] != ' '
    ]


@rule('DOC037', 'tick one pattern')
def one_pattern_is_ticked(case: Case) -> Iterator[Finding]:
    section, ticks = case.document.get('pattern'), _ticks(case)
    if section is None:
        return
    if len(ticks) != 1 or ticks[0][1] not in case.outline.patterns:
        names = ', '.join(name for _, name in ticks) or 'none'
        yield finding(
            section.line,
            f'exactly one workflow pattern must be ticked; ticked: {names}',
            found=names,
            key='pattern',
            todo=f'tick one of {", ".join(case.outline.patterns.values())}',
        )


@rule('DOC036', SAME)
def pattern_agrees(case: Case) -> Iterator[Finding]:
    ticks, saved = _ticks(case), case.state.get('workflow', 'pattern')
    if len(ticks) != 1 or not isinstance(saved, str):
        return
    line, name = ticks[0]
    if name in case.outline.patterns and name != saved:
        at = case.state.line('workflow', 'pattern')
        yield disagreement(line, 'the pattern', name, at, saved, 'pattern')


def _results(case: Case) -> Iterator[tuple[int, str, str]]:
    """Line, command and result of each command that 1.12 ran."""
    section, mark = case.document.get('1.12'), case.outline.marks.result
    for fence in section.fences if section else ():
        for number, line in fence.lines:
            command, _, result = line.partition(f'# {mark}')
            if command.strip() and not command.lstrip().startswith('#'):
                if not inner_placeholder(line):
                    yield number, command.strip(), result.strip()


@rule('DOC036', SAME)
def results_agree(case: Case) -> Iterator[Finding]:
    """The commands that 1.12 ran are those of the state."""
    section, results = case.document.get('1.12'), list(_results(case))
    if section is None or not isinstance(case.state.get(*RESULTS), list) or not results:
        return
    rows = list(enumerate(case.state.rows(*RESULTS)))
    written = [(line, command) for line, command, _ in results]
    saved = [(case.state.line(*RESULTS, n), str(row.get('command'))) for n, row in rows]
    yield from compare_names(section, written, saved, case.state.line(*RESULTS), norm)
    for line, command, result in results:
        for number, row in rows:
            actual = str(row.get('actual'))
            ran = same(command, str(row.get('command')))
            if ran and result and not same(result, actual):
                at = case.state.line(*RESULTS, number, 'actual')
                what = f'the result of `{shown(command)}`'
                yield disagreement(line, what, result, at, actual, '1.12')


@rule('DOC036', SAME)
def discrepancies_agree(case: Case) -> Iterator[Finding]:
    """1.12 names a discrepancy if and only if the state has one."""
    found = list_below(case, '1.12', case.outline.marks.discrepancies)
    if found is None or not isinstance(case.state.get('artifacts'), dict):
        return
    failed = [
        str(row.get('command'))
        for row in case.state.rows(*RESULTS)
        if row.get('passed') is False
    ] + [
        str(row.get('path'))
        for row in case.state.rows('artifacts', 'files')
        if row.get('status') in {'partial', 'missing'}
    ]
    line, listed = found
    named = [
        each.content
        for each in listed
        if not inner_placeholder(each.content) and not is_null(each.content)
    ]
    if bool(named) != bool(failed):
        said, wanted = (shown(each[0]) if each else 'none' for each in (named, failed))
        yield finding(
            line,
            f'the discrepancies of 1.12 are `{said}`, those of 1.20 '
            f'(line {case.state.line("artifacts")}) `{wanted}`',
            found=said,
            expected=wanted,
            key='discrepancies',
        )


def uncommitted(text: str) -> int | None:
    """The number of uncommitted files in a text."""
    match = COUNT_RE.search(text)
    if match:
        return int(match[1])
    return 0 if CLEAN_RE.search(text) else None


def _expected(case: Case) -> Iterator[tuple[int, str]]:
    for number, line in case.document.lines('1.19'):
        _, mark, text = line.partition(f'# {case.outline.marks.expected}')
        if mark and not inner_placeholder(text):
            yield number, text.strip()


@rule('DOC036', SAME)
def environment_agrees(case: Case) -> Iterator[Finding]:
    """1.19 expects the branch and the number of changes first."""
    branch = case.state.get('environment', 'git_branch')
    status = str(case.state.get('environment', 'git_status'))
    line, text = next(_expected(case), (0, ''))
    if not line or not isinstance(branch, str):
        return
    name, _, rest = text.partition(',')
    at = case.state.line('environment', 'git_branch')
    if not same(name, branch):
        what = 'the branch of 1.19'
        yield disagreement(line, what, name, at, branch, '1.19 branch')
    mine, theirs = uncommitted(rest), uncommitted(status)
    if None not in (mine, theirs) and mine != theirs:
        what = 'the status of 1.19'
        yield disagreement(line, what, rest.strip(), at + 1, status, '1.19 status')
