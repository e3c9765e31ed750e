"""Sections of Section 1 that are not tables agree with 1.20."""

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
    is_null,
    norm,
    same,
)
from interlock.handoff_document.rules.todos import list_below
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator

TICK_RE = re.compile(r'\[([ xX])\]\s*([^\[/|]+)')
COUNT_RE = re.compile(r'~?(\d+)\s+(?:uncommitted|changed|modified)')
CLEAN_RE = re.compile(r'\bclean\b')
RESULTS = ('artifacts', 'verification_results')


def _ticks(case: Case) -> list[tuple[int, str]]:
    """The patterns that are ticked, by the names that the state has for them."""
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
            f'of the workflow patterns {names} is ticked, not exactly one',
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
    """Line, command and result of what 1.12 ran."""
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
    """1.12 names a discrepancy if, and only if, the state has one."""
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
    """The number of uncommitted files that a text speaks of."""
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
    """1.19 first expects the branch and the number of changes."""
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
