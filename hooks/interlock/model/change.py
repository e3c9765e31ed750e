from __future__ import annotations

from interlock.model.quick_typing import (
    Any,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
    TypeVar,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.actor import Actor

T = TypeVar('T')

# how a path was touched: the letters of git, and one of ours
ADDED = 'A'
DELETED = 'D'
MODIFIED = 'M'
# a file became a link or a submodule
TYPE_CHANGED = 'T'
# both sides of a merge in progress changed it
UNMERGED = 'U'
# two entries of a tree have the same name
DOUBLED = '!'


class Blob(NamedTuple):
    oid: str
    size: int
    # None if the file is larger than any document may be
    data: bytes | None


def blob_of(data: bytes) -> Blob:
    """A blob of data that git may not have: its id is a checksum of our own."""
    # most events of clients end before a file is read
    from interlock.model import quick_hash

    oid = quick_hash.blake2b(data, digest_size=32).hexdigest()
    return Blob(oid, len(data), data)


class Snapshot(Protocol):
    """A read-only tree. Paths are relative to its top, separated by `/`."""

    # a cache for values derived from this tree
    known: dict[Hashable, Any]

    def blob(self, path: str) -> Blob | None:
        """The file's bytes as git stores them, None if there is no such file."""

    def is_link(self, path: str) -> bool:
        """Whether the file is a symbolic link."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """Announce files that will be read soon."""

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        """`parse` of the blob, computed once per blob and parser."""

    def digest(self, path: str, algorithm: str) -> str | None:
        """The hex digest of the file, however large it is."""

    def paths(self) -> Sequence[str]:
        """Every path of the tree."""


def data_of(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None


class Message(NamedTuple):
    subject: str
    body: str
    trailers: Mapping[str, str]
    # of the commits that a squash lists: reasons that they give, but not whose
    # work it is
    squashed: Mapping[str, str] = {}


class Site(NamedTuple):
    """The worktree or branch on which a change is made, and the lock it needs."""

    # the kind of the task, and its name; '' for the main worktree
    kind: str
    task: str
    actor: Actor
    # the path of the lock, whether or not it exists
    path: str
    # whether there is a lock; its bytes, None if they are unavailable
    locked: bool
    lock: Blob | None
    # a description of the holder
    holder: str
    # whether the generation in the lock was given out
    given: bool = True
    # the beginning of the lock's token, '' if unknown
    grant: str = ''
    # why its holder may not work under it anyway, '' if nothing is wrong
    doubt: str = ''
    # the time since which the engine did not answer, '' if it did or was not asked
    unconfirmed: str = ''


class Parent(NamedTuple):
    """One of the parents of a merge."""

    snapshot: Snapshot
    # path -> how the merge differs from this parent
    touched: Mapping[str, str]


class Change(NamedTuple):
    # for a merge: the result of only taking over the changes of its sides
    before: Snapshot
    after: Snapshot
    # path -> how it was touched (ADDED and so on)
    touched: Mapping[str, str]
    message: Message | None = None
    # the message of HEAD when the index is judged: git does not show that a
    # commit is amended, and then the index shows only the additions
    amended: Message | None = None
    commit: str = ''
    # judge every item of the tree, not only those that the change touches
    everything: bool = False
    # where the change is made; None for history
    site: Site | None = None
    # the worktree itself, if the branch in it belongs to another task
    around: tuple[Site, ...] = ()
    # the tasks whose work the change brings in
    merged: tuple[str, ...] = ()
    # completed task -> work on its branch that the change does not contain
    left_behind: Mapping[str, tuple[str, ...]] = {}
    # task -> the newest generation of its lock in earlier commits
    generations: Mapping[str, int] = {}
    # whether the generation in its own message was given out
    is_generation_given: bool = True
    # the tasks that are locked where the change is made
    locked: tuple[str, ...] = ()
    # the task in its message, else the task of the commits before it
    task: str = ''
    # whether we are called again once there is a message
    message_follows: Callable[[], bool] = lambda: False
    # whether to report, without a message, what a reason in one would excuse
    is_draft: bool = False
    # for a merge: the parents that it is compared with
    parents: tuple[Parent, ...] = ()
    # the changes behind it, which may have reasons of their own: the commits
    # that differ between the sides of a merge, or between the tips of a ref
    behind: Callable[[], Sequence[Change]] = tuple
    # whether it is the step of a ref from its old tip to its new one
    is_ref_step: bool = False
    # that old tip, a commit
    start: str = ''

    @property
    def waits_for_message(self) -> bool:
        """Whether a message decides, and we are called again with it."""
        return self.message is None and self.message_follows()

    @property
    def contents(self) -> Mapping[str, str]:
        """The paths that a commit changes; for a merge, compared with all its
        parents."""
        if not self.parents:
            return self.touched
        return {
            path: letter
            for parent in self.parents
            for path, letter in parent.touched.items()
        }

    @property
    def from_first_parent(self) -> Change:
        """The same change, compared only with the first parent of a merge."""
        if not self.parents:
            return self
        first = self.parents[0]
        return self._replace(before=first.snapshot, touched=first.touched, parents=())


class CachingSnapshot:
    """A base class for trees: subclasses define `blob` and `paths`."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Any] = {}

    def blob(self, path: str) -> Blob | None:
        raise NotImplementedError

    def is_link(self, path: str) -> bool:
        return False

    def prefetch(self, paths: Iterable[str]) -> None:
        pass

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        if blob is None:
            return None
        key = blob.oid, parse
        if key not in self.known:
            self.known[key] = parse(blob)
        found: T = self.known[key]
        return found

    def digest(self, path: str, algorithm: str) -> str | None:
        from interlock.model import quick_hash

        blob = self.blob(path)
        if blob is None or blob.data is None:
            return None
        return quick_hash.new(algorithm, blob.data).hexdigest()

    def paths(self) -> Sequence[str]:
        raise NotImplementedError


class Nothing(CachingSnapshot):
    """An empty tree."""

    def blob(self, path: str) -> Blob | None:
        return None

    def paths(self) -> Sequence[str]:
        return ()


def fold(values: Sequence[T], bases: Sequence[Sequence[T]]) -> list[T]:
    """The values that a merge may take over: one, or one per opinion.

    `values` has one value per parent. `bases` has, for each parent but the
    first, the values in its merge bases with the parents before it. Differing
    bases count as a change on both sides.
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
    """A tree whose files come from other trees, maybe from other paths."""

    def _source(self, path: str) -> tuple[Snapshot, str]:
        """The tree that has a file, and its path there."""
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

    If the sides disagree about a file, `number` selects whose file it has; a
    merge is judged against each of these.
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
        # new path -> old path of a file that one side renamed
        self._old_paths: dict[str, str] = {}

    def rename(self, old: str, path: str) -> None:
        """Let sides without this file use its old path."""
        self._old_paths[path] = old

    def _on(self, snapshot: Snapshot, path: str) -> str:
        old = self._old_paths.get(path)
        return path if old is None or snapshot.blob(path) else old

    def _id(self, snapshot: Snapshot, path: str) -> str:
        blob = snapshot.blob(self._on(snapshot, path))
        return blob.oid if blob else ''

    def opinions(self, read: Callable[[Snapshot], T]) -> list[T]:
        """The distinct answers of the sides to a question, after a three-way merge."""
        return fold(
            [read(side) for side in self.sides],
            [[read(base) for base in bases] for bases in self.bases],
        )

    def changed_sides(self) -> Iterator[tuple[Snapshot, Snapshot]]:
        """Each side, paired with each tree that it changed."""
        for side, bases in zip(self.sides, (self.bases[0], *self.bases), strict=True):
            for base in bases:
                yield base, side

    def is_contested(self, path: str) -> bool:
        return len(self._ids(path)) > 1

    def source(self, path: str) -> int:
        """The number of the side that the file comes from."""
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
        # only files that some side lacks need a decision
        doubtful = sorted(some - every)
        self.prefetch(doubtful)
        return sorted(every) + [
            path for path in doubtful if self.blob(path) is not None
        ]
