"""What every engine of locks answers, whatever keeps the locks.

An engine is the authority over one record per task. Each change of it is a
compare-and-swap with a token of its own: asked twice with one token, an engine
does the thing once and gives the same answer. Nobody loses a lock by time.

    free --acquire--> held --change, push--> held --release, force--> free --move-->

Three things can go wrong, and they are not the same: nothing was asked
(`Unreachable`), it was asked and the answer is missing (`Unknown`: `settle` it
by its token), the engine itself said no (`Refused`). That somebody else holds
the lock is not an error: it is an `Answer` that is not `ok`.
"""

from __future__ import annotations

from interlock.model.quick_typing import (
    Any,
    Callable,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
)
from interlock.operations.tasks.locks import Holder

FILE = 'file'
GIT_REMOTE = 'git-remote'
POSTGRESQL = 'postgresql'

ACQUIRED = 'acquired'
CHANGED = 'changed'
PUSHED = 'pushed'
RELEASED = 'released'
FORCED = 'forced'
WITHDRAWN = 'withdrawn'
# from one engine to another: the last record in the old one, the first in the new
MOVED = 'moved'
# not an event: what the record of a lock is that cannot be read
DAMAGED = 'damaged'
# they leave a lock free; `withdrawn` leaves it as it was
ENDING = frozenset({RELEASED, FORCED, MOVED})
EVENTS = ENDING | {ACQUIRED, CHANGED, PUSHED, WITHDRAWN}

DONE = 'done'
NEVER = 'never'

# the session of a record that is damaged: held by an unknown session
UNKNOWN_SESSION = '?'

# more about an event, for people: `person`, `reason`, another word as `event`;
# `files`: what goes with the lock to another machine (`task_bundle.py`)
Note = Mapping[str, 'str | int']
NO_NOTE: Note = {}
# the bytes of the lock file under a generation, which only the engine knows
Render = Callable[[int], bytes]


class LockRecord(NamedTuple):
    name: str
    generation: int
    # opaque; changes with every event
    version: str
    # '' where the lock is free
    session: str
    # of the holder: session, agent, host, machine, pid, started, clone, worktree
    holder: Mapping[str, Any]
    # the bytes of the lock file; of a lock that is free, the last ones
    data: bytes
    # of the acquire that gave it to its holder
    token: str
    # the last one
    event: str

    @property
    def is_free(self) -> bool:
        return not self.session


class Answer(NamedTuple):
    ok: bool
    # ours, or what stands in the way; None: nobody ever held the lock
    record: LockRecord | None
    why: str = ''


class LogEntry(NamedTuple):
    """An event of a lock, as the engine's log has it."""

    event: str
    generation: int
    session: str
    token: str
    time: str
    person: str = ''
    reason: str = ''
    # the record's version after it
    version: str = ''
    # what the engine itself knows of who asked, where it knows it
    role: str = ''
    # of a fenced push: the refs, each with the commit it was moved to
    refs: Mapping[str, str] = {}


class Marker(NamedTuple):
    """Which engine the locks of a repository are kept by, and since when.

    An engine that says another name refuses every acquire: two branches with
    different `locks:` would let two sessions hold one lock.
    """

    engine: str
    epoch: int


class EngineError(Exception):
    """`why` never holds a password, nor an address with one."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Unreachable(EngineError):
    """Nothing was asked, so nothing changed."""


class Unknown(EngineError):
    """It was asked, and whether it took effect is not known."""

    def __init__(self, why: str, token: str) -> None:
        super().__init__(why)
        self.token = token


class Refused(EngineError):
    """The engine answered no, and nothing changed."""


class Engine(Protocol):
    # `file`, `git-remote` or `postgresql`
    kind: str

    def show(self, name: str) -> LockRecord | None:
        """The record of a lock; None: nobody ever held it."""

    def lately(self, name: str) -> LockRecord | None:
        """As `show`, but an answer of the last second will do."""

    def list(self) -> Sequence[LockRecord]:
        """Every record, those of free locks too."""

    def events(self, name: str) -> Sequence[LogEntry]:
        """What happened to a lock, oldest first."""

    def files(self, name: str) -> str:
        """The newest `files` that came with an event, '' if none did."""

    def acquire(
        self,
        name: str,
        holder: Holder,
        render: Render,
        token: str,
        floor: int = 0,
        note: Note = NO_NOTE,
    ) -> Answer:
        """Take a free lock, as generation `max(known, floor) + 1`.

        An engine that once knew the lock and now knows less than `floor` went
        back: the caller judges that by the record it gets.
        """

    def change(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        data: bytes,
        token: str,
        note: Note = NO_NOTE,
    ) -> Answer:
        """New bytes for a lock that the holder's session has, and that still
        has this version.

        A session that has another id now says the old one as
        `note['before']`.
        """

    def release(
        self,
        name: str,
        holder: Holder,
        generation: int,
        token: str,
        note: Note = NO_NOTE,
    ) -> Answer:
        """Free a lock that the holder's session has under this generation."""

    def force(
        self, name: str, generation: int, person: str, reason: str, token: str
    ) -> Answer:
        """Free another's lock, which a person named by its generation."""

    def move(
        self,
        name: str,
        generation: int,
        data: bytes,
        person: str,
        reason: str,
        token: str,
    ) -> Answer:
        """Write that a free lock came from another engine, or went there.

        It counts on from `generation`, or from its own if that is higher.
        """

    def settle(self, name: str, token: str, expected: str) -> str:
        """Whether a question was answered: `done`, or `never`.

        After `never` it no longer happens, however late it arrives.
        `expected` is the version that it was asked for.
        """

    def push(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        refspecs: Sequence[str],
        token: str,
    ) -> Answer:
        """Push branches together with the proof that the lock is held: both
        or neither. Only `git-remote` can; others raise `Refused`."""

    def marker(self) -> Marker | None:
        """Which engine the repository is under; None: never marked."""

    def mark(self, marker: Marker, token: str) -> Answer:
        """Write the marker, if its epoch is greater than the one there."""
