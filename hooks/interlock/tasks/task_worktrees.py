"""Create and remove the worktrees of a task and of its agents."""

from __future__ import annotations

import os
from shlex import quote

from interlock.documents.text import shown
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Collection
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import item_path


def task_worktrees(
    space: Workspace, task: str, agents: Collection[str]
) -> list[tuple[str, str]]:
    """The worktrees with their branches; the task's own last."""
    protocol = space.protocol
    return [
        *(
            (
                space.path(protocol.files.agent_code, task, agent),
                item_path(protocol.agent_branch, task, agent),
            )
            for agent in agents
        ),
        (space.code(task), item_path(protocol.branch, task)),
    ]


def make_agent_worktree(space: Workspace, task: str, agent: str) -> str:
    """Create the worktree of a new agent, with a branch from that of the task.

    Returns '' if it exists already, left by a command that was killed.
    """
    if space.without_git:
        raise Denied(f'{space.without_git}, so no worktree can be made', 'git init')
    environ, main = os.environ, space.main
    (directory, branch), (_, base) = task_worktrees(space, task, [agent])
    if os.path.isdir(directory):
        return ''
    elif worktrees.has_branch(environ, main, branch):
        # its worktree was lost, but not its commits
        worktrees.restore(environ, main, directory, branch)
    else:
        if not worktrees.has_branch(environ, main, base):
            base = 'HEAD'
        worktrees.add(environ, main, directory, branch, base)
    return directory


def remove_worktree(space: Workspace, directory: str, branch: str) -> bool:
    """Remove a worktree; return whether its branch was deleted too."""
    worktrees.remove(os.environ, space.main, directory)
    return worktrees.delete_branch(os.environ, space.main, branch)


def clean(space: Workspace, task: str) -> list[str]:
    """Remove the worktrees; return the branches that were not deleted."""
    main, environ = space.main, os.environ
    made = task_worktrees(space, task, space.agents(task))
    there = [path for path, _ in made if os.path.isdir(path)]
    # check all of them before the first is removed
    for path in there:
        changed = worktrees.tree(environ, path).changed
        if changed:
            raise Denied(
                f'{path} has work that is not committed: {shown(", ".join(changed))}',
                f'git -C {quote(path)} status',
            )
    # a removed worktree still counts as checked out
    worktrees.prune(environ, main)
    for path in there:
        worktrees.remove(environ, main, path)
        with suppress(OSError):
            # the directory of an agent may hold its status
            os.rmdir(os.path.dirname(path))
    return [
        branch
        for _, branch in made
        if worktrees.has_branch(environ, main, branch)
        and not worktrees.delete_branch(environ, main, branch)
    ]
