"""What this clone keeps about locks, beside the journal of the repository.

NAME.generation  the last generation that is known here
NAME.last        what the last lock that ended said
NAME.grant       under which event of the engine this clone holds the lock
NAME.intent      a question that the engine is being asked, or was
log.jsonl        what was done to locks here
clone            who this clone is, to engines that no other clone shares
"""

from __future__ import annotations

import os

from interlock.files import atomic_files, records
from interlock.model.errors import Refusal, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from interlock.model.quick_typing import Callable, Mapping

    T = TypeVar('T')

# so many characters of a token stand in the trailer of a commit
GRANT = 12


def folder(state: str) -> str:
    """`state` is the common git directory, or one of the user's."""
    return os.path.join(state, 'interlock', 'locks')


class _Fields:
    """What a file of the register holds: each of its slots by name."""

    __slots__: tuple[str, ...] = ()

    def values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class Grant(_Fields):
    """Under which event of its engine this clone holds a lock.

    Guards read it before every write, so it imports next to nothing.
    """

    __slots__ = (
        'confirmed',
        'dirty',
        'engine',
        'event',
        'files',
        'generation',
        'holder',
        'lost',
        'repository',
        'session',
        'token',
        'version',
    )

    def __init__(
        self,
        engine: str,
        repository: str,
        generation: int,
        version: str,
        token: str,
        session: str,
        holder: Mapping[str, Any],
        event: str,
        confirmed: float = 0,
        dirty: bool = False,
        lost: bool = False,
        files: str = '',
    ) -> None:
        self.engine = engine
        self.repository = repository
        self.generation = generation
        self.version = version
        # of the acquire: all that is done under it is one holder's
        self.token = token
        self.session = session
        self.holder = holder
        # the last one that was seen here
        self.event = event
        # when the engine last said that this is true
        self.confirmed = confirmed
        # the file has changes that the engine was not told
        self.dirty = dirty
        # the engine said that somebody else holds it, or nobody
        self.lost = lost
        # the checksum of the files of the task that the engine was sent
        self.files = files


class Intent(_Fields):
    """A question to an engine, written down before it is asked.

    The process that finds one settles it: it took effect, or it never will.
    """

    __slots__ = ('event', 'expected', 'others', 'session', 'time', 'token')

    def __init__(
        self,
        token: str,
        event: str,
        expected: str,
        session: str,
        time: str,
        others: Mapping[str, Any] | None = None,
    ) -> None:
        self.token = token
        self.event = event
        # the version that the record had
        self.expected = expected
        self.session = session
        self.time = time
        # other files of the same step: path -> checksum before, new content
        self.others = others or {}


class Register:
    def __init__(self, state: str) -> None:
        self.folder = folder(state)

    def file(self, name: str, what: str) -> str:
        return os.path.join(self.folder, f'{name}.{what}')

    @property
    def log_file(self) -> str:
        return os.path.join(self.folder, 'log.jsonl')

    def log(self, event: Mapping[str, str | int]) -> None:
        records.append(self.log_file, event)

    def last_generation(self, name: str) -> int | None:
        """The generation of the newest holder; None: never counted here."""
        path = self.file(name, 'generation')
        data = atomic_files.read(path)
        try:
            return None if data is None else int(data)
        except ValueError:
            # to start again at 1 would let an old holder pass for a new one
            raise Refusal(
                f'{path} is damaged, so the newest holder is unknown',
                f'write the number of the last generation into {path}',
            ) from None

    def set_generation(self, name: str, number: int) -> None:
        records.save(self.file(name, 'generation'), number)

    def grant(self, name: str) -> Grant | None:
        return self._load(name, 'grant', Grant)

    def save_grant(self, name: str, grant: Grant) -> None:
        records.save(self.file(name, 'grant'), grant.values())

    def intent(self, name: str) -> Intent | None:
        return self._load(name, 'intent', Intent)

    def has_intent(self, name: str) -> bool:
        return os.path.lexists(self.file(name, 'intent'))

    def save_intent(self, name: str, intent: Intent) -> None:
        records.save(self.file(name, 'intent'), intent.values())

    def forget(self, name: str, what: str) -> None:
        atomic_files.remove(self.file(name, what))

    def _load(self, name: str, what: str, kind: Callable[..., T]) -> T | None:
        path = self.file(name, what)
        try:
            return records.load(path, lambda value: kind(**value))
        except Unreadable:
            raise Refusal(
                f'{path} is damaged, so who holds {name} is unknown',
                f'rm {path}, then interlock lock confirm {name}',
            ) from None

    def clone(self) -> str:
        """The id of this clone; a copy of the clone has the same."""
        path = os.path.join(self.folder, 'clone')
        data = atomic_files.read(path)
        if data is None:
            records.save_bytes(path, f'{os.urandom(16).hex()}\n'.encode())
            data = atomic_files.read(path) or b''
        return data.decode(errors='replace').strip()


def new_token(authority: str) -> str:
    """One that nobody else has; it begins with who gives the lock."""
    from interlock.documents.trailers import AUTHORITY
    from interlock.model.quick_hash import sha256

    start = sha256(authority.encode()).hexdigest()[:AUTHORITY]
    return start + os.urandom(13).hex()
