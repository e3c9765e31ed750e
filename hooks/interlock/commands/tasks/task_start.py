from __future__ import annotations

import click

from interlock.commands.click_options import Options, writes
from interlock.documents.text import shown
from interlock.model.fixes import quoted
from interlock.report.terminal import err, out
from interlock.tasks import task_actions
from interlock.workflow.reading.item_paths import is_name


@click.command('start')
@click.argument('name')
@click.option(
    '--agent',
    'agents',
    multiple=True,
    metavar='AGENT',
    help='Name an agent that is needed (may be repeated).',
)
@click.option(
    '--base',
    default='HEAD',
    metavar='REV',
    show_default=True,
    help='Start from this commit of the main worktree.',
)
@click.option(
    '--on-branch', is_flag=True, help='Continue on the branches of an earlier attempt.'
)
@writes
def command(
    options: Options, name: str, agents: tuple[str, ...], base: str, on_branch: bool
) -> int:
    """Start a task: take its lock, create its worktrees and audit trail.

    If a step fails, everything is undone.
    """
    for agent in agents:
        if not is_name(agent):
            raise click.UsageError(f'{shown(agent)!r} cannot be the name of an agent')
    with options.tasks() as at:
        task = at.task(name)
        names = tuple(dict.fromkeys(agents))
        generation = task_actions.start(at, task, names, base, on_branch)
    if not options.quiet:
        err(
            f'{task} started, generation {generation}; next: cd '
            f'{quoted([at.space.code(task)])}'
        )
    out(at.space.code(task))
    return 0
