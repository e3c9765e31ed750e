"""Section 2: what a successor finds when he takes over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents.markdown import fields
from interlock.handoff_document import plans
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_null,
    same,
    value,
)
from interlock.handoff_document.document_context import Case, Facts
from interlock.handoff_document.rules import reality
from interlock.handoff_document.rules.tables import known
from interlock.handoff_document.rules.transcript import TASK_RE
from interlock.model.finding import Finding

OK = 'ok'
BAD = 'bad'
NOTE = 'note'
EXIT_RE = re.compile(r'exit\s+(\d+)\Z')


class Line(NamedTuple):
    verdict: str
    text: str


class Step(NamedTuple):
    title: str
    lines: tuple[Line, ...]


class Command(NamedTuple):
    task: str
    command: str
    expected: str


def _said(case: Case, path: tuple[str, ...]) -> str:
    return str(case.document.state.get(*path) or '-')


def _smoke(case: Case, facts: Facts) -> Iterator[Line]:
    wanted = _said(case, ('project_path',))
    here = os.path.realpath(facts.cwd)
    inside = here == os.path.realpath(wanted) or here.startswith(
        os.path.join(os.path.realpath(wanted), '')
    )
    yield Line(OK if inside else BAD, f'directory {facts.cwd}, expected {wanted}')
    for path in dict.fromkeys(p for _, p in plans.read(case, '0.2')):
        there = facts.exists(path)
        yield Line(OK if there else BAD, path if there else f'{path} MISSING')
    changes = {finding.key: finding for finding in reality.environment(case)}
    actual = facts.environment
    if actual is None:
        yield Line(NOTE, 'no git repository here')
        return
    for key, text in (
        ('branch', f'branch {actual.branch}'),
        ('status', f'{actual.changed} uncommitted'),
    ):
        found = changes.pop(key, None)
        yield Line(BAD, found.message) if found else Line(OK, text)
    for finding in changes.values():
        yield Line(BAD, finding.message)


def _calls(case: Case, section: str, tool: str) -> Iterator[Line]:
    name = case.document.outline.calls[tool]
    found = case.document.calls(section, tool)
    for call in found:
        yield Line(NOTE, f'{name}({call.inside})')
    if not found:
        yield Line(NOTE, 'nothing to do')


def _subagents(case: Case) -> Iterator[Line]:
    for row in case.document.state.rows('subagents'):
        status = value(row, 'status')
        actions = case.document.outline.actions
        action = actions.get(status, f'unknown status `{status}`: ask it')
        text = f'{value(row, "id")} ({status}): {action}'
        if status == 'failed':
            text += (
                f'; persona: {value(row, "persona")}; '
                f'prompt: {value(row, "prompt_summary")}'
            )
        elif status == 'blocked':
            blockers = row.get('blockers') or ['-']
            text += f'; blocked by: {", ".join(map(str, blockers))}'
        elif status == 'completed':
            text += f'; output: {value(row, "output_summary")}'
        yield Line(NOTE, text)


def _artifacts(case: Case) -> Iterator[Line]:
    wrong: dict[str, Finding] = {
        finding.key: finding for finding in reality.artifacts(case)
    }
    for row in case.document.state.rows('artifacts', 'files'):
        path, status = value(row, 'path'), value(row, 'status')
        if path in wrong:
            yield Line(BAD, wrong[path].message)
        elif status == 'match':
            yield Line(OK, path)
        else:
            yield Line(BAD, f'{path}: {status}, and so not complete')


def progress(text: str) -> tuple[int, int, str]:
    """How many tasks of a plan are done, of how many, and the next one."""
    tasks = [m for line in text.split('\n') if (m := TASK_RE.match(line))]
    left = [task[2].strip() for task in tasks if task[1] == ' ']
    return len(tasks) - len(left), len(tasks), left[0] if left else ''


def _plans(case: Case, facts: Facts) -> Iterator[Line]:
    for row in case.document.state.rows('documents', 'impl'):
        path = value(row, 'path')
        text = facts.read(path)
        if text is None:
            yield Line(BAD, f'{path} MISSING')
            continue
        done, total, following = progress(text)
        said = f'{path}: at {value(row, "current_position")}'
        if total:
            said += f', {done} of {total} tasks done'
        if following:
            said += f', next: {following}'
        yield Line(NOTE, said)


def commands(case: Case) -> list[Command]:
    """The commands of 1.13 that can be run."""
    return [
        Command(
            each.cell(row, 'Task'),
            each.cell(row, 'Command').strip('`'),
            each.cell(row, 'Expected'),
        )
        for each in known(case)
        if each.spec.section == '1.13'
        for row in each.table.rows
        if not is_null(each.cell(row, 'Command'))
        and not inner_placeholder(each.cell(row, 'Command'))
    ]


def passed(command: Command, code: int, output: str) -> bool:
    """Does a result match what 1.13 expects?"""
    wanted = EXIT_RE.match(command.expected.strip('` '))
    if wanted:
        return code == int(wanted[1])
    elif is_null(command.expected):
        return code == 0
    return same(output.strip(), command.expected)


def steps(case: Case, facts: Facts) -> list[Step]:
    position = case.document.outline.marks.field
    return [
        Step('Smoke test', tuple(_smoke(case, facts))),
        Step('Run the skill again', tuple(_calls(case, '0.1', 'skill'))),
        Step('Read the documents', tuple(_calls(case, '0.2', 'read'))),
        Step('Restore the todos', tuple(_calls(case, '0.3', 'todos'))),
        Step('Subagents', tuple(_subagents(case))),
        Step('Artifacts', tuple(_artifacts(case))),
        Step('Plans', tuple(_plans(case, facts))),
        Step(position, (Line(NOTE, _position(case)),)),
    ]


def _position(case: Case) -> str:
    label = case.document.outline.marks.field.lower()
    for id in ('main', '1.1'):
        for _, found in fields(case.document.lines(id)).get(label, ()):
            return found
    return 'not given'
