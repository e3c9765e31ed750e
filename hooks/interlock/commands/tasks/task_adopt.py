from __future__ import annotations

import click

from interlock.commands.click_options import Options, writes
from interlock.model.session_env import identity
from interlock.report.terminal import err
from interlock.tasks import task_actions


@click.command('adopt')
@click.argument('name')
@click.option(
    '--session',
    required=True,
    metavar='ID',
    help='Name the session that continues the task.',
)
@click.option(
    '--state',
    default='',
    metavar='STATE',
    help='Continue in this state (default: the last one of its lock).',
)
@writes
def command(options: Options, name: str, session: str, state: str) -> int:
    """Assign an unlocked worktree to a session (run by a person)."""
    session = identity(session)
    if not session:
        raise click.UsageError(
            '--session is not a session id: give that of the session that continues'
        )
    with options.tasks() as at:
        task = at.task(name)
        reached = task_actions.adopt(at, task, session, state)
    if not options.quiet:
        err(f'{task} is held by session {session.strip()}, in {reached}')
    return 0
