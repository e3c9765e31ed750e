"""Section 2: what a successor finds on taking over."""

from __future__ import annotations

import os

from interlock.documents.markdown import fields
from interlock.handoff_document.case import Case, ProjectFacts
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_null,
    same,
    value,
)
from interlock.handoff_document.rules import documents, reality
from interlock.handoff_document.rules.tables import known_tables
from interlock.handoff_document.rules.transcript import TASK_RE
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterator, NamedTuple

OK = 'ok'
BAD = 'bad'
NOTE = 'note'
EXIT_RE = re.compile(r'exit\s+(\d+)\Z')


class CheckedLine(NamedTuple):
    # ok, bad or note
    kind: str
    text: str


class VerifyCommand(NamedTuple):
    task: str
    command: str
    expected: str


def _smoke_test(case: Case, facts: ProjectFacts) -> Iterator[CheckedLine]:
    wanted = str(case.state.get('project_path') or '-')
    here, top = os.path.realpath(facts.cwd), os.path.realpath(wanted)
    inside = here == top or here.startswith(os.path.join(top, ''))
    text = f'directory {facts.cwd}, expected {wanted}'
    yield CheckedLine(OK if inside else BAD, text)
    for path in dict.fromkeys(path for _, path in documents.reads(case, '0.2')):
        there = facts.exists(path)
        yield CheckedLine(OK if there else BAD, path if there else f'{path} MISSING')
    actual = facts.environment
    if actual is None:
        yield CheckedLine(NOTE, 'not a git repository')
        return
    wrong = {finding.key: finding for finding in reality.environment_is_real(case)}
    for key, text in (
        ('branch', f'branch {actual.branch}'),
        ('status', f'{actual.changed} uncommitted'),
    ):
        if key not in wrong:
            yield CheckedLine(OK, text)
    yield from (CheckedLine(BAD, finding.message) for finding in wrong.values())


def _calls(case: Case, section: str, tool: str) -> Iterator[CheckedLine]:
    found = case.document.calls(section, tool)
    for call in found:
        yield CheckedLine(NOTE, f'{case.outline.calls[tool]}({call.inside})')
    if not found:
        yield CheckedLine(NOTE, 'nothing to do')


def _subagents(case: Case) -> Iterator[CheckedLine]:
    for row in case.state.rows('subagents'):
        status = value(row, 'status')
        unknown = f'unknown status `{status}`: ask it'
        details = {
            'failed': f'; persona: {value(row, "persona")}; '
            f'prompt: {value(row, "prompt_summary")}',
            'blocked': f'; blocked by: {", ".join(map(str, row.get("blockers") or "-"))}',
            'completed': f'; output: {value(row, "output_summary")}',
        }
        action = case.outline.actions.get(status, unknown)
        text = f'{value(row, "id")} ({status}): {action}{details.get(status, "")}'
        yield CheckedLine(NOTE, text)


def _artifacts(case: Case) -> Iterator[CheckedLine]:
    wrong = {finding.key: finding for finding in reality.artifacts_exist(case)}
    for row in case.state.rows('artifacts', 'files'):
        path, status = value(row, 'path'), value(row, 'status')
        if path in wrong:
            yield CheckedLine(BAD, wrong[path].message)
        elif status == 'match':
            yield CheckedLine(OK, path)
        else:
            yield CheckedLine(BAD, f'{path}: {status}, so it is not complete')


def progress(text: str) -> tuple[int, int, str]:
    """The number of finished tasks of a plan, of all tasks, and the next one."""
    tasks = [m for line in text.split('\n') if (m := TASK_RE.match(line))]
    left = [task[2].strip() for task in tasks if task[1] == ' ']
    return len(tasks) - len(left), len(tasks), left[0] if left else ''


def _plans(case: Case, facts: ProjectFacts) -> Iterator[CheckedLine]:
    for row in case.state.rows('documents', 'impl'):
        path = value(row, 'path')
        text = facts.read(path)
        if text is None:
            yield CheckedLine(BAD, f'{path} MISSING')
            continue
        done, total, following = progress(text)
        said = f'{path}: at {value(row, "current_position")}'
        if total:
            said += f', {done} of {total} tasks done'
        if following:
            said += f', next: {following}'
        yield CheckedLine(NOTE, said)


def commands(case: Case) -> list[VerifyCommand]:
    """The commands of 1.13 that can be run."""
    found = []
    for each in known_tables(case):
        for row in each.table.rows if each.spec.section == '1.13' else ():
            task, command, expected = (
                each.cell(row, name) for name in ('Task', 'Command', 'Expected')
            )
            if not is_null(command) and not inner_placeholder(command):
                found.append(VerifyCommand(task, command.strip('`'), expected))
    return found


def passed(command: VerifyCommand, code: int, output: str) -> bool:
    """Whether a result matches what 1.13 expects."""
    wanted = EXIT_RE.match(command.expected.strip('` '))
    if wanted:
        return code == int(wanted[1])
    elif is_null(command.expected):
        return code == 0
    return same(output.strip(), command.expected)


def _position(case: Case) -> str:
    label = case.outline.marks.field.lower()
    for id in ('main', '1.1'):
        for _, found in fields(case.document.lines(id)).get(label, ()):
            return found
    return 'not given'


def steps(case: Case, facts: ProjectFacts) -> dict[str, list[CheckedLine]]:
    """The checks of each step, by its title."""
    found = {
        'Smoke test': _smoke_test(case, facts),
        'Run the skill again': _calls(case, '0.1', 'skill'),
        'Read the documents': _calls(case, '0.2', 'read'),
        'Restore the todos': _calls(case, '0.3', 'todos'),
        'Subagents': _subagents(case),
        'Artifacts': _artifacts(case),
        'Plans': _plans(case, facts),
        case.outline.marks.field: iter([CheckedLine(NOTE, _position(case))]),
    }
    return {title: list(lines) for title, lines in found.items()}
