"""The commits that a command is asked about."""

from __future__ import annotations

from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.errors import Refusal


def head_of(repository: Repository) -> Commit:
    head = repository.head()
    if head is None:
        raise Refusal('there is no commit yet', 'interlock check --worktree')
    return head


def named(repository: Repository, rev: str) -> Commit:
    """The commit that a revision names; before the first none does."""
    if repository.git.resolve(rev) is None:
        head_of(repository)
    return repository.commit(rev)
