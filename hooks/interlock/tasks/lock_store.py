"""Where locks are kept: the one way to read and to change them.

Every question who may work on a task, and every change of the answer, goes
through a `LockStore`; nothing else knows where a lock lies. `lock_mirror.py`
reads what this clone has, for guards have no time to ask a network;
`lock_changes.py` asks the engine (`engines/`) and writes what it answered.

A change is made under the lock of the journal. Its event is logged before it
happens: what cannot be logged is not done.
"""

from __future__ import annotations

from interlock.documents.tasks.lock import Lock
from interlock.model.quick_typing import (
    Iterator,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
)
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder
    from interlock.tasks.engines.engine import Render
    from interlock.tasks.engines.register import Grant
    from interlock.transactions.journal import Changes

Event = Mapping[str, 'str | int']
# how far above what is known a generation may be in a clone that never counted
LEAP = 1000


class Held(NamedTuple):
    """A lock that is there, whatever can be read of it."""

    path: str
    data: bytes | None
    lock: Lock
    # why nobody works under it all the same, '' where nothing is wrong
    doubt: str = ''
    # the command that helps then
    way_out: str = ''

    @property
    def holder(self) -> str:
        """The session that holds it, '' where it is unknown."""
        return self.lock.session

    def is_held_by(self, session: str) -> bool:
        return bool(session) and session == self.holder and not self.doubt


class GenerationCounter(Protocol):
    def last_generation(self, name: str) -> int | None:
        """The generation of the newest holder; None: never counted here."""


class LockStore(GenerationCounter, Protocol):
    def place(self, name: str) -> str:
        """The file that holds a lock or a copy of it, to name and to guard."""

    def places(self, name: str) -> Iterator[str]:
        """`place`, and where older versions kept the lock."""

    def get(self, name: str) -> Held | None:
        """The lock of a task, or of the main worktree; None: it is free."""

    def list(
        self, tasks: Sequence[str] | None = None, session: str = ''
    ) -> Sequence[tuple[str, Held]]:
        """Every lock by its name, that of the main worktree first.

        `tasks`: only these; `session`: only those that the session holds.
        """

    def current(self, name: str) -> Held | None:
        """As `get`, but asked of the engine, wherever the holder works."""

    def is_shared(self, name: str) -> bool:
        """Whether other clones can hold the lock."""

    def is_stale(self, name: str) -> bool:
        """Whether the engine was not asked about a lock for too long."""

    def grant(self, name: str) -> Grant | None:
        """What the engine said when it gave a lock to this clone."""

    def confirm(self, name: str) -> None:
        """Ask the engine, and let `get` say what it says."""

    def create(
        self, name: str, holder: Holder, render: Render, floor: int, event: Event
    ) -> int:
        """Take a free lock; gives its generation, 0: somebody else was first.

        `floor` is the highest generation that others gave out.
        """

    def of_session(
        self, session: str, tasks: Sequence[str]
    ) -> tuple[Sequence[tuple[str, Held]], Sequence[str]]:
        """The locks that a session holds, and the names of all that are held,
        both with that of the main worktree; those of others are not parsed."""

    def replace(
        self,
        name: str,
        held: Held,
        data: bytes,
        event: Event | None = None,
        others: Changes | None = None,
        later: bool = False,
    ) -> None:
        """Change a lock that is still as it was read, with other files of
        the same step: all of them, or none.

        `later`: a hook has no time to ask; the next command tells the engine.
        """

    def remove(self, name: str, held: Held, event: Event, keep: bool = True) -> None:
        """End a lock that is still as it was read; `keep` what it said."""

    def force(self, name: str, held: Held, person: str, reason: str) -> None:
        """End another's lock, which a person named by its generation."""

    def renumber(self, name: str, floor: int) -> int:
        """Count on under the same holder; only in the files of one clone."""

    def last_contents(self, name: str) -> Lock | None:
        """What the last lock that ended said, for the session that continues."""

    def forget_contents(self, name: str) -> None:
        """No session continues: the task starts over."""

    def log(self, event: Event) -> None:
        """Something about a lock that does not change it."""


def locks_of(space: Workspace) -> LockStore:
    from interlock.tasks.lock_mirror import LockMirror

    return LockMirror(space)


def counter_of(state: str) -> GenerationCounter:
    """By the common git directory: a server has no tasks."""
    from interlock.tasks.engines.register import Register

    return Register(state)


def event(kind: str, name: str, /, **more: str | int) -> Event:
    from interlock.documents import timestamps

    return {'event': kind, 'name': name, **more, 'time': timestamps.now()}
