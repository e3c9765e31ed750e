from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, example, writes
from interlock.commands.workflow_options import task_argument
from interlock.model.errors import Refusal
from interlock.report.terminal import err
from interlock.tasks.lock_actions import push_branch


@example('interlock push', 'interlock push bake-bread')
@click.command('push')
@task_argument('task', required=False)
@writes
def command(options: Options, task: str | None) -> int:
    """Push the branch of TASK, with proof that its lock is held.

    Without TASK, push the branch of this worktree. If the git remote keeps the
    locks, the branch and the proof are pushed atomically, so a session that lost
    the lock pushes nothing.
    """
    with options.tasks() as at:
        place = at.space.place(os.getcwd())
        name = task or (place.task if place else '')
        if not name:
            raise Refusal('this is not the worktree of a task', 'interlock push TASK')
        said = push_branch(at, at.task(name))
    if not options.quiet:
        err(said)
    return 0
