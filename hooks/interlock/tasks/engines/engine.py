"""The interface of every lock engine, whatever keeps the locks.

An engine is the authority over one record per task. Each change of a record is a
compare-and-swap with its own token: asked twice with one token, an engine acts
once and gives the same answer. A lock never expires.

    free --acquire--> held --change, push--> held --release, force--> free --move-->

There are three kinds of failure: nothing was asked (`Unreachable`); the question was
asked, but the answer is missing (`Unknown`: `settle` it by its token); the engine
itself refused (`Refused`). A lock that somebody else holds is not an error: that is
an `Answer` that is not `ok`.
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder
    from interlock.transactions.journal import Changes

FILE = 'file'
GIT_REMOTE = 'git-remote'
POSTGRESQL = 'postgresql'

# a free lock is taken. An engine that now knows less than the generation of the
# question was rolled back: the caller judges that by the record it gets
ACQUIRED = 'acquired'
# the session that holds the lock writes new bytes for it
CHANGED = 'changed'
# branches are pushed together with the proof that the lock is held, both or neither;
# only `git-remote` can
PUSHED = 'pushed'
# freed by the session that holds it
RELEASED = 'released'
# freed by a person, who named it by its generation
FORCED = 'forced'
WITHDRAWN = 'withdrawn'
# from one engine to another: the last record in the old one, the first in the new
MOVED = 'moved'
# not an event: stands for a lock record that cannot be read
DAMAGED = 'damaged'
# these events free a lock; `withdrawn` leaves it as it was
ENDING = frozenset({RELEASED, FORCED, MOVED})
EVENTS = ENDING | {ACQUIRED, CHANGED, PUSHED, WITHDRAWN}

DONE = 'done'
NEVER = 'never'

# the session of a record that is damaged: held by an unknown session
UNKNOWN_SESSION = '?'

# details of an event, for people: `person`, `reason`, another word as `event`;
# `before`: the old id of a session whose id has changed;
# `files`: the files that go with the lock to another machine (`task_bundle.py`)
Note = Mapping[str, 'str | int']
NO_NOTE: Note = {}
# the bytes of the lock file for a generation, which only the engine knows
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
    # the bytes of the lock file; of a free lock, the last ones
    data: bytes
    # of the acquire that gave it to its holder
    token: str
    # the last event
    event: str

    @property
    def is_free(self) -> bool:
        return not self.session


class Answer(NamedTuple):
    ok: bool
    # ours, or the one in the way; None: the lock was never held
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
    # the version of the record after the event
    version: str = ''
    # the asking role, where the engine itself knows it
    role: str = ''
    # of a fenced push: ref -> the commit it was moved to
    refs: Mapping[str, str] = {}


class Marker(NamedTuple):
    """Which engine keeps the locks of a repository, and since when.

    An engine whose marker names another one refuses every acquire: two branches with
    different `locks:` would let two sessions hold one lock.
    """

    engine: str
    epoch: int


class Question(NamedTuple):
    """A question to an engine: the event that shall happen to a lock."""

    event: str
    name: str
    token: str
    # of the lock; an acquire gives out a higher one, and a move counts on from it
    generation: int
    # None: a person asks, who holds no lock
    holder: Holder | None = None
    # of a change: the version that was read
    version: str = ''
    # renders the new bytes of the lock file; None: they stay
    render: Render | None = None
    note: Note = NO_NOTE
    # of a push: the branches that are pushed with the proof
    refspecs: Sequence[str] = ()
    # files that change together with the lock, where the engine keeps them
    others: Changes = {}

    @property
    def session(self) -> str:
        return self.holder.session if self.holder else ''

    @property
    def before(self) -> str:
        """An earlier id of the session."""
        return str(self.note.get('before', ''))

    @property
    def files(self) -> str:
        return str(self.note.get('files', ''))


class EngineError(Exception):
    """`why` never holds a password, nor an address with one."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Unreachable(EngineError):
    """Nothing was asked, so nothing changed."""


class Unknown(EngineError):
    """The question was asked, and its effect is unknown."""

    def __init__(self, why: str, token: str) -> None:
        super().__init__(why)
        self.token = token


class Refused(EngineError):
    """The engine answered no, and nothing changed."""


class Engine(Protocol):
    # `file`, `git-remote` or `postgresql`
    kind: str

    def show(self, name: str) -> LockRecord | None:
        """The record of a lock; None: it was never held."""

    def lately(self, name: str) -> LockRecord | None:
        """Like `show`, but an answer from the last second will do."""

    def list(self) -> Sequence[LockRecord]:
        """Every record, also those of free locks."""

    def events(self, name: str) -> Sequence[LogEntry]:
        """What happened to a lock, oldest first."""

    def files(self, name: str) -> str:
        """The newest `files` that came with an event, '' if none did."""

    def ask(self, question: Question) -> Answer:
        """Change a lock, if its record allows it.

        Asked twice with one token, it acts once and gives the same answer.
        """

    def settle(self, name: str, token: str, expected: str) -> str:
        """Whether a question took effect: `done`, or `never`.

        After `never` it cannot take effect, however late it arrives.
        `expected` is the version that it was asked for.
        """

    def marker(self) -> Marker | None:
        """Which engine keeps the locks of the repository; None: never marked."""

    def mark(self, marker: Marker, token: str) -> Answer:
        """Write the marker, if its epoch is greater than the one there."""
