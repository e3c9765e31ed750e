"""The worktrees of a task and of its agents: made, and taken away."""

from __future__ import annotations

import os
from shlex import quote

from interlock.documents.text import shown
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Collection
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import place


def task_worktrees(
    space: Workspace, task: str, agents: Collection[str]
) -> list[tuple[str, str]]:
    """The worktrees with their branches; the task's own last."""
    protocol = space.protocol
    return [
        *(
            (
                space.path(protocol.files.agent_code, task, agent),
                place(protocol.agent_branch, task, agent),
            )
            for agent in agents
        ),
        (space.code(task), place(protocol.branch, task)),
    ]


def make_agent_worktree(space: Workspace, task: str, agent: str) -> str:
    """The worktree of a new agent, with a branch from that of the task.

    '' where it is there already, as a command that was killed left it.
    """
    if space.without_git:
        raise Denied(f'{space.without_git}, so no worktree can be made', 'git init')
    environ, main = os.environ, space.main
    (directory, branch), (_, base) = task_worktrees(space, task, [agent])
    if os.path.isdir(directory):
        return ''
    elif worktrees.has_branch(environ, main, branch):
        # its worktree was lost, and its commits were not
        worktrees.restore(environ, main, directory, branch)
    else:
        if not worktrees.has_branch(environ, main, base):
            base = 'HEAD'
        worktrees.add(environ, main, directory, branch, base)
    return directory


def remove_worktree(space: Workspace, directory: str, branch: str) -> bool:
    """Take a worktree away; whether its branch went with it."""
    worktrees.remove(os.environ, space.main, directory)
    return worktrees.delete_branch(os.environ, space.main, branch)


def clean(space: Workspace, task: str) -> list[str]:
    """Take the worktrees away; gives the branches that were not deleted."""
    main, environ = space.main, os.environ
    made = task_worktrees(space, task, space.agents(task))
    there = [path for path, _ in made if os.path.isdir(path)]
    # before the first is taken away
    for path in there:
        changed = worktrees.tree(environ, path).changed
        if changed:
            raise Denied(
                f'{path} has work that is not committed: {shown(", ".join(changed))}',
                f'git -C {quote(path)} status',
            )
    # what is gone still counts as checked out
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
