"""Section 2 of a handoff document, as far as a program can follow it."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.git.run_command import run
from interlock.handoff_document import document as documents
from interlock.handoff_document.case import Case, ProjectFacts
from interlock.handoff_document.facts import (
    directory_of,
    gather_facts,
    governing_workflow,
    plans_of,
)
from interlock.handoff_document.resume import BAD, NOTE, OK, commands, passed, steps
from interlock.model.change import Blob
from interlock.model.errors import Denied, Unreadable
from interlock.report.terminal import out
from interlock.report.text import one_line

SIGNS = {OK: '✓', BAD: '✗', NOTE: '·'}


def case_of(path: str, blob: Blob) -> tuple[Case, ProjectFacts]:
    hint = f'interlock document check {path}'
    try:
        document = documents.parse(blob)
    except Unreadable as e:
        raise Denied(f'{path}:{e.line}: it {e.message}', hint) from None
    problem = document.state.problem
    if problem is not None:
        raise Denied(
            f'{path}:{problem.line}: {documents.STATE} {problem.message}, '
            f'so there is nothing to resume from',
            hint,
        )
    plans = plans_of(governing_workflow())
    facts = gather_facts(directory_of(document), plans, path)
    return Case(path, document, facts), facts


def show(case: Case, facts: ProjectFacts, quiet: bool) -> bool:
    """Print every step; returns whether nothing is wrong."""
    sound = True
    for number, step in enumerate(steps(case, facts)):
        wrong = any(line.kind == BAD for line in step.lines)
        sound = sound and not wrong
        if quiet and not wrong:
            continue
        out(f'{number}. {step.title}')
        for line in step.lines:
            if line.kind == BAD or not quiet:
                out(f'   {SIGNS[line.kind]} {one_line(line.text)}')
    return sound


def verify(
    case: Case, facts: ProjectFacts, really: bool, seconds: float
) -> Iterator[bool]:
    """Show the commands of 1.13, and run them if that was asked."""
    wanted = commands(case)
    if wanted:
        out('Verification (1.13)')
    for each in wanted:
        out(f'   $ {one_line(each.command)}  # {one_line(each.task)}')
    for each in wanted if really else ():
        code, output = run(each.command, facts.top, seconds)
        good = passed(each, code, output)
        said = one_line(output.strip().partition('\n')[0])
        out(
            f'   {SIGNS[OK if good else BAD]} {one_line(each.task)}: '
            f'exit {code}, `{said}`, expected `{one_line(each.expected)}`'
        )
        yield good
