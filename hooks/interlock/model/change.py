from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar

from interlock.model.actor import Actor

T = TypeVar('T')


class Blob(NamedTuple):
    oid: str
    size: int
    # None where the file is larger than what any document may be
    data: bytes | None


class Snapshot(Protocol):
    """A read-only tree. Paths are relative to its top, separated by `/`."""

    def blob(self, path: str) -> Blob | None:
        """The file's bytes as git stores them, or None where none is."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """These files will be asked for."""

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        """`parse` of the blob, computed once per blob and parser."""

    def digest(self, path: str, algorithm: str) -> str | None:
        """The hex digest of the file, however large it is."""

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave for this key the first time."""

    def paths(self) -> Sequence[str]:
        """Every path of the tree."""


class Message(NamedTuple):
    subject: str
    body: str
    trailers: Mapping[str, str]


class Site(NamedTuple):
    """The worktree in which a change is made, and whose lock it needs."""

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


class Change(NamedTuple):
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
    # the tasks whose work it brings in
    merged: tuple[str, ...] = ()
    # task that it completes -> the work on its branch that it does not hold
    left: Mapping[str, tuple[str, ...]] = {}
    # task -> the newest generation of its lock in the history before
    generations: Mapping[str, int] = {}
    # the task that it names, else that of the commits it stands on
    follows: str = ''


class Nothing:
    """The tree that holds no file."""

    def blob(self, path: str) -> Blob | None:
        return None

    def prefetch(self, paths: Iterable[str]) -> None:
        pass

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        return None

    def digest(self, path: str, algorithm: str) -> str | None:
        return None

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        return make()

    def paths(self) -> Sequence[str]:
        return ()
