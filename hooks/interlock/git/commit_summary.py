from __future__ import annotations

from interlock.git.git import GitError
from interlock.git.worktrees import elsewhere
from interlock.model.change import ADDED
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Mapping, NamedTuple


class CommitFacts(NamedTuple):
    """The facts about a commit that an audit trail records."""

    sha: str
    branch: str
    subject: str
    created: tuple[str, ...]
    modified: tuple[str, ...]
    # the full message
    message: str


def entry(facts: CommitFacts, agent: str, now: str, branch: str = '') -> dict[str, Any]:
    """The commit as an audit trail entry."""
    return {
        'sha': facts.sha,
        'agent': agent,
        'branch': branch or facts.branch,
        'timestamp': now,
        'files_created': list(facts.created),
        'files_modified': list(facts.modified),
        'message': facts.subject,
    }


def commit_facts(environ: Mapping[str, str], directory: str, rev: str) -> CommitFacts:
    with elsewhere(environ, directory) as git:
        oid = git.resolve(rev)
        commit = git.commit(oid) if oid else None
        if commit is None:
            raise Refusal(
                f'`{rev}` is not a commit in {directory}',
                f'git -C {directory} log --oneline',
            )
        parent = git.commit(commit.parents[0]) if commit.parents else None
        before = parent.tree if parent else git.empty_tree()
        touched = git.diff_trees(before, commit.tree)
        try:
            branch = git.line('symbolic-ref --short -q HEAD')
        except GitError:
            branch = ''
        return CommitFacts(
            commit.oid,
            branch,
            commit.message.partition('\n')[0],
            tuple(path for path, how in touched.items() if how == ADDED),
            tuple(path for path, how in touched.items() if how != ADDED),
            commit.message,
        )
