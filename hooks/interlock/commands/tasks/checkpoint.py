from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.workflow_options import task_argument
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.operations.tasks import approve as operations
from interlock.report.terminal import err, out
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_actions import push_branch, remote_of_fence
from interlock.tasks.workplace import Workplace, require_own
from interlock.workflow.language.patterns import expand

CONDITION = 'checkpoint'


def _refuse(view: View) -> None:
    """Refuse unless the next gate asks for a checkpoint, and all work is committed."""
    states = dict.fromkeys(
        origin
        for line in view.kind.transitions
        if CONDITION in line.gate
        for origin in line.origins
    )
    if view.state not in states:
        raise Denied(
            f'{view.task} is in {view.state}; a checkpoint is made in '
            f'{" or ".join(states)}',
            f'interlock task resume {view.task}',
        )
    elif view.tree.problem:
        raise Denied(view.tree.problem, 'git worktree list')
    elif view.tree.changed:
        raise Denied(
            f'{view.tree.changed[0]} is not committed, so it cannot be reviewed',
            f'git -C {view.code} status',
        )
    elif not view.tree.head:
        raise Denied(f'{view.code} has no commit', 'commit the work')


def _published(at: Workplace, view: View, push: bool) -> str:
    """The remote branch, if it is at the task's commit."""
    branch = expand(view.protocol.branch, view.task)
    if push:
        err(push_branch(at, view.task))
    fence = remote_of_fence(at, view.task)
    remote, there = worktrees.published(os.environ, view.code, branch, fence)
    if there != view.tree.head:
        is_at = f'is at {there[:10]}' if there else 'does not exist'
        raise Denied(
            f'{view.tree.head[:10]} is to be reviewed, but the branch {branch} '
            f'on {remote} {is_at}',
            f'interlock checkpoint {view.task} --push',
        )
    return f'{remote}/{branch}'


@example('interlock checkpoint bake-bread --push')
@click.command('checkpoint')
@task_argument('task')
@option('--push', 'Push the branch first.')
@writes
def command(options: Options, task: str, push: bool) -> int:
    """Name the commit of TASK that the user is to review.

    The branch has to be on the remote at that commit; a later commit voids
    the checkpoint.
    """
    with options.task(task) as at:
        view = at.view(needs=(CONDITION,))
        require_own(view)
        _refuse(view)
        remote = _published(at, view, push)
        at.apply(operations.checkpoint(view, at.lock, view.tree.head, at.now))
    out(f'Commit: {view.tree.head}')
    out(f'Remote: {remote}')
    return 0
