from __future__ import annotations

import click

from interlock.commands.click_options import (
    Options,
    Seconds,
    common,
    example,
    formats,
    group,
    option,
)
from interlock.commands.hooks.reporting import reported
from interlock.documents.text import one_line
from interlock.git.run_command import run_to_end
from interlock.handoff_document import document as documents
from interlock.handoff_document.case import Case, ProjectFacts
from interlock.handoff_document.check import (
    UNFILLED,
    Judged,
    blob_of,
    describe,
    judge_document,
    judge_partial,
)
from interlock.handoff_document.facts import facts_about
from interlock.handoff_document.resume import BAD, NOTE, OK, commands, passed, steps
from interlock.model.change import Blob
from interlock.model.errors import Denied, Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import ours
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.project import new_document
from interlock.report.ci_formats import render_json
from interlock.report.terminal import FOUND, colour, err, out
from interlock.report.text import FORMATS, render

MANUAL = 'manual'
CHECKPOINT = 'checkpoint'
MODES = (MANUAL, 'auto', CHECKPOINT)
SIGNS = {OK: '✓', BAD: '✗', NOTE: '·'}


@example('interlock document check handoff.md')
@group('document')
def command() -> None:
    """Check, write and resume from handoff documents."""


def _next(path: str, what: str = 'correct what is named above') -> str:
    """The next command after a document was refused."""
    if path == new_document.TERMINAL:
        return f'next: save it as a file, and {what}'
    return f'next: {what}, then: {ours("document", "check", path)}'


def _render(path: str, judged: Judged, form: str, verbosity: int) -> str:
    findings, answers = judged
    report = Report(findings)
    if form == 'json' and answers:
        questions = [
            {'line': each.line, 'question': each.question, 'answer': answer}
            for each, answer in answers.items()
        ]
        return render_json(report, {'quality': questions})
    text = render(report, form, colour(), verbosity)
    if form != 'text' or verbosity < 0:
        return text
    said = describe(answers, verbosity > 0) if answers else []
    following = [_next(path)] if report.refuses else []
    return '\n'.join(filter(None, [text, *said, *following]))


def _code(judged: Judged) -> int:
    return FOUND if Report(judged[0]).refuses else 0


@example('interlock document check handoff.md')
@command.command()
@click.argument('file')
@option('--transcript FILE', 'Read the transcript of the session (JSON lines) too.')
@option('--partial', 'Only look for signs of partial work, in any markdown file.')
@formats(*FORMATS)
@common
def check(
    options: Options, file: str, transcript: str, partial: bool, form: str
) -> int:
    """Judge FILE as a handoff document: what is wrong, where, and the fix."""
    if partial and transcript:
        raise click.UsageError('--partial does not read a transcript')
    with reported(form):
        blob = blob_of(file)
        judged = (
            judge_partial(file, blob)
            if partial
            else judge_document(file, blob, transcript)
        )
    out(_render(file, judged, form, options.verbosity))
    return _code(judged)


@example('interlock document new --output handoff.md')
@command.command()
@click.option('--mode', type=click.Choice(MODES), default=MANUAL, show_default=True)
@option(
    '-o --output FILE',
    'Write it to this file; - is the terminal.',
    default='handoff.md',
    show_default=True,
)
@option('--save', 'Save the state too, in the mode manual.')
@option('--from-session origin ID', 'Take over the saved state of another session.')
@common
def new(options: Options, mode: str, output: str, save: bool, origin: str) -> int:
    """Write a handoff document from what is known; gaps are marked.

    The modes auto and checkpoint save the state as well; checkpoint only
    saves the state, and prints nothing.
    """
    if mode == CHECKPOINT:
        new_document.checkpoint(origin)
        return 0
    text = new_document.document(mode, output, save or mode != MANUAL, origin)
    judged = judge_document(output, Blob('', len(text), text))
    gaps = [each for each in judged[0] if each.code == UNFILLED]
    if gaps and not options.verbosity:
        err(_gaps(output, gaps))
    else:
        err(_render(output, judged, 'text', options.verbosity))
    return _code(judged)


def _gaps(path: str, found: Sequence[Finding]) -> str:
    """What a new document lacks: only its author can say it, and `check` lists it."""
    count = plural(len(found), 'gap')
    where = '' if path == new_document.TERMINAL else f', from {path}:{found[0].line} on'
    return f'{count} left to fill in, marked `[GAP: ...]`{where}\n{_next(path, "fill them in")}'


def _case(path: str) -> tuple[Case, ProjectFacts]:
    hint = ours('document', 'check', path)
    try:
        document = documents.parse(blob_of(path))
    except Unreadable as e:
        raise Denied(f'{path}:{e.line}: it {e.message}', hint) from None
    problem = document.state.problem
    if problem is not None:
        raise Denied(
            f'{path}:{problem.line}: {documents.STATE} {problem.message}, '
            f'so there is nothing to resume from',
            hint,
        )
    facts = facts_about(document, path)
    return Case(path, document, facts), facts


def _show(case: Case, facts: ProjectFacts, quiet: bool) -> bool:
    """Print every step; return whether everything is as the document says."""
    sound = True
    for number, (title, lines) in enumerate(steps(case, facts).items()):
        wrong = any(line.kind == BAD for line in lines)
        sound = sound and not wrong
        if quiet and not wrong:
            continue
        out(f'{number}. {title}')
        for line in lines:
            if line.kind == BAD or not quiet:
                out(f'   {SIGNS[line.kind]} {one_line(line.text)}')
    return sound


def _verify(
    case: Case, facts: ProjectFacts, really: bool, seconds: float
) -> Iterator[bool]:
    """Show the commands of 1.13, and run them if asked to."""
    wanted = commands(case)
    if wanted:
        out('Verification (1.13)')
    for each in wanted:
        out(f'   $ {one_line(each.command)}  # {one_line(each.task)}')
    for each in wanted if really else ():
        ran = run_to_end(each.command, facts.top, seconds, together=True)
        good = passed(each, ran.code, ran.out)
        said = one_line(ran.out.strip().partition('\n')[0])
        out(
            f'   {SIGNS[OK if good else BAD]} {one_line(each.task)}: '
            f'exit {ran.code}, `{said}`, expected `{one_line(each.expected)}`'
        )
        yield good


@example('interlock document resume handoff.md')
@command.command()
@click.argument('file')
@option('--run really', 'Show the commands of section 1.13, then run them.')
@option(
    '--timeout SECONDS',
    'Stop a command that takes longer than this.',
    type=Seconds(min_open=True),
    default=600.0,
    show_default=True,
)
@common
def resume(options: Options, file: str, really: bool, timeout: float) -> int:
    """Resume from FILE: check what it says and show what comes next.

    Exit 1: the document does not match the project, or a command failed.
    """
    case, facts = _case(file)
    sound = _show(case, facts, options.quiet > 0)
    results = list(_verify(case, facts, really, timeout))
    return 0 if sound and all(results) else FOUND
