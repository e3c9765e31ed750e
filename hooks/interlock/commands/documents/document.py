from __future__ import annotations

import os

import click

from interlock import __version__
from interlock.commands.click_options import Seconds, common
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.model.report import Report
from interlock.report.formats import FORMATS
from interlock.report.terminal import FOUND, colour, err, out

MANUAL = 'manual'
CHECKPOINT = 'checkpoint'
MODES = (MANUAL, 'auto', CHECKPOINT)


@click.group('document')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Check, write and resume from handoff documents."""


def blob_of(path: str) -> Blob:
    if not os.path.isfile(path):
        raise Refusal(f'there is no file {path}', 'interlock document new')
    size = os.path.getsize(path)
    data = read(path) if size <= MAX_BLOB else None
    return Blob('', size, data)


@command.command()
@click.argument('file')
@click.option(
    '--transcript',
    default='',
    metavar='FILE',
    help='The session (JSON lines), to decide what a document cannot say.',
)
@click.option(
    '--partial',
    is_flag=True,
    help='Only look for signs of partial work, in any markdown file.',
)
@click.option(
    '--format', 'form', type=click.Choice(FORMATS), default='text', show_default=True
)
@common
def check(
    file: str, transcript: str, partial: bool, form: str, verbose: int, quiet: int
) -> int:
    """Judge FILE as a handoff document: what is wrong, where, and the fix."""
    from interlock.commands.documents.document_check import judge, judge_partial
    from interlock.commands.hooks.staged import reported

    if partial and transcript:
        raise click.UsageError('--partial asks no transcript')
    with reported(form):
        blob = blob_of(file)
        verdict = (
            judge_partial(file, blob) if partial else judge(file, blob, transcript)
        )
    out(verdict.render(form, colour(), verbose - quiet))
    return FOUND if Report(verdict.findings).refuses else 0


@command.command()
@click.option('--mode', type=click.Choice(MODES), default=MANUAL, show_default=True)
@click.option(
    '-o',
    '--output',
    default='handoff.md',
    metavar='FILE',
    show_default=True,
    help='Where to write it; - is the terminal.',
)
@click.option('--save', is_flag=True, help='Save the state too, in the mode manual.')
@click.option(
    '--from-session',
    'origin',
    default='',
    metavar='ID',
    help='Take over the saved state of another session.',
)
@common
def new(
    mode: str, output: str, save: bool, origin: str, verbose: int, quiet: int
) -> int:
    """Write a handoff document from what is known; gaps are marked.

    The modes auto and checkpoint save the state as well; checkpoint does
    nothing else, and says nothing.
    """
    from interlock.commands.documents import document_new as making
    from interlock.commands.documents.document_check import judge

    if mode == CHECKPOINT:
        making.checkpoint(origin)
        return 0
    text = making.document(mode, output, save or mode != MANUAL, origin)
    verdict = judge(output, Blob('', len(text), text), '')
    err(verdict.render('text', colour(), verbose - quiet))
    return FOUND if Report(verdict.findings).refuses else 0


@command.command()
@click.argument('file')
@click.option(
    '--run',
    'really',
    is_flag=True,
    help='Run the commands of 1.13, after they were shown.',
)
@click.option(
    '--timeout',
    type=Seconds(min_open=True),
    default=600.0,
    metavar='SECONDS',
    show_default=True,
    help='How long one of the commands may take.',
)
@common
def resume(file: str, really: bool, timeout: float, verbose: int, quiet: int) -> int:
    """Take over from FILE: is all as it says, and what comes next.

    Exit 1: something is not as the document says, or a command failed.
    """
    from interlock.commands.documents import document_resume as resuming

    case, world = resuming.case_of(file, blob_of(file))
    sound = resuming.show(case, world, quiet > 0)
    results = list(resuming.verify(case, world, really, timeout))
    return 0 if sound and all(results) else FOUND
