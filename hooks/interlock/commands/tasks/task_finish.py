from __future__ import annotations

import os
from collections.abc import Iterator

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.context import AtTask, at_task, require_own, say
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.report.terminal import FOUND, err
from interlock.tasks.conditions.gate import is_open, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_store import event
from interlock.workflow.language.patterns import expand, place
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


def _worktrees(at: AtTask, view: View) -> Iterator[tuple[str, str]]:
    """Those that are there, with their branches; the task's own last."""
    protocol = view.protocol
    for agent in view.agents:
        directory = at.path(protocol.files.agent_code, agent.name)
        if os.path.isdir(directory):
            branch = place(protocol.agent_branch, at.name, agent.name)
            yield directory, branch
    if view.worktree:
        yield view.code, expand(protocol.branch, at.name)


def _remove(at: AtTask, view: View) -> None:
    main = at.place.space.main
    for directory, branch in _worktrees(at, view):
        worktrees.remove(os.environ, main, directory)
        deleted = worktrees.delete_branch(os.environ, main, branch)
        kept = '' if deleted else f', the branch {branch} is kept'
        err(f'{directory}: removed{kept}')


@click.command('finish')
@click.argument('task')
@writes
def command(task: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Take the worktrees of TASK away and give its lock back.

    Only in its last state, and only with a complete audit trail, which is
    kept with the plan and the reports.
    """
    with at_task(config, wait, task) as at:
        view = at.view(needs=(*CONDITIONS, COMMITTED))
        require_own(view)
        _refuse_early(view)
        verdicts = judge(
            view, (*CONDITIONS, COMMITTED) if view.worktree else CONDITIONS
        )
        if not is_open(verdicts):
            say(verdicts, quiet=1)
            return FOUND
        _remove(at, view)
        finished = event(
            'finished',
            task,
            generation=at.held.lock.generation,
            session=at.place.actor.session,
        )
        at.place.locks.remove(task, at.held, finished)
    err(f'{task} is finished; {at.trail.path} is kept')
    return 0
