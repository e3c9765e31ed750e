"""Sections of Section 1 that are no tables, beside what 1.20 says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents.text import shown
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_null,
    norm,
    same,
)
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.rules.todos import below
from interlock.model.finding import Finding

TICK_RE = re.compile(r'\[([ xX])\]\s*([^\[/|]+)')
COUNT_RE = re.compile(r'~?(\d+)\s+(?:uncommitted|changed|modified)')
CLEAN = 'clean'


def _ticks(case: Case) -> list[tuple[int, str]]:
    """The patterns that are ticked, by the names the state has for them."""
    found = []
    names = {norm(v): k for k, v in case.document.outline.patterns.items()}
    for number, line in case.document.lines('pattern'):
        for match in TICK_RE.finditer(line):
            name = names.get(norm(match[2]))
            if match[1] != ' ':
                found.append((number, name or match[2].strip()))
    return found


def pattern(case: Case) -> Iterator[Finding]:
    document = case.document
    section = document.get('pattern')
    if section is None:
        return
    ticks = _ticks(case)
    valid = ', '.join(document.outline.patterns.values())
    if len(ticks) != 1 or ticks[0][1] not in document.outline.patterns:
        named = ', '.join(name for _, name in ticks) or 'none'
        yield case.finding(
            'DOC037',
            section.line,
            f'of the workflow patterns {named} is ticked, not exactly one',
            f'tick one of {valid}',
            found=named,
            key='pattern',
        )
        return
    line, name = ticks[0]
    said = document.state.get('workflow', 'pattern')
    if isinstance(said, str) and said != name:
        at = document.state.line('workflow', 'pattern')
        yield case.finding(
            'DOC036',
            line,
            f'the pattern {name} is ticked, 1.20 (line {at}) says `{shown(said)}`',
            'make both the same',
            found=name,
            expected=said,
            key='pattern',
        )


class Ran(NamedTuple):
    line: int
    command: str
    result: str


def _ran(case: Case) -> Iterator[Ran]:
    section = case.document.get('1.12')
    mark = case.document.outline.marks.result
    for fence in section.fences if section else ():
        for number, line in fence.lines:
            command, _, result = line.partition(f'# {mark}')
            if command.strip() and not command.lstrip().startswith('#'):
                if not inner_placeholder(line):
                    yield Ran(number, command.strip(), result.strip())


def results(case: Case) -> Iterator[Finding]:
    """The commands that 1.12 ran are those of the state."""
    state = case.document.state
    path = ('artifacts', 'verification_results')
    ran = list(_ran(case))
    if not isinstance(state.get(*path), list) or not ran:
        return
    rows = state.rows(*path)
    for each in ran:
        found = [
            (number, row)
            for number, row in enumerate(rows)
            if same(str(row.get('command')), each.command)
        ]
        if not found:
            yield case.finding(
                'DOC036',
                each.line,
                f'1.12 ran `{shown(each.command)}`, of which 1.20 '
                f'(line {state.line(*path)}) knows nothing',
                'make both the same',
                found=each.command,
                key='1.12',
            )
        for number, row in found:
            actual = str(row.get('actual'))
            if each.result and not same(each.result, actual):
                at = state.line(*path, number, 'actual')
                yield case.finding(
                    'DOC036',
                    each.line,
                    f'`{shown(each.command)}` gave `{shown(each.result)}`, '
                    f'1.20 (line {at}) says `{shown(actual)}`',
                    'make both the same',
                    found=each.result,
                    expected=actual,
                    key='1.12',
                )
    for number, row in enumerate(rows):
        command = str(row.get('command'))
        if not any(same(command, each.command) for each in ran):
            yield case.finding(
                'DOC036',
                case.document.line('1.12'),
                f'1.20 (line {state.line(*path, number)}) has the result of '
                f'`{shown(command)}`, which 1.12 did not run',
                'make both the same',
                expected=command,
                key='1.12',
            )


def discrepancies(case: Case) -> Iterator[Finding]:
    """1.12 names a discrepancy exactly where the state has one."""
    state = case.document.state
    found = below(
        case.document.lines('1.12'), case.document.outline.marks.discrepancies
    )
    failed = [
        str(row.get('command'))
        for row in state.rows('artifacts', 'verification_results')
        if row.get('passed') is False
    ] + [
        str(row.get('path'))
        for row in state.rows('artifacts', 'files')
        if row.get('status') in {'partial', 'missing'}
    ]
    if found is None or not isinstance(state.get('artifacts'), dict):
        return
    line, named = found
    named = [
        each
        for each in named
        if not inner_placeholder(each.content) and not is_null(each.content)
    ]
    at = state.line('artifacts')
    if bool(named) != bool(failed):
        said = shown(named[0].content) if named else 'none'
        wanted = shown(failed[0]) if failed else 'none'
        yield case.finding(
            'DOC036',
            line,
            f'the discrepancies of 1.12 are `{said}`, those of 1.20 '
            f'(line {at}) `{wanted}`',
            'make both the same',
            found=said,
            expected=wanted,
            key='discrepancies',
        )


def _expected(case: Case) -> Iterator[tuple[int, str]]:
    mark = case.document.outline.marks.expected
    for number, line in case.document.lines('1.19'):
        _, found, text = line.partition(f'# {mark}')
        if found and not inner_placeholder(text):
            yield number, text.strip()


def count(text: str) -> int | None:
    """How many uncommitted files a text speaks of."""
    match = COUNT_RE.search(text)
    if match:
        return int(match[1])
    return 0 if re.search(rf'\b{CLEAN}\b', text) else None


def environment(case: Case) -> Iterator[Finding]:
    """The first expectation of 1.19 is branch and number of changes."""
    state = case.document.state
    branch = state.get('environment', 'git_branch')
    status = state.get('environment', 'git_status')
    said = next(_expected(case), None)
    if said is None or not isinstance(branch, str):
        return
    line, text = said
    name, _, rest = text.partition(',')
    at = state.line('environment', 'git_branch')
    if not same(name, branch):
        yield case.finding(
            'DOC036',
            line,
            f'1.19 expects the branch `{shown(name)}`, 1.20 (line {at}) says '
            f'`{shown(branch)}`',
            'make both the same',
            found=name,
            expected=branch,
            key='1.19 branch',
        )
    mine, theirs = count(rest), count(str(status))
    if None not in (mine, theirs) and mine != theirs:
        yield case.finding(
            'DOC036',
            line,
            f'1.19 expects {mine} uncommitted, 1.20 (line {at + 1}) says '
            f'`{shown(str(status))}`',
            'make both the same',
            found=str(mine),
            expected=str(theirs),
            key='1.19 status',
        )
