"""What this clone keeps about locks, beside the journal of the repository.

NAME.generation  the last generation that is known here
NAME.last        the content of the last lock that ended
NAME.grant       the engine's event under which this clone holds the lock
NAME.intent      a question to the engine that may still be open
log.jsonl        the events of locks here
clone            the id of this clone, for engines that no other clone shares
"""

from __future__ import annotations

import os

from interlock.files import atomic_files, records
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple, TypeVar

T = TypeVar('T')

# how many characters of a token are in the trailer of a commit
GRANT = 12


def folder(state: str) -> str:
    """The register's folder; `state` is the common git directory, or the user's."""
    return os.path.join(state, 'interlock', 'locks')


class Grant(NamedTuple):
    """The event of its engine under which this clone holds a lock."""

    engine: str
    repository: str
    generation: int
    version: str
    # of the acquire: everything under one token is one holder's
    token: str
    session: str
    holder: Mapping[str, Any]
    # the last event that was seen here
    event: str
    # when the engine last confirmed it
    confirmed: float = 0
    # the file has changes that the engine does not know
    dirty: bool = False
    # the engine said that somebody else holds the lock, or nobody
    lost: bool = False
    # the checksum of the task's files that the engine has
    files: str = ''


class Intent(NamedTuple):
    """A question to an engine, written down before it is asked.

    The process that finds one settles it: it took effect, or it never will.
    """

    token: str
    event: str
    # the version that the record had
    expected: str
    session: str
    time: str
    # other files of the same step: path -> checksum before, new content
    others: Mapping[str, Any] = {}


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
            # starting again at 1 would let an old holder pass for a new one
            raise Refusal(
                f'{path} is damaged, so the newest holder is unknown',
                f'write the number of the last generation into {path}',
            ) from None

    def set_generation(self, name: str, number: int) -> None:
        records.save(self.file(name, 'generation'), number)

    def grant(self, name: str) -> Grant | None:
        return self._load(name, 'grant', Grant)

    def save_grant(self, name: str, grant: Grant) -> None:
        records.save(self.file(name, 'grant'), grant._asdict())

    def intent(self, name: str) -> Intent | None:
        return self._load(name, 'intent', Intent)

    def has_intent(self, name: str) -> bool:
        return os.path.lexists(self.file(name, 'intent'))

    def save_intent(self, name: str, intent: Intent) -> None:
        records.save(self.file(name, 'intent'), intent._asdict())

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
    """A unique token; it begins with the authority that gives the lock."""
    from interlock.documents.trailers import AUTHORITY
    from interlock.model.quick_hash import sha256

    start = sha256(authority.encode()).hexdigest()[:AUTHORITY]
    return start + os.urandom(13).hex()
