from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, writes
from interlock.commands.tasks.verdicts import say
from interlock.model.errors import Denied
from interlock.report.terminal import FOUND, err
from interlock.tasks.conditions.gate import is_open, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_holders import require_holder
from interlock.tasks.task_worktrees import remove_worktree, task_worktrees
from interlock.tasks.workplace import require_own
from interlock.workflow.reading.transition_log import following

# nothing but the trail says afterwards how the work was done
CONDITIONS = ('log-complete', 'trail-complete', 'merged-with-todo')
# asked of worktrees that are there: what is in them goes with them
COMMITTED = 'work-committed'


def _refuse_early(view: View) -> None:
    if view.state not in view.kind.states or following(view.kind, view.state):
        raise Denied(
            f'{view.task} is in {view.state}, which is not its last state',
            f'interlock task resume {view.task}',
        )


@click.command('finish')
@click.argument('task')
@writes
def command(options: Options, task: str) -> int:
    """Remove the worktrees of TASK and give its lock back.

    The task must be in its last state and its audit trail complete; the trail, the
    plan and the reports are kept.
    """
    with options.task(task) as at:
        view = at.view(needs=(*CONDITIONS, COMMITTED))
        require_own(view)
        _refuse_early(view)
        verdicts = judge(
            view, (*CONDITIONS, COMMITTED) if view.worktree else CONDITIONS
        )
        if not is_open(verdicts):
            say(verdicts, quiet=1)
            return FOUND
        # nothing goes while the engine cannot say that the lock is ours
        at.locks.confirm(task)
        require_holder(at.space, task, at.actor)
        agents = [agent.name for agent in view.agents]
        for directory, branch in task_worktrees(at.space, at.name, agents):
            if os.path.isdir(directory):
                deleted = remove_worktree(at.space, directory, branch)
                kept = '' if deleted else f', the branch {branch} is kept'
                err(f'{directory}: removed{kept}')
        finished = at.event('finished', task, at.held.lock.generation)
        at.locks.remove(task, at.held, finished)
    err(f'{task} is finished; {at.trail.path} is kept')
    return 0
