from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from shlex import quote

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.lock import end_by_person
from interlock.commands.tasks.task_adopt import require_abandoned, require_user
from interlock.commands.tasks.workspace import Workplace, opened
from interlock.documents.text import shown
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import Held
from interlock.workflow.language.patterns import place


def _refuse_loss(paths: Sequence[str]) -> None:
    """Before the first is taken away, that none has work in it."""
    for path in paths:
        changed = worktrees.tree(os.environ, path).changed
        if changed:
            raise Denied(
                f'{path} has work that is not committed: {shown(", ".join(changed))}',
                f'git -C {quote(path)} status',
            )


def _without_worktree(at: Workplace, task: str) -> Held | None:
    """The lock of a task whose worktree is gone."""
    if os.path.isdir(at.space.code(task)):
        return None
    return lock_holders.held(at.space, task)


def _clean(at: Workplace, task: str) -> list[str]:
    """Takes the worktrees away; the branches that were not deleted."""
    space, protocol = at.space, at.space.protocol
    main, environ = space.main, os.environ
    agents = space.agents(task)
    made = [
        (
            space.path(protocol.files.agent_code, task, agent),
            place(protocol.agent_branch, task, agent),
        )
        for agent in agents
    ]
    made.append((space.code(task), place(protocol.branch, task)))
    there = [path for path, _ in made if os.path.isdir(path)]
    _refuse_loss(there)
    # what is gone still counts as checked out
    worktrees.prune(environ, main)
    for path in there:
        worktrees.remove(environ, main, path)
        with contextlib.suppress(OSError):
            # the directory of an agent may hold its status
            os.rmdir(os.path.dirname(path))
    return [
        branch
        for _, branch in made
        if worktrees.has_branch(environ, main, branch)
        and not worktrees.delete_branch(environ, main, branch)
    ]


@click.command('clean')
@click.argument('name')
@writes
def command(name: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Take the worktrees of an abandoned task away; a person does.

    Abandoned is a worktree without a lock, or a lock without a worktree.
    What is not committed stops it, branches that are not merged stay, and
    so does the audit trail.
    """
    with opened(config, wait) as at:
        task = at.task(name)
        require_user(at, task, task_notes.CLEAN, 'clean up an abandoned task')
        lost = _without_worktree(at, task)
        if lost is None:
            require_abandoned(at, task)
        left = _clean(at, task)
        if lost is not None:
            end_by_person(at, task, lost)
        task_notes.forget(at.space, task, task_notes.CONSENT)
    for branch in left:
        err(f'the branch {branch} is not merged, and stays')
    if not quiet:
        err(f'{task} is cleaned up; its audit trail stays')
    return 0
