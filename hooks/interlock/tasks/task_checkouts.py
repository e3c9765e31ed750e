"""Whose branch is checked out: that decides which task is worked on."""

from __future__ import annotations

import os

from interlock.git.git_paths import git_dir_of, line_of, top_of
from interlock.tasks import lock_holders
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import item_path
from interlock.workflow.reading.item_paths import is_task_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.git.repository import Repository

HEADS = 'refs/heads/'
SYMBOLIC = f'ref: {HEADS}'
# the name in HEAD, in place of a branch, where refs are not files
REFTABLE = '.invalid'
# during a rebase, HEAD names no branch
REBASED = ('rebase-merge', 'rebase-apply')


def branch_in(git_dir: str) -> str:
    """The branch that a commit would land on, '' for none."""
    head = line_of(os.path.join(git_dir, 'HEAD'))
    if head.startswith(SYMBOLIC):
        return head[len(SYMBOLIC) :]
    for folder in REBASED:
        name = line_of(os.path.join(git_dir, folder, 'head-name'))
        if name.startswith(HEADS):
            return name[len(HEADS) :]
    return ''


def named_after(space: Workspace, branch: str) -> str:
    """The task whose branch would have this name, '' if none could."""
    head, _, tail = space.protocol.branch.partition('{item}')
    name = branch[len(head) : len(branch) - len(tail)]
    is_its = item_path(space.protocol.branch, name) == branch
    return name if is_its and is_task_name(name, space.kind) else ''


def _exactly(space: Workspace, branch: str) -> str:
    """The task that a branch is named after, if it is locked."""
    name = named_after(space, branch)
    return name if name and lock_holders.lock_of(space, name) is not None else ''


def _of_agent(space: Workspace, branch: str) -> str:
    """The task for which an agent works on this branch."""
    pattern = space.protocol.agent_branch
    for name in space.names():
        held = lock_holders.lock_of(space, name) if name in branch else None
        if held is not None and any(
            item_path(pattern, name, agent) == branch
            for agent in (*held.lock.agents, *space.agents(name))
        ):
            return name
    return ''


def task_of_branch(space: Workspace, branch: str) -> str:
    """The locked task that a branch belongs to, '' if there is none."""
    return branch and (_exactly(space, branch) or _of_agent(space, branch))


def task_in(space: Workspace, directory: str) -> str:
    """The task whose branch is checked out around a directory, found without git."""
    top = top_of(os.path.realpath(directory))
    git_dir = git_dir_of(top) if top else ''
    return task_of_branch(space, branch_in(git_dir)) if git_dir else ''


def _detached(repository: Repository, space: Workspace) -> str:
    """The only task whose branch ends at HEAD, '' for none or several."""
    from interlock.git.git import GitError

    try:
        found = repository.git.line(
            'for-each-ref', '--points-at=HEAD', '--format=%(refname)', HEADS
        ).split()
    except GitError:
        # there is no commit yet
        return ''
    tasks = {task_of_branch(space, name.removeprefix(HEADS)) for name in found}
    return tasks.pop() if len(tasks) == 1 else ''


def task_here(repository: Repository, space: Workspace) -> str:
    """The task whose branch a commit would land on, '' without one."""
    branch = branch_in(repository.facts.git_dir)
    if branch == REFTABLE:
        from interlock.git.git import GitError

        try:
            branch = repository.git.line('symbolic-ref', '--short', 'HEAD')
        except GitError:
            branch = ''
    if branch:
        return task_of_branch(space, branch)
    return _detached(repository, space)
