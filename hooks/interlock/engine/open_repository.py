from __future__ import annotations

import os

from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.errors import Refusal


def opened(directory: str | None = None) -> Repository:
    """The repository that we are called in, or that of a directory; `with` ends
    its processes."""
    return Repository(os.environ, directory)


def head_of(repository: Repository) -> Commit:
    head = repository.head()
    if head is None:
        raise Refusal('there is no commit yet', 'interlock check --worktree')
    return head


def named(repository: Repository, rev: str) -> Commit:
    """The commit that a revision names; refused before the first commit."""
    if repository.git.resolve(rev) is None:
        head_of(repository)
    return repository.commit(rev)
