from __future__ import annotations

from interlock.model.quick_typing import (
    Any,
    Callable,
    Hashable,
    Iterable,
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


class Blob(NamedTuple):
    oid: str
    size: int
    # None where the file is larger than what any document may be
    data: bytes | None


def blob_of(data: bytes) -> Blob:
    """A file that git need not have: its id is a checksum of our own."""
    # most events of clients end before a file is asked for
    from interlock.model import quick_hash

    oid = quick_hash.blake2b(data, digest_size=32).hexdigest()
    return Blob(oid, len(data), data)


class Snapshot(Protocol):
    """A read-only tree. Paths are relative to its top, separated by `/`."""

    # what was worked out from it, and is to be worked out once
    known: dict[Hashable, Any]

    def blob(self, path: str) -> Blob | None:
        """The file's bytes as git stores them, or None where none is."""

    def is_link(self, path: str) -> bool:
        """Whether the file only names another one."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """These files will be asked for."""

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        """`parse` of the blob, computed once per blob and parser."""

    def digest(self, path: str, algorithm: str) -> str | None:
        """The hex digest of the file, however large it is."""

    def paths(self) -> Sequence[str]:
        """Every path of the tree."""


class Message(NamedTuple):
    subject: str
    body: str
    trailers: Mapping[str, str]


class Site(NamedTuple):
    """The worktree or branch on which a change is made, and whose lock it
    needs."""

    # the kind of the task, and its name; '' for the main worktree
    kind: str
    task: str
    actor: Actor
    # where the lock is, or should be
    path: str
    # whether there is one; its bytes, None where they cannot be had
    locked: bool
    lock: Blob | None
    # who holds it, in words
    holder: str
    # whether the generation that it says was given out
    given: bool = True
    # the beginning of the token of the lock, '' where it is not known
    grant: str = ''
    # why nobody works under it all the same, '' where nothing is wrong
    doubt: str = ''
    # since when its engine did not answer, '' where it did, or was not asked
    unconfirmed: str = ''


class Parent(NamedTuple):
    """One of the parents of a merge."""

    snapshot: Snapshot
    # what is otherwise in the merge
    touched: Mapping[str, str]


class Change(NamedTuple):
    # of a merge: what it has if it only takes over what its sides changed
    before: Snapshot
    after: Snapshot
    # path -> what happened to it: A, M, D or T (a file became a link)
    touched: Mapping[str, str]
    message: Message | None = None
    # the message of HEAD, where the index is judged: git gives no sign that
    # a commit is amended, and then only what is added to it is seen
    amended: Message | None = None
    commit: str = ''
    # judge every item of the tree, not only what the change touches
    everything: bool = False
    # where it is made; None for what is history already
    site: Site | None = None
    # the worktree itself, where the branch in it is somebody else's
    around: tuple[Site, ...] = ()
    # the tasks whose work it brings in
    merged: tuple[str, ...] = ()
    # task that it completes -> the work on its branch that it does not hold
    left: Mapping[str, tuple[str, ...]] = {}
    # task -> the newest generation of its lock in the history before
    generations: Mapping[str, int] = {}
    # whether the generation that its own message names was given out
    given: bool = True
    # the tasks that are locked where it is made
    locked: tuple[str, ...] = ()
    # the task that it names, else that of the commits it stands on
    follows: str = ''
    # whether we are asked again once there is a message
    message_follows: Callable[[], bool] = lambda: False
    # of a merge: those of its parents that it is compared with
    parents: tuple[Parent, ...] = ()
    # the changes behind it that may have reasons of their own: of the
    # commits in which the sides of a merge, or the tips of a ref, differ
    behind: Callable[[], Sequence[Change]] = tuple
    # it is the step of a ref from its old tip to its new one
    is_ref_step: bool = False

    @property
    def waits_for_message(self) -> bool:
        """Whether the verdict is up to a message that we are asked about next."""
        return self.message is None and self.message_follows()

    @property
    def contents(self) -> Mapping[str, str]:
        """What a commit holds: of a merge all that it brings together."""
        if not self.parents:
            return self.touched
        return {
            path: letter
            for parent in self.parents
            for path, letter in parent.touched.items()
        }

    @property
    def from_first_parent(self) -> Change:
        """The same as it looks on the branch that a merge is made on."""
        if not self.parents:
            return self
        first = self.parents[0]
        return self._replace(before=first.snapshot, touched=first.touched, parents=())


class CachingSnapshot:
    """A tree that says by `blob` and `paths` what it holds."""

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
    """The tree that holds no file."""

    def blob(self, path: str) -> Blob | None:
        return None

    def paths(self) -> Sequence[str]:
        return ()
