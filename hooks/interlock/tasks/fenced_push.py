"""Pushes the branch of a task together with the proof that its lock is held."""

from __future__ import annotations

import os

from interlock.git import worktrees
from interlock.model.errors import Denied, Refusal
from interlock.tasks import lock_holders
from interlock.tasks.engines.selection import settings
from interlock.tasks.lock_changes import LockChanges
from interlock.tasks.workplace import Workplace
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import GIT_REMOTE


def remote_of_fence(at: Workplace, task: str) -> str:
    """Where a session's branch goes, together with its proof; '' without one."""
    found = settings(at.space)
    is_fenced = at.locks.is_shared(task) and found.engine == GIT_REMOTE
    return found.remote if is_fenced and not at.actor.is_human else ''


def push_branch(at: Workplace, task: str) -> str:
    """Push the branch of a task; says what was proved with it.

    Only the git remote moves branch and lock in one step. Elsewhere the engine
    is asked just before the push; a person pushes without a lock.
    """
    branch = expand(at.space.protocol.branch, task)
    directory = at.space.code(task)
    if not os.path.isdir(directory):
        raise Denied(
            f'{task} has no worktree at {directory}, so nothing is to be pushed',
            f'interlock lock show {task}',
        )
    if at.actor.is_human:
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed, by a person'
    held = lock_holders.require_holder(at.space, task, at.actor)
    if not at.locks.is_shared(task):
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed'
    changes = LockChanges(at.space)
    if not changes.confirm(task):
        raise Denied(
            f'LCK001: this session no longer holds {task}',
            f'interlock lock show {task}',
        )
    elif not remote_of_fence(at, task):
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed; the lock was confirmed just before'
    commit = worktrees.tip(os.environ, directory, branch)
    if not commit:
        raise Refusal(f'there is no branch `{branch}`', f'git -C {directory} branch')
    changes.push(task, held, f'{commit}:refs/heads/{branch}')
    return f'{branch} is pushed, and with it the proof that {task} is held'
