"""Section 2 of a handoff document, carried out as far as a program can."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.git.run_command import run
from interlock.handoff_document import document as documents
from interlock.handoff_document.document_context import Case, Facts
from interlock.handoff_document.facts import facts, governing, place_of, plans_of
from interlock.handoff_document.resume import BAD, NOTE, OK, commands, passed, steps
from interlock.model.change import Blob
from interlock.model.errors import Denied, Unreadable
from interlock.report.terminal import out
from interlock.report.text import one_line

SIGNS = {OK: '✓', BAD: '✗', NOTE: '·'}


def case_of(path: str, blob: Blob) -> tuple[Case, Facts]:
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
    world = facts(place_of(document), plans_of(governing()), path)
    return Case(path, document, world), world


def show(case: Case, world: Facts, quiet: bool) -> bool:
    """Prints every step; whether all of it is as it should be."""
    sound = True
    for number, step in enumerate(steps(case, world)):
        wrong = any(line.verdict == BAD for line in step.lines)
        sound = sound and not wrong
        if quiet and not wrong:
            continue
        out(f'{number}. {step.title}')
        for line in step.lines:
            if line.verdict == BAD or not quiet:
                out(f'   {SIGNS[line.verdict]} {one_line(line.text)}')
    return sound


def verify(case: Case, world: Facts, really: bool, seconds: float) -> Iterator[bool]:
    """Shows the commands of 1.13, and runs them where that was asked."""
    wanted = commands(case)
    if wanted:
        out('Verification (1.13)')
    for each in wanted:
        out(f'   $ {one_line(each.command)}  # {one_line(each.task)}')
    for each in wanted if really else ():
        code, output = run(each.command, world.top, seconds)
        good = passed(each, code, output)
        said = one_line(output.strip().partition('\n')[0])
        out(
            f'   {SIGNS[OK if good else BAD]} {one_line(each.task)}: '
            f'exit {code}, `{said}`, expected `{one_line(each.expected)}`'
        )
        yield good
