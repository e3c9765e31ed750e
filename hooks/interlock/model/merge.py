"""What a merge has if it only takes over what its sides changed."""

from __future__ import annotations

from interlock.model.change import Blob, CachingSnapshot, Snapshot
from interlock.model.quick_typing import Callable, Iterable, Iterator, Sequence, TypeVar

T = TypeVar('T')


def fold(values: Sequence[T], bases: Sequence[Sequence[T]]) -> list[T]:
    """The values that a merge may take over: one, or one per opinion.

    `values` has one for each parent; `bases` has, for each parent but the
    first, those of its merge bases with the parents before it. Bases that
    differ count as a change on both sides.
    """
    found = [values[0]]
    for value, old in zip(values[1:], bases, strict=True):
        is_one = bool(old) and all(other == old[0] for other in old)
        if value in found or (is_one and value == old[0]):
            continue
        elif is_one and found == [old[0]]:
            found = [value]
        else:
            found.append(value)
    return found


class DerivedSnapshot(CachingSnapshot):
    """A tree whose files are those of other trees, maybe at other paths."""

    def _source(self, path: str) -> tuple[Snapshot, str]:
        """The tree that has a file, and where."""
        raise NotImplementedError

    def blob(self, path: str) -> Blob | None:
        tree, there = self._source(path)
        return tree.blob(there)

    def is_link(self, path: str) -> bool:
        tree, there = self._source(path)
        return tree.is_link(there)

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        tree, there = self._source(path)
        return tree.parsed(there, parse)

    def digest(self, path: str, algorithm: str) -> str | None:
        tree, there = self._source(path)
        return tree.digest(there, algorithm)


class MergedSnapshot(DerivedSnapshot):
    """The parents of a merge, merged three-way, file by file.

    Where the sides disagree about a file it has that of one of them, by
    `number`; a merge is judged against each of these.
    """

    def __init__(
        self,
        sides: Sequence[Snapshot],
        bases: Sequence[Sequence[Snapshot]],
        number: int,
    ) -> None:
        super().__init__()
        self.sides = sides
        self.bases = bases
        self.number = number
        # where a file was before one of the sides renamed it
        self._old_paths: dict[str, str] = {}

    def rename(self, old: str, path: str) -> None:
        """A file that a side does not have is there under its old path."""
        self._old_paths[path] = old

    def _on(self, snapshot: Snapshot, path: str) -> str:
        old = self._old_paths.get(path)
        return path if old is None or snapshot.blob(path) else old

    def _id(self, snapshot: Snapshot, path: str) -> str:
        blob = snapshot.blob(self._on(snapshot, path))
        return blob.oid if blob else ''

    def opinions(self, read: Callable[[Snapshot], T]) -> list[T]:
        """What the sides, by the rule of three, say to a question."""
        return fold(
            [read(side) for side in self.sides],
            [[read(base) for base in bases] for bases in self.bases],
        )

    def changed_sides(self) -> Iterator[tuple[Snapshot, Snapshot]]:
        """Each side, with each tree that it has changed since."""
        for side, bases in zip(self.sides, (self.bases[0], *self.bases), strict=True):
            for base in bases:
                yield base, side

    def is_contested(self, path: str) -> bool:
        return len(self._ids(path)) > 1

    def source(self, path: str) -> int:
        """The number of the side whose file it is."""
        ids = self._ids(path)
        wanted = ids[min(self.number, len(ids) - 1)]
        return next(
            number
            for number, side in enumerate(self.sides)
            if self._id(side, path) == wanted
        )

    def _ids(self, path: str) -> list[str]:
        key = 'ids', path, self._old_paths.get(path)
        if key not in self.known:
            self.known[key] = self.opinions(lambda at: self._id(at, path))
        ids: list[str] = self.known[key]
        return ids

    def _source(self, path: str) -> tuple[Snapshot, str]:
        side = self.sides[self.source(path)]
        return side, self._on(side, path)

    def prefetch(self, paths: Iterable[str]) -> None:
        paths = list(paths)
        for some in (self.sides, *self.bases):
            for snapshot in some:
                snapshot.prefetch(paths)

    def paths(self) -> Sequence[str]:
        found = [set(side.paths()) for side in self.sides]
        every, some = set.intersection(*found), set.union(*found)
        # only what a side lacks has to be looked at
        doubtful = sorted(some - every)
        self.prefetch(doubtful)
        return sorted(every) + [
            path for path in doubtful if self.blob(path) is not None
        ]
