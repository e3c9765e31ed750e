from __future__ import annotations

import os
from collections.abc import Sequence

import click

from interlock.commands.click_options import writes
from interlock.commands.hooks.staged import say
from interlock.commands.items import agent_report_context
from interlock.commands.items.main_lock import main_lock
from interlock.commands.items.project import Project, project, today
from interlock.commands.items.stage_boundary import Boundary, boundary
from interlock.commands.menu_files import checkpoint, menus_of
from interlock.commands.menu_prompt import Manner, choose, has_terminal
from interlock.documents import message as messages
from interlock.engine.open_repository import opened
from interlock.engine.stage_commits import confirmed_before
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.model.errors import Denied, NoRepository
from interlock.model.fixes import WHY, ours
from interlock.model.report import Report
from interlock.model.state import State
from interlock.operations import commit_stage as operations
from interlock.operations.menu import Shown
from interlock.operations.progress_text import Words
from interlock.operations.verify import again
from interlock.report.terminal import err, out
from interlock.transactions.commit import Settled
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.status_words import label

# a contract that changed, of which only the message can say why
AMENDMENT = 'CON006'


@click.command('commit-stage')
@click.argument('item')
@click.argument('stage')
@click.option(
    '-m',
    '--message',
    'text',
    required=True,
    metavar='TEXT',
    help='What was done: in the subject, the timeline and the handoff.',
)
@click.option(
    '--report',
    'file',
    default='',
    metavar='FILE',
    help='What the agent reports, to be verified; - for standard input.',
)
@click.option(
    '--fallback',
    is_flag=True,
    help='With --report: write the state if the agent did not.',
)
@click.option('--amend', default='', metavar='REASON', help='Why a contract changed.')
@click.option('--dry-run', is_flag=True, help='Judge it, and write nothing.')
@writes
def command(
    item: str,
    stage: str,
    text: str,
    file: str,
    fallback: bool,
    amend: str,
    dry_run: bool,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """End STAGE of ITEM: update its records, check, and commit.

    STAGE is `3`, `3.1` or `Stage 3`. Only files of the item and what the
    registry says of it are committed; what else is staged stays staged. If a
    check, a hook or git refuses, every file and the index are as before.
    """
    if fallback and not file:
        raise click.UsageError('--fallback needs --report')
    report = agent_report_context.read_report(file) if file else None
    with project(config, wait) as here:
        if here.without_git:
            raise NoRepository(
                f'nothing can be committed: {here.without_git.message}',
                here.without_git.hint,
            )
        at = here.item(item)
        state = operations.parse_stage(stage, at.kind)
        message = operations.message(at, state, text, amend)
        message = operations.message(at, state, text, amend, _confirmed(here, message))
        # shown when all is done: too late to find that they are broken
        menus_of(here, at.kind)
        name = label(state, at.kind)
        with main_lock(here, config), boundary(here, at, state, dry_run) as end:
            end.refuse_untried()
            end.stage_files()
            words: Words | None = Words(text)
            if report is not None:
                words = end.verify(
                    report,
                    fallback,
                    lambda why: again(
                        at,
                        [
                            'commit-stage',
                            item,
                            stage,
                            '-m',
                            text,
                            *(['--amend', amend] if amend else ()),
                        ],
                        file,
                        why,
                    ),
                )
                words = words and words._replace(text=words.text or text)
            end.write(today(), words, amend, report.phase if report else '')
            end.stage_records()
            judged = end.judge(message, config)
            end.warn(judged)
            if say(judged, 'text', verbose, quiet):
                raise Denied(
                    f'{name} of {item} is not committed, and nothing was written',
                    _remedy(judged, item, ['commit-stage', item, stage, '-m', text]),
                )
            if dry_run:
                out(f'would end {name}: {text}')
                _show(end, message)
                return 0
            settled = end.commit(message)
        if not settled.commit:
            raise _refused(here, at, state, settled)
        _say_committed(settled, name, text)
        fresh = here._replace(snapshot=SteadySnapshot(here.top))
        shown = checkpoint(fresh, fresh.item(item), text)
    if shown is not None and not quiet:
        _choose(shown, Manner(config, wait, asks=has_terminal()))
    return 0


def _confirmed(here: Project, message: str) -> list[str]:
    """What the user said before this stage was begun, as a trailer."""
    with opened() as repository:
        found = confirmed_before(
            repository,
            repository.facts.common_dir,
            here.workflow,
            messages.parse(message).subject,
        )
    return [str(found)] if found else []


def _remedy(report: Report, item: str, words: Sequence[str]) -> str:
    """The remedy of what refuses it: nothing of it is in the files."""
    if any(each.code == AMENDMENT for each in report.findings):
        return ours(*words, '--amend', WHY)
    first = next(each for each in report.findings if each.refuses)
    own = ours(*words[:1])
    if first.fix.command.startswith('interlock ') and not (
        first.fix.command.startswith(own)
    ):
        return first.fix.command
    return ours('verify-state', item)


def _show(end: Boundary, message: str) -> None:
    changed = sorted(end.staged.staged().items())
    out(
        '\n'.join(
            [
                '',
                message,
                *(
                    f'would {"commit" if entry else "remove"}: {path}'
                    for path, entry in changed
                ),
                *(f'would write: {path}' for path in sorted(end.files)),
            ]
        )
    )


def _refused(here: Project, at: Records, state: State, settled: Settled) -> Denied:
    restored = [
        os.path.relpath(path, os.path.realpath(here.top))
        for path in settled.undone.restored
    ]
    for path in settled.undone.kept:
        err(f'what a hook wrote into a state file is kept in {path}')
    what = ', '.join(restored) or 'nothing had to be'
    who = (
        'somebody else committed at the same time'
        if (settled.overtaken)
        else 'git or a hook refused the commit'
    )
    return Denied(
        f'{who}: {label(state, at.kind)} of {at.item} is not committed; '
        f'restored: {what}; the index is as it was',
        'mend what is said above, then run this again',
    )


def _say_committed(settled: Settled, name: str, text: str) -> None:
    with opened() as repository:
        short = repository.git.line('rev-parse', '--short', settled.commit)
    out(f'✓ {name} complete: {text}')
    out(f'✓ Committed: {short} - {name} complete (atomic)')


def _choose(shown: Shown, manner: Manner) -> None:
    """The stage is committed, whatever comes of the menu."""
    try:
        choose(shown, manner, None)
    except click.Abort:
        # behind the question that nobody answered
        click.echo()
