"""Is what came to the main branch what was shown and approved?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents import message, trailers
from interlock.git.git import Git, GitError
from interlock.git.parse import Commit
from interlock.model.errors import Refusal


class Approved(NamedTuple):
    task: str
    # the commit that was approved, and where the branch is now ('': gone)
    commit: str
    tip: str
    # files that are written on the way: the todo list, the changelog
    records: frozenset[str]


def known(git: Git, oid: str) -> Commit:
    commit = git.commit(oid)
    if commit is None:
        raise Refusal(f'git knows no commit {oid[:10]}')
    return commit


def touched(git: Git, commit: Commit) -> list[str]:
    """What a commit changes on the line of its first parent."""
    parent = (
        known(git, commit.parents[0]).tree if commit.parents else (git.empty_tree())
    )
    return list(git.diff_trees(parent, commit.tree))


def _changed(git: Git, before: str, after: str) -> set[str]:
    old, new = known(git, before), known(git, after)
    return set(git.diff_trees(old.tree, new.tree))


def _base(git: Git, one: str, other: str) -> str:
    """The newest commit that both have, '' where there is none."""
    try:
        return git.line('merge-base', one, other)
    except GitError:
        return ''


def _is_before(git: Git, one: str, other: str) -> bool:
    return bool(one) and _base(git, one, other) == one


def holds(git: Git, head: str, work: str, done: str, records: set[str]) -> bool:
    """The work is an ancestor, or its contents came in one new commit."""
    base = _base(git, work, head)
    if not base or base == work or not done:
        return base == work
    parent = next(iter(known(git, done).parents), done)
    missing = _changed(git, base, work) & _changed(git, work, done)
    # what the main branch changed as well was merged, and may differ
    merged = _changed(git, base, parent) & _changed(git, parent, done)
    return not missing - merged - records


def _brought(git: Git, done: str, at: Approved) -> set[str]:
    """What one commit brought that its source does not hold."""
    commit = known(git, done)
    if len(commit.parents) > 1:
        source = commit.parents[1]
    elif commit.parents and not _is_before(git, at.commit, done):
        source = at.commit
    else:
        # a commit of the branch itself
        return set()
    parent = commit.parents[0]
    base = _base(git, parent, source)
    if not base:
        return set()
    brought = _changed(git, parent, done)
    theirs, ours = _changed(git, base, source), _changed(git, base, parent)
    differs = _changed(git, source, done)
    return (brought - theirs) | (brought & differs - ours)


def _is_of(git: Git, commit: Commit, at: Approved) -> bool:
    """Whether a commit, or what is new in a merge, is work of the task."""
    first, *others = commit.parents
    found = (
        git.messages(f'^{trailers.TASK}: ', *others, f'^{first}', f'^{at.commit}')
        if others
        else [commit.message]
    )
    return any(trailers.task(message.parse(one)) == at.task for one in found)


def _later(git: Git, head: str, done: str, at: Approved) -> Iterator[Commit]:
    """Commits of the task that came after the one that was approved."""
    if not _is_before(git, at.commit, head):
        return
    own: set[str] = set()
    parents = known(git, done).parents if done else ()
    if len(parents) > 1:
        own.update(
            git.commits('--first-parent', parents[1], f'^{at.commit}', f'^{parents[0]}')
        )
    if _is_before(git, at.tip, head):
        own.update(git.commits('--first-parent', at.tip, f'^{at.commit}'))
    line = git.commits('--first-parent', head, f'^{at.commit}')
    for oid in dict.fromkeys([*sorted(own), *line]):
        commit = known(git, oid)
        is_merge = len(commit.parents) > 1
        if (oid in own and not is_merge) or (
            not (oid == done and is_merge) and _is_of(git, commit, at)
        ):
            yield commit


def unapproved(git: Git, head: str, done: str, at: Approved) -> list[str]:
    """The paths that reached the main branch otherwise than approved."""
    found = _brought(git, done, at) if done else set()
    for commit in _later(git, head, done, at):
        found.update(touched(git, commit))
    return sorted(found - at.records)
