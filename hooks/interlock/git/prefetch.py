"""What judging commits will ask git for, asked while others are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.git.parse import Commit, raw_diff
from interlock.git.repository import Repository
from interlock.model.change import Blob

# commits for which git is asked at once
AT_ONCE = 32

Pair = tuple[str, str]


class Ahead:
    """Is to be told of each commit, in their order.

    While some are judged, git reads the files of the next ones, and compares
    the trees of those that come after them.
    """

    def __init__(
        self,
        repository: Repository,
        commits: Sequence[Commit],
        is_read: Callable[[str], bool],
    ) -> None:
        self._repository = repository
        self._commits = commits
        # the files that checks read; the others are only named
        self._is_read = is_read
        git = repository.git
        self._objects, self._differ = git.objects, git.differ
        if len(commits) > AT_ONCE:
            self._objects, self._differ = git.ahead
        self._pairs: list[Pair] = []
        self._diffs: Callable[[], list[bytes]] = list
        self._wanted: list[Pair] = []
        self._blobs: Callable[[], list[tuple[str, Blob] | None]] = list
        self._compare(0)
        self._read(AT_ONCE)

    def reach(self, number: int) -> None:
        if number % AT_ONCE == 0:
            self._take()
            self._read(number + 2 * AT_ONCE)

    def _compare(self, start: int) -> None:
        some = self._commits[start : start + AT_ONCE]
        self._pairs = self._repository.pairs(some)
        self._diffs = self._differ.ask(self._pairs)

    def _read(self, following: int) -> None:
        self._wanted, oids = [], []
        for pair, out in zip(self._pairs, self._diffs(), strict=True):
            touched, new = raw_diff(out)
            self._repository.expect_diff(pair, touched)
            for path, oid in new.items():
                if self._is_read(path):
                    self._wanted.append((pair[1], path))
                    oids.append(oid)
        self._blobs = self._objects.ask(oids)
        self._compare(following)

    def _take(self) -> None:
        for (tree, path), answer in zip(self._wanted, self._blobs(), strict=True):
            if answer is not None and answer[0] == 'blob':
                self._repository.tree(tree).know(path, answer[1])
