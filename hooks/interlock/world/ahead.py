"""What judging commits will ask git for, asked while others are judged."""
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from interlock.model.change import Blob
from interlock.world.git import Commit
from interlock.world.git import raw_diff
from interlock.world.repository import Repository

# commits for which git is asked at once
AT_ONCE = 32

Answers = Callable[[], list[tuple[str, Blob] | None]]


class Ahead:
    """Is to be told of each commit, in their order."""

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
        self._asked: list[tuple[str, str]] = []
        self._answers: Answers = list
        self._ask(0)

    def reach(self, number: int) -> None:
        if number % AT_ONCE == 0:
            self._take()
            self._ask(number + AT_ONCE)

    def _ask(self, start: int) -> None:
        self._asked, self._answers = [], list
        pairs = self._repository.pairs(self._commits[start:start + AT_ONCE])
        if not pairs:
            return
        git, oids = self._repository.git, []
        for pair, out in zip(
                pairs, git.differ.diff_many(pairs), strict=True,
        ):
            touched, new = raw_diff(out)
            self._repository.expect_diff(pair, touched)
            for path, oid in new.items():
                if self._is_read(path):
                    self._asked.append((pair[1], path))
                    oids.append(oid)
        if oids:
            self._answers = git.ahead.ask(oids)

    def _take(self) -> None:
        for (tree, path), answer in zip(
                self._asked, self._answers(), strict=True,
        ):
            if answer is not None and answer[0] == 'blob':
                self._repository.tree(tree).know({path: answer[1]})
