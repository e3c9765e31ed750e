"""The changes of a repository, each a pair of snapshots."""

from __future__ import annotations

import os

from interlock.documents import message
from interlock.files.atomic_files import read
from interlock.git.ancestry import Ancestry
from interlock.git.git import Git, GitError
from interlock.git.parse import Commit, raw_diff
from interlock.git.snapshots import Store, TreeSnapshot
from interlock.model import quick_tools as functools
from interlock.model.change import (
    ADDED,
    DELETED,
    DOUBLED,
    MODIFIED,
    UNMERGED,
    Blob,
    Change,
    MergedSnapshot,
    Message,
    Nothing,
    Parent,
    Snapshot,
)
from interlock.model.errors import OUTSIDE, NoRepository, Refusal
from interlock.model.quick_typing import (
    Any,
    Callable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)

# `git merge` passes the merged commits to its children as names of variables
MERGED = 'GITHEAD_'
# set by git commands: the action that the reflog records
ACTION = 'GIT_REFLOG_ACTION'
MERGING = ('merge', 'pull')


# limits the memory used for a long history
KEPT_TREES = 128
# commits that are read at once
PORTION = 512


def cut_off(what: str) -> Refusal:
    """The refusal for commits that a shallow clone left out."""
    return Refusal(
        f'{what}: the history is cut off (in CI, set `fetch-depth: 0`)',
        'git fetch --unshallow',
    )


def _keep(after: Snapshot, before: MergedSnapshot) -> None:
    after.known['before', id(before)] = before


# selects the files of a merge that matter, given the ids of its parents
Watching = Callable[[Sequence[str]], Callable[[str], bool]]


def no_path(path: str) -> bool:
    return False


class RepositoryPaths(NamedTuple):
    # '' in a bare repository
    top: str
    git_dir: str
    common_dir: str


def _paths_of(git: Git) -> RepositoryPaths:
    dirs = ('--git-dir', '--git-common-dir')
    try:
        lines = git.line('rev-parse', *dirs, '--show-toplevel').split('\n')
        if len(lines) > len(dirs) + 1:
            # the name of a directory contains a newline
            lines = [git.line('rev-parse', name) for name in (*dirs, '--show-toplevel')]
    except GitError:
        try:
            # a bare repository, or inside a .git directory
            lines = [*git.line('rev-parse', *dirs).split('\n'), '']
        except GitError as e:
            if 'dubious ownership' in e.error:
                raise Refusal(
                    'git does not trust this repository: it belongs to another user',
                    'git config --global --add safe.directory "$PWD"',
                ) from None
            raise NoRepository(OUTSIDE, 'git init') from None
    git_dir, common_dir, top = (
        line and os.path.join(git.directory or '', line) for line in lines
    )
    return RepositoryPaths(top, os.path.abspath(git_dir), os.path.abspath(common_dir))


class Range(NamedTuple):
    # the start as the range names it; for `A...B` this is A, not the merge base
    start: Commit
    base: Commit
    # oldest first
    commits: Commits


class Commits(Sequence[Commit]):
    """Commits that are read in portions when they are needed.

    A history may have more commits than should be in memory at once.
    """

    def __init__(
        self,
        repository: Repository,
        oids: Sequence[str],
        forks: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._repository = repository
        self.oids = oids
        # the parents of each whose only parent is not the one before it; None for
        # single commits of a history
        self.forks = forks

    def __len__(self) -> int:
        return len(self.oids)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        oid, git = self.oids[at], self._repository.git
        if not git.has_read(oid):
            git.read_commits(self.oids[at : at + PORTION] if at >= 0 else [oid])
        # a commit that could not be read is refused here
        return git.commit(oid) or self._repository.commit(oid)


class Repository:
    def __init__(
        self,
        environ: Mapping[str, str],
        directory: str | None = None,
        git: Git | None = None,
        facts: RepositoryPaths | None = None,
    ) -> None:
        self.environ = environ
        self.git = git or Git(environ, directory)
        self.facts = facts or _paths_of(self.git)
        self.store = Store(self.git)
        self._trees: dict[str, TreeSnapshot] = {}
        self._empty = ''
        # the diffs of commits that are about to be judged
        self._diffs: dict[tuple[str, str], dict[str, str]] = {}
        # the commits that were listed last, and what was asked for
        self._listed: tuple[tuple[str, ...], Commits] | None = None
        self.ancestry = Ancestry(self.git)
        # a commit that shares the root of this project; '' to use the first
        # parent of each merge
        self.target = ''
        # whether the judged change is being made in this worktree
        self.is_here = False

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.git.close()

    def with_git(self, git: Git) -> Repository:
        """The same repository with another index or object store."""
        return Repository(git.environ, git=git, facts=self.facts)

    def refuse_to_fetch(self) -> None:
        """Make the user fetch the objects that a partial clone left out.

        git would fetch each object separately.
        """
        if self.git.is_partial():
            self.git.stay_offline()

    @property
    def is_shallow(self) -> bool:
        return os.path.exists(os.path.join(self.facts.common_dir, 'shallow'))

    @property
    def empty_tree(self) -> str:
        self._empty = self._empty or self.git.empty_tree()
        return self._empty

    def tree(self, oid: str) -> TreeSnapshot:
        if oid not in self._trees:
            if len(self._trees) >= KEPT_TREES:
                for old in list(self._trees)[: KEPT_TREES // 2]:
                    del self._trees[old]
            self._trees[oid] = TreeSnapshot(self.store, oid)
        return self._trees[oid]

    def commit(self, rev: str) -> Commit:
        oid = self.git.resolve(rev)
        commit = self.git.commit(oid) if oid else None
        if commit is None:
            what = f'`{rev}` is not a commit in this repository'
            if self.git.is_shallow():
                raise cut_off(what)
            raise Refusal(what, 'git log --oneline')
        return commit

    def all_of(self, oids: Sequence[str]) -> Commits:
        return Commits(self, oids)

    def leading_to(self, tip: str, *without: str) -> Commits:
        """A commit and those before it, oldest first, without some of them."""
        if self._listed is None or self._listed[0] != (tip, *without):
            commits = Commits(self, *self.git.with_forks(tip, *without))
            # the step of a ref mostly has the commits of its push
            self._listed = (tip, *without), commits
        return self._listed[1]

    def related(self, commits: Commits, target: str) -> Commits:
        """The commits of this project, without those of merged other projects."""
        if self.is_shallow or commits.forks is None:
            return commits
        found = self.ancestry.related(commits.oids, commits.forks, target)
        return self.all_of(found)

    def read_ahead(
        self,
        commits: Sequence[Commit],
        is_record: Callable[[str], bool],
        is_recorded: Callable[[str], bool],
    ) -> None:
        """Ask git once for the diffs of commits, and for the files that checks read.

        If a commit adds a file of a recorded kind, the file was absent before,
        so that is noted too. Other files are looked up in the tree.
        """
        pairs = self._pairs(commits)
        wanted: dict[str, list[tuple[TreeSnapshot, str]]] = {}
        for pair, fields in zip(pairs, self.git.differ.diffs(pairs), strict=True):
            touched, new, old = raw_diff(fields)
            self._diffs[pair] = touched
            before, after = map(self.tree, pair)
            for path, letter in touched.items():
                if is_recorded(path):
                    if letter == ADDED:
                        before.know(path, None)
                    elif letter == DELETED:
                        after.know(path, None)
                elif not is_record(path):
                    continue
                if path in new:
                    wanted.setdefault(new[path], []).append((after, path))
                if path in old and letter != DOUBLED:
                    wanted.setdefault(old[path], []).append((before, path))
        blobs = self.store.blobs(list(wanted))
        for oid, places in wanted.items():
            for tree, path in places if oid in blobs else ():
                tree.know(path, blobs[oid])

    def announce(self, commits: Sequence[Commit]) -> None:
        """Let git compare the trees of these commits while others are judged."""
        self.git.differ.ask(self._pairs(commits))

    def _pairs(self, commits: Sequence[Commit]) -> list[tuple[str, str]]:
        """The pairs of trees (parent, commit) of some commits."""
        return [
            (parent.tree, commit.tree)
            for commit in commits
            for parent in self._parents(commit)
        ]

    def tree_of(self, commit: Commit | None) -> Snapshot:
        """The tree of a commit; before the first one there are no files."""
        return Nothing() if commit is None else self.tree(commit.tree)

    def head(self) -> Commit | None:
        oid = self.git.resolve('HEAD')
        return self.git.commit(oid) if oid else None

    def _parents(self, commit: Commit) -> list[Commit]:
        parents = []
        for oid in commit.parents:
            parent = self.git.commit(oid)
            if parent is None:
                raise cut_off(
                    f'the parent {oid[:10]} of {commit.oid[:10]} is not in this clone'
                )
            parents.append(parent)
        return parents

    def _against(
        self, before: Commit | None, after: str, text: Message | None, commit: str
    ) -> Change:
        tree = before.tree if before else self.empty_tree
        touched = self._diffs.pop((tree, after), None)
        if touched is None:
            touched = self.git.diff_trees(tree, after)
        if before is not None:
            self.tree(after).follow(self.tree(tree), touched)
        snapshot = self.tree_of(before)
        return Change(snapshot, self.tree(after), touched, text, commit=commit)

    def of_commit(
        self, commit: Commit, watched_by: Watching = lambda _: lambda _: True
    ) -> list[Change]:
        """A commit as a change; a root commit is compared with nothing.

        A merge yields one change for each distinct opinion of its sides.
        Earlier contents are only looked up for watched files.
        """
        text = message.parse(commit.message)
        parents = self._parents(commit)
        if not parents:
            return [self._against(None, commit.tree, text, commit.oid)]
        changes = [
            self._against(parent, commit.tree, text, commit.oid) for parent in parents
        ]
        return self._merge(changes, parents, watched_by) if parents[1:] else changes

    def _merge(
        self, changes: Sequence[Change], parents: Sequence[Commit], watched_by: Watching
    ) -> list[Change]:
        """A merge, given as its changes against each parent."""
        is_watched = watched_by([parent.oid for parent in parents])
        watched = {
            path for change in changes for path in change.touched if is_watched(path)
        }
        # files that differ from every parent
        others = set.intersection(*(set(c.touched) for c in changes)) - watched
        if not watched:
            touched = {path: changes[0].touched[path] for path in others}
            sides = tuple(Parent(c.before, c.touched) for c in changes)
            return [changes[0]._replace(touched=touched, parents=sides)]
        compared = self._compared(parents)
        changes = [changes[number] for number in compared]
        parents = [parents[number] for number in compared]
        if len(changes) == 1:
            return list(changes)
        bases = [
            self.ancestry.bases(parent.oid, [p.oid for p in parents[:number]])
            for number, parent in enumerate(parents[1:], 1)
        ]
        return self._merged(changes, parents, bases, watched, others)

    def _compared(self, parents: Sequence[Commit]) -> list[int]:
        """The positions of the parents that a merge is compared with.

        A parent with another root is another project: `git subtree` merges it
        below a folder, and the files at its top are not ours.
        """
        target = self.target or parents[0].oid
        found = [
            number
            for number, parent in enumerate(parents)
            if (
                number == 0 or self._has_base(parent, parents[0])
                if self.is_shallow
                else self.ancestry.is_related(parent.oid, target)
            )
        ]
        return found or [0]

    def _has_base(self, parent: Commit, first: Commit) -> bool:
        if self.ancestry.bases(parent.oid, [first.oid]):
            return True
        elif self.is_here:
            # a new commit is never refused because the clone is shallow
            return False
        raise cut_off(
            f'the common history of {parent.oid[:10]} and {first.oid[:10]} is not in '
            f'this clone'
        )

    def _merged(
        self,
        changes: Sequence[Change],
        parents: Sequence[Commit],
        bases: Sequence[Sequence[str]],
        watched: set[str],
        others: set[str],
    ) -> list[Change]:
        sides = [change.before for change in changes]
        trees = [[self.tree(self.commit(oid).tree) for oid in some] for some in bases]
        # several rules ask for it, for several items
        behind = functools.cache(
            functools.partial(
                self._between_parents, tuple(parent.oid for parent in parents)
            )
        )
        found = []
        for number, _ in enumerate(sides):
            before = MergedSnapshot(sides, trees, number)
            before.prefetch(watched)
            touched = {path: changes[0].touched[path] for path in others}
            is_contested = False
            for path in watched:
                letter = changes[before.source(path)].touched.get(path)
                if before.is_contested(path):
                    is_contested = True
                    # the opinions of the other sides count as well
                    letter = letter or MODIFIED
                if letter is not None:
                    touched[path] = letter
            # caches use its id() as key, so it must live as long as they do
            _keep(changes[0].after, before)
            found.append(
                changes[0]._replace(
                    before=before,
                    touched=touched,
                    parents=tuple(Parent(c.before, c.touched) for c in changes),
                    behind=behind,
                )
            )
            if not is_contested:
                break
        return found

    def _between_parents(self, parents: Sequence[str]) -> list[Change]:
        """The changes of the commits that not all parents have in common."""
        common = self.ancestry.bases(parents[0], parents[1:])
        oids = self.git.commits(*parents, *(f'^{oid}' for oid in common))
        return [
            self.of_commit(commit)[0]
            for commit in self.all_of(oids)
            if not commit.malformed
        ]

    def staged(
        self, text: Message | None, watched_by: Watching = lambda _: lambda _: True
    ) -> list[Change]:
        """The index against HEAD, and against the commits being merged."""
        if not self.facts.top:
            raise Refusal(
                'there is no working tree here, so nothing is staged',
                'interlock check --commit HEAD',
            )
        self.is_here = True
        head = self.head()
        amended = message.parse(head.message) if head else None
        after, touched = self._index(head)
        changes = [Change(self.tree_of(head), after, touched, text, amended)]
        merging = list(self._merging(text is None)) if head else []
        if head is None or not merging:
            return changes
        for parent in merging:
            _, touched = self._index(parent)
            changes.append(
                Change(self.tree(parent.tree), after, touched, text, amended)
            )
        return self._merge(changes, [head, *merging], watched_by)

    def _index(self, parent: Commit | None) -> tuple[TreeSnapshot, dict[str, str]]:
        tree = parent.tree if parent else self.empty_tree
        touched, oids = self.git.diff_index(tree)
        unmerged = [path for path, letter in touched.items() if letter == UNMERGED]
        if unmerged:
            raise Refusal(
                f'`{unmerged[0]}` has conflicts', 'resolve them, then git add'
            )
        changed = {path: oids.get(path, '') for path in touched}
        return self.changed_tree(tree, changed), touched

    def changed_tree(self, tree: str, changed: Mapping[str, str]) -> TreeSnapshot:
        """A tree with some contents replaced; path -> new object id, '' for none."""
        return TreeSnapshot(self.store, tree, changed)

    def _merging(self, begun: bool = True) -> Iterator[Commit]:
        """The commits being merged; `begun`: there is no message yet."""
        data = read(os.path.join(self.facts.git_dir, 'MERGE_HEAD'))
        heads = (data or b'').decode(errors='replace').split()
        if begun and not heads and (self.environ.get(ACTION, '').startswith(MERGING)):
            # at pre-merge-commit git has not written that file yet
            heads = [
                name[len(MERGED) :] for name in self.environ if name.startswith(MERGED)
            ]
        for head in heads:
            yield self.commit(head)

    def parents(self) -> list[str]:
        """The parents of the commit that is being made."""
        head = self.head()
        merging = [commit.oid for commit in self._merging()] if head else []
        return [head.oid, *merging] if head else []

    def against_head(self, tree: str) -> Change:
        return self._against(self.head(), tree, None, '')

    def of_tree(self, tree: str) -> Change:
        """A whole tree, judged as it is and not as a change."""
        return Change(Nothing(), self.tree(tree), {}, everything=True)

    def is_ancestor(self, first: Commit, last: Commit) -> bool:
        return self.ancestry.is_ancestor(first.oid, last.oid)

    def between(self, before: Commit, after: Commit) -> Change:
        """The difference between two commits, as one change."""
        return self._against(before, after.tree, None, after.oid)

    def range(self, revisions: str) -> Range:
        """The commits of `A..B` or `A...B`."""
        first, dots, last = revisions.partition('..')
        since, last = last.startswith('.'), last.removeprefix('.')
        # an unset variable would make an empty range, which would pass
        if not dots or not first or not last or last.startswith('.'):
            raise Refusal(f'`{revisions}` is not a range', 'write it as A..B')
        start = self.commit(first)
        first = start.oid
        last = self.commit(last).oid
        if since:
            first = self.ancestry.base(first, last)
            if not first:
                what = f'`{revisions}`: the two have no common ancestor here'
                if self.is_shallow:
                    raise cut_off(what)
                raise Refusal(what, 'name two commits of one history')
        commits = self.leading_to(last, f'^{first}')
        return Range(start, self.commit(first), commits)

    def last_with(self, path: str, checksum: str) -> str:
        """The newest commit in which a file has this checksum, '' if none."""
        algorithm = checksum.partition(':')[0]
        head = self.head()
        for oid in self.git.touching(head.oid, path) if head else ():
            tree = self.tree(self.commit(oid).tree)
            digest = tree.digest(path, algorithm)
            if f'{algorithm}:{digest}' == checksum:
                return oid
        return ''

    def versions(self, path: str) -> Iterator[tuple[str, Blob]]:
        """The versions of a file in the commits that changed it, newest first."""
        head = self.head()
        for oid in self.git.touching(head.oid, path) if head else ():
            blob = self.tree(self.commit(oid).tree).blob(path)
            if blob is not None:
                yield oid, blob

    def history(self, rev: str) -> Commits:
        return self.leading_to(self.commit(rev).oid)


def opened(directory: str | None = None) -> Repository:
    """The repository of a directory (default: the current one); leaving the
    `with` block ends its processes."""
    return Repository(os.environ, directory)


def head_of(repository: Repository) -> Commit:
    head = repository.head()
    if head is None:
        raise Refusal('there is no commit yet', 'interlock check --worktree')
    return head


def commit_named(repository: Repository, rev: str) -> Commit:
    """The commit that a revision names; refused if there is no commit yet."""
    if repository.git.resolve(rev) is None:
        head_of(repository)
    return repository.commit(rev)
