from __future__ import annotations

import contextlib
import os
from contextlib import AbstractContextManager

import click

from interlock.commands.click_options import Options, example, writes
from interlock.commands.hooks.reporting import say
from interlock.commands.items.menu_prompt import Prompt, has_terminal
from interlock.commands.workflow_options import item_argument, stage_argument
from interlock.documents import message as messages
from interlock.engine.stage_commits import confirmed_before
from interlock.files.actor import actor
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.repository import Repository
from interlock.model.errors import Denied
from interlock.model.fixes import WHY, ours
from interlock.model.quick_typing import Sequence
from interlock.model.report import Report
from interlock.operations import commit_stage as operations
from interlock.operations import menu
from interlock.operations.progress_text import Words
from interlock.operations.verify import again
from interlock.project.project import Project
from interlock.project.stage_boundary import Boundary, boundary, read_report
from interlock.report.terminal import err, out
from interlock.transactions.commit import CommitOutcome
from interlock.workflow.language.spec import Workflow

# a contract changed, and only the message can say why
AMENDMENT = 'CON006'


@example(
    "interlock commit-stage Search 3 -m 'it works'",
    "interlock commit-stage Search 3 -m 'it works' --dry-run",
)
@click.command('commit-stage')
@item_argument()
@stage_argument()
@click.option(
    '-m',
    '--message',
    'text',
    required=True,
    metavar='TEXT',
    help='Say what was done: in the subject, the timeline and the handoff.',
)
@click.option(
    '--report',
    'file',
    default='',
    metavar='FILE',
    help='Verify the report of the agent; - for standard input.',
)
@click.option(
    '--fallback',
    is_flag=True,
    help='With --report: write the state if the agent did not.',
)
@click.option(
    '--amend', default='', metavar='REASON', help='Say why a contract changed.'
)
@click.option('--dry-run', is_flag=True, help='Judge it, but write nothing.')
@writes
def command(
    options: Options,
    item: str,
    stage: str,
    text: str,
    file: str,
    fallback: bool,
    amend: str,
    dry_run: bool,
) -> int:
    """End STAGE of ITEM: update its records, check, and commit.

    STAGE is `3`, `3.1` or `Stage 3`. Only the files of the item and its lines in
    the registry are committed; whatever else is staged stays staged. If a
    check, a hook or git refuses, every file and the index are as before.
    """
    if fallback and not file:
        raise click.UsageError('--fallback needs --report')
    report = read_report(file) if file else None
    own = ['commit-stage', item, stage, '-m', text]
    with options.project() as here:
        repository = here.require_repository('nothing can be committed: ')
        at = here.item(item)
        state = operations.parse_stage(
            stage, at, lambda near: ours('commit-stage', at.called, near, '-m', text)
        )
        message = operations.message(at, state, text, amend)
        confirmed = _confirmed(repository, here.workflow, message)
        who = actor(os.environ)
        by_agent = bool(who.session or who.automated)
        message = operations.message(at, state, text, amend, confirmed, by_agent)
        # refuse broken menus now: they are shown after the commit
        menu.menus_of(here.snapshot, here.workflow, at.kind)
        name = at.kind.label(state)
        with (
            _main_lock(here, options.config),
            boundary(here, repository, at, state, dry_run) as end,
        ):
            end.refuse_untried()
            end.stage_files()
            words: Words | None = Words(text)
            if report is not None:
                amended = ['--amend', amend] if amend else []
                words = end.verify(
                    report, fallback, lambda why: again(at, [*own, *amended], file, why)
                )
                words = words and words._replace(text=words.text or text)
            end.write(words, amend, report.phase if report else '')
            end.stage_records()
            judged = end.judge(message, options.config)
            end.warn(judged)
            if say(judged, 'text', options.verbosity):
                raise Denied(
                    f'{name} of {item} is not committed, and nothing was written',
                    _remedy(judged, item, own),
                )
            if dry_run:
                out(f'would end {name}: {text}')
                _show(end, message)
                return 0
            settled = end.commit(message)
        if not settled.commit:
            raise _refused(here.top, f'{name} of {item}', settled)
        short = repository.git.line('rev-parse', '--short', settled.commit)
        out(f'✓ Committed: {short} - {name} complete (atomic)')
        fresh = here._replace(snapshot=SteadySnapshot(here.top))
        at = fresh.item(item)
        menus = menu.menus_of(fresh.snapshot, fresh.workflow, at.kind)
        shown = menu.checkpoint(at, menus, fresh.today, context=text)
    if shown is None or options.quiet:
        out(f'✓ {name} complete: {text}')
    else:
        try:
            # the stage is committed, whatever comes of the menu
            Prompt(options, asks=has_terminal()).choose(shown, None)
        except click.Abort:
            # end the line of the question
            click.echo()
    return 0


def _main_lock(here: Project, config: str) -> AbstractContextManager[None]:
    if not any(kind.protocol for kind in here.workflow.kinds):
        return contextlib.nullcontext()
    # most projects have no tasks
    from interlock.tasks.lock_actions import main_lock

    return main_lock(here.top, config)


def _confirmed(repository: Repository, workflow: Workflow, message: str) -> list[str]:
    """What the user confirmed before this stage was begun, as a trailer."""
    subject = messages.parse(message).subject
    common = repository.facts.common_dir
    found = confirmed_before(repository, common, workflow, subject)
    return [str(found)] if found else []


def _remedy(report: Report, item: str, words: Sequence[str]) -> str:
    """The command that fixes it; the files hold nothing of the stage yet."""
    if any(each.code == AMENDMENT for each in report.findings):
        return ours(*words, '--amend', WHY)
    first = next(each for each in report.findings if each.refuses)
    fix = first.fix.command
    if fix.startswith('interlock ') and not fix.startswith(ours(*words[:1])):
        return fix
    return ours('verify-state', item)


def _show(end: Boundary, message: str) -> None:
    out(f'\n{message}')
    for path, entry in sorted(end.changed.items()):
        out(f'would {"commit" if entry else "remove"}: {path}')
    for path in sorted(end.files):
        out(f'would write: {path}')


def _refused(top: str, what: str, settled: CommitOutcome) -> Denied:
    restored = [
        os.path.relpath(path, os.path.realpath(top)) for path in settled.undone.restored
    ]
    for path in settled.undone.kept:
        err(f'what a hook wrote into a state file is kept in {path}')
    who = (
        'somebody else committed at the same time'
        if settled.overtaken
        else 'git or a hook refused the commit'
    )
    return Denied(
        f'{who}: {what} is not committed; restored: '
        f'{", ".join(restored) or "nothing"}; the index is unchanged',
        'fix what is said above, then run this again',
    )
