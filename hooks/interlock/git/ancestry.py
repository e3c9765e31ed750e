"""Where commits come from: merge bases, and the roots of histories."""

from __future__ import annotations

from interlock.git.git import Git, GitError
from interlock.model.quick_typing import Mapping, Sequence

# the exit code of `git merge-base` without a merge base
NO = 1


class Ancestry:
    def __init__(self, git: Git) -> None:
        self._git = git
        self._roots: dict[str, str] = {}
        self._related: dict[tuple[str, str], bool] = {}
        # the paths at which a tree may hold the workflow
        self.places: Sequence[str] = ()
        self._adoptions: dict[str, str] = {}

    def bases(self, head: str, others: Sequence[str]) -> list[str]:
        """The merge bases of a commit with several others taken together."""
        found = self._merge_base('--all', head, *others)
        return found.split() if found is not None else []

    def base(self, first: str, second: str) -> str:
        """The newest commit that two have in common, '' for none."""
        return self._merge_base(first, second) or ''

    def is_ancestor(self, first: str, last: str) -> bool:
        return self._merge_base('--is-ancestor', first, last) is not None

    def _merge_base(self, *args: str) -> str | None:
        """The output of merge-base, None if it says no; other failures are raised."""
        try:
            return self._git.line('merge-base', *args)
        except GitError as e:
            if e.code != NO:
                raise
            return None

    def root(self, oid: str) -> str:
        """The first commit of the branch, by first parents."""
        if oid not in self._roots:
            self._roots[oid] = self._git.line(
                'rev-list --first-parent --max-parents=0', oid, '--'
            )
        return self._roots[oid]

    def _adoption(self, oid: str) -> str:
        """The commit that brought the workflow, '' if none did.

        git follows a file to the parent that has it. So this leads into the
        history of the project even where another project is the first parent.
        """
        if not self.places:
            return ''
        elif oid not in self._adoptions:
            paths = [f':(top,literal){path}' for path in self.places]
            out = self._git.line('rev-list', oid, '--', *paths)
            self._adoptions[oid] = out.split('\n')[-1]
        return self._adoptions[oid]

    def is_related(self, oid: str, target: str) -> bool:
        """Whether a commit has the root of another in its history.

        A history that `git subtree` merges does not, even when its older
        commits were merged before.
        """
        key = (oid, target)
        if key not in self._related:
            self._related[key] = oid == target or (
                self._has_root(oid, target)
                or self._has_root(oid, self._adoption(target))
            )
        return self._related[key]

    def _has_root(self, oid: str, target: str) -> bool:
        if not target:
            # no commit brought a workflow
            return False
        root = self.root(target)
        return self._roots.get(oid) == root or self.is_ancestor(root, oid)

    def related(
        self, oids: Sequence[str], forks: Mapping[str, Sequence[str]], target: str
    ) -> list[str]:
        """The commits of a range that share a root with a commit, oldest first.

        The parent of a commit that is not in `forks` is the one listed before it.
        """
        known, before = {target: True}, ''
        for oid in oids:
            known[oid] = any(
                [
                    known[parent]
                    if parent in known
                    else self.is_related(parent, target)
                    for parent in forks.get(oid, (before,))
                ]
            ) or oid == self.root(target)
            before = oid
        # a malformed commit has no parents to follow
        return [oid for oid in oids if known[oid] or self._is_malformed(oid)]

    def _is_malformed(self, oid: str) -> bool:
        commit = self._git.commit(oid)
        return commit is not None and bool(commit.malformed)
