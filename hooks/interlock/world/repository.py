"""The changes of a repository, each as a pair of snapshots."""
from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents import message
from interlock.model.change import Blob
from interlock.model.change import Change
from interlock.model.change import Message
from interlock.model.change import Nothing
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.world.answers import Commit
from interlock.world.facts import facts_of
from interlock.world.files import read
from interlock.world.git import Git
from interlock.world.git import GitError
from interlock.world.snapshots import IndexSnapshot
from interlock.world.snapshots import Store
from interlock.world.snapshots import TreeSnapshot

# `git merge` tells its children by the names of variables what it merges
MERGED = 'GITHEAD_'
# what a command of git says it is doing, for the reflog
ACTION = 'GIT_REFLOG_ACTION'
MERGING = ('merge', 'pull')


# a long history is judged in bounded memory
KEPT_TREES = 128

UNSHALLOW = 'git fetch --unshallow (in CI: fetch-depth: 0)'


def _present(touched: Mapping[str, str], absent: str) -> list[str]:
    return [path for path, letter in touched.items() if letter != absent]


class Range(NamedTuple):
    # as it is named: of `A...B` not what the two have in common
    start: Commit
    base: Commit
    # oldest first
    commits: list[Commit]


class Repository:
    def __init__(
            self,
            environ: Mapping[str, str],
            directory: str | None = None,
    ) -> None:
        self.environ = environ
        self.git = Git(environ, directory)
        self.facts = facts_of(self.git)
        self.store = Store(self.git)
        self._trees: dict[str, TreeSnapshot] = {}
        self._empty = ''
        # of commits that are about to be judged
        self._diffs: dict[tuple[str, str], dict[str, str]] = {}

    def close(self) -> None:
        self.git.close()

    @property
    def empty_tree(self) -> str:
        self._empty = self._empty or self.git.empty_tree()
        return self._empty

    def tree(self, oid: str) -> TreeSnapshot:
        if oid not in self._trees:
            if len(self._trees) >= KEPT_TREES:
                for old in list(self._trees)[:KEPT_TREES // 2]:
                    del self._trees[old]
            self._trees[oid] = TreeSnapshot(self.store, oid)
        return self._trees[oid]

    def commit(self, rev: str) -> Commit:
        oid = self.git.resolve(rev)
        commit = self.git.commit(oid) if oid else None
        if commit is None:
            hint = 'git log --oneline'
            if self.git.is_shallow():
                hint = UNSHALLOW
            raise Refusal(f'`{rev}` names no commit here', hint)
        return commit

    def all_of(self, oids: Sequence[str]) -> list[Commit]:
        self.git.read_commits(oids)
        # one that could not be read is refused here
        return [self.git.commit(oid) or self.commit(oid) for oid in oids]

    def pairs(self, commits: Sequence[Commit]) -> list[tuple[str, str]]:
        """The trees that commits are between."""
        return [
            (parent.tree, commit.tree) for commit in commits
            for parent in self._parents(commit)
        ]

    def expect_diff(
            self,
            pair: tuple[str, str],
            touched: dict[str, str],
    ) -> None:
        """So that judging a commit need not ask for it."""
        self._diffs[pair] = touched

    def head(self) -> Commit | None:
        oid = self.git.resolve('HEAD')
        return self.git.commit(oid) if oid else None

    def _parents(self, commit: Commit) -> list[Commit]:
        parents = []
        for oid in commit.parents:
            parent = self.git.commit(oid)
            if parent is None:
                raise Refusal(
                    f'the parent {oid[:10]} of {commit.oid[:10]} is not '
                    f'here: the history is cut off',
                    UNSHALLOW,
                )
            parents.append(parent)
        return parents

    def _against(
            self,
            before: Commit | None,
            after: str,
            text: Message | None,
            commit: str,
    ) -> Change:
        tree = before.tree if before else self.empty_tree
        snapshot: Snapshot = self.tree(tree) if before else Nothing()
        touched = self._diffs.pop((tree, after), None)
        if touched is None:
            touched = self.git.diff_trees(tree, after)
        self.tree(after).expect(_present(touched, 'D'))
        if before is not None:
            self.tree(tree).expect(_present(touched, 'A'))
            self.tree(after).follow(self.tree(tree), touched)
        return Change(
            snapshot, self.tree(after), touched, text, commit=commit,
        )

    def of_commit(
            self,
            commit: Commit,
            base: Commit | None = None,
    ) -> list[Change]:
        """One change per parent; for a root one against nothing.

        A root in the middle of a range is a history from elsewhere; it is
        judged against the base of the range, which it is merged into.
        """
        text = message.parse(commit.message)
        parents: list[Commit | None] = [*self._parents(commit)]
        if not parents and base is not None:
            parents = [base]
        return [
            self._against(parent, commit.tree, text, commit.oid)
            for parent in parents or [None]
        ]

    def staged(self, text: Message | None) -> list[Change]:
        """The index against HEAD, and against what is being merged."""
        if not self.facts.top:
            raise Refusal(
                'there is no working tree here, so nothing is staged',
                'interlock check --commit HEAD',
            )
        head = self.head()
        amended = message.parse(head.message) if head else None
        after, touched = self._index(head)
        before: Snapshot = self.tree(head.tree) if head else Nothing()
        changes = [Change(before, after, touched, text, amended)]
        for parent in self._merging() if head else ():
            _, touched = self._index(parent)
            changes.append(
                Change(self.tree(parent.tree), after, touched, text, amended),
            )
        return changes

    def _index(
            self,
            parent: Commit | None,
    ) -> tuple[IndexSnapshot, dict[str, str]]:
        tree = parent.tree if parent else self.empty_tree
        touched, oids = self.git.diff_index(tree)
        unmerged = [path for path, letter in touched.items() if letter == 'U']
        if unmerged:
            raise Refusal(
                f'`{unmerged[0]}` has conflicts', 'resolve them, then git add',
            )
        after = IndexSnapshot(self.store, tree, touched, oids)
        after.expect(path for path in _present(touched, 'D') if path in oids)
        if parent is not None:
            self.tree(tree).expect(_present(touched, 'A'))
        return after, touched

    def _merging(self) -> Iterator[Commit]:
        data = read(os.path.join(self.facts.git_dir, 'MERGE_HEAD'))
        heads = (data or b'').decode(errors='replace').split()
        if not heads and self.environ.get(ACTION, '').startswith(MERGING):
            # at pre-merge-commit that file is not written yet
            heads = [
                name[len(MERGED):] for name in self.environ
                if name.startswith(MERGED)
            ]
        for head in heads:
            yield self.commit(head)

    def parents(self) -> list[str]:
        """Of the commit that is being made."""
        head = self.head()
        merging = [commit.oid for commit in self._merging()] if head else []
        return [head.oid, *merging] if head else []

    def against_head(self, tree: str) -> Change:
        return self._against(self.head(), tree, None, '')

    def of_tree(self, tree: str) -> Change:
        """A whole tree, judged as it stands and not as a change."""
        return Change(
            Nothing(), self.tree(tree), {}, everything=True,
        )

    def is_ancestor(self, first: Commit, last: Commit) -> bool:
        try:
            self.git.run('merge-base', '--is-ancestor', first.oid, last.oid)
        except GitError:
            return False
        return True

    def between(self, before: Commit, after: Commit) -> Change:
        """All that happened from one commit to another, as one change."""
        return self._against(before, after.tree, None, after.oid)

    def range(self, revisions: str) -> Range:
        """What `A..B` means, or `A...B`."""
        first, dots, last = revisions.partition('..')
        since, last = last.startswith('.'), last.removeprefix('.')
        # a variable that is not set would be an empty range, and pass
        if not dots or not first or not last or last.startswith('.'):
            raise Refusal(
                f'`{revisions}` is no range', 'write it as A..B',
            )
        start = self.commit(first)
        first = start.oid
        last = self.commit(last).oid
        if since:
            try:
                first = self.git.line('merge-base', first, last)
            except GitError:
                raise Refusal(
                    f'`{revisions}`: the two have no common ancestor here',
                    UNSHALLOW,
                ) from None
        oids = self.git.commits(last, f'^{first}')
        return Range(start, self.commit(first), self.all_of(oids))

    def last_with(self, path: str, checksum: str) -> str:
        """The newest commit in which a file has a checksum, '' if none."""
        algorithm = checksum.partition(':')[0]
        head = self.head()
        for oid in self.git.touching(head.oid, path) if head else ():
            tree = self.tree(self.commit(oid).tree)
            digest = tree.digest(path, algorithm)
            if f'{algorithm}:{digest}' == checksum:
                return oid
        return ''

    def versions(self, path: str) -> Iterator[tuple[str, Blob]]:
        """A file as the commits that changed it left it, newest first."""
        head = self.head()
        for oid in self.git.touching(head.oid, path) if head else ():
            blob = self.tree(self.commit(oid).tree).blob(path)
            if blob is not None:
                yield oid, blob

    def history(self, rev: str) -> list[Commit]:
        return self.all_of(self.git.commits(self.commit(rev).oid))
