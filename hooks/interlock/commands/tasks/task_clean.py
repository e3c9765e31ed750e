from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, writes
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_actions import end_by_person
from interlock.tasks.task_actions import require_abandoned, require_user
from interlock.tasks.task_worktrees import clean


@click.command('clean')
@click.argument('name')
@writes
def command(options: Options, name: str) -> int:
    """Remove the worktrees of an abandoned task (run by a person).

    A task is abandoned if it has a worktree without a lock, or a lock without a
    worktree. Uncommitted changes stop it; unmerged branches and the audit trail are
    kept.
    """
    with options.tasks() as at:
        task = at.task(name)
        require_user(at, task, task_notes.CLEAN, 'clean up an abandoned task')
        lost = None
        if not os.path.isdir(at.space.code(task)):
            lost = lock_holders.held(at.space, task)
        if lost is None:
            require_abandoned(at, task)
        left = clean(at.space, task)
        if lost is not None:
            end_by_person(at, task, lost)
        task_notes.forget(at.space, task, task_notes.CONSENT)
    for branch in left:
        err(f'the branch {branch} is not merged, and stays')
    if not options.quiet:
        err(f'{task} is cleaned up; its audit trail stays')
    return 0
