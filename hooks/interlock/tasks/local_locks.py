"""The locks of one clone: a file per task, made whole in one step.

A lock is created by linking a file that is already complete, so nobody sees
half of one. Where links do not exist it is created exclusively and then
written; a lock that cannot be read yet counts as held. Age is never a reason
to take a lock: its holder may sleep, and a clock may be wrong.

What outlives a lock lies under the common git directory: its generations, its
last contents, and the log of all locks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence

from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Keys, Lock
from interlock.files import atomic_files, records
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.tasks.lock_store import LEAP, Event, Held
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.transactions.journal import Changes

# no lock is larger; its log grows by a line with every step
MAX_LOCK = 4 * 1024 * 1024
# seconds in which a lock that cannot be read may still be being written
YOUNG = 2.0
# what a file system without links may answer
NO_LINKS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
)


def folder(state: str) -> str:
    """`state` is the common git directory, or one of the user's."""
    return os.path.join(state, 'interlock', 'locks')


def _read(path: str) -> bytes:
    """The bytes of a regular file; a pipe would block."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable('is not a regular file')
    elif status.st_size > MAX_LOCK:
        raise Unreadable(f'is too large to be read ({status.st_size} bytes)')
    with open(path, 'rb') as f:
        return f.read()


def _parse(path: str, data: bytes, keys: Keys) -> Lock:
    lock = documents.parse(Blob('', len(data), data), keys)
    with contextlib.suppress(OSError):
        age = abs(time.time() - os.lstat(path).st_mtime)
        if lock.problem is not None and age < YOUNG:
            why = f'{lock.problem.message} (it may be being written just now)'
            return lock._replace(problem=Unreadable(why, lock.problem.line))
    return lock


def look(path: str, keys: Keys) -> Held | None:
    """The lock at a path; None only where nothing is there at all."""
    try:
        data = _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Unreadable as e:
        return Held(path, None, Lock(keys, documents.NOTHING, e))
    except OSError as e:
        why = Unreadable(f'cannot be read: {e.strerror}')
        return Held(path, None, Lock(keys, documents.NOTHING, why))
    return Held(path, data, _parse(path, data, keys))


def _exclusively(path: str, data: bytes) -> bool:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(path, flags, 0o644), 'wb') as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
    except FileExistsError:
        return False
    return True


def create(path: str, data: bytes) -> bool:
    """Make a lock that is not there; False: somebody else was first."""
    temporary = atomic_files.temporary_name(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_files.write_new(temporary, data)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError as e:
            if e.errno not in NO_LINKS:
                raise
            return _exclusively(path, data)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        atomic_files.sync_folder(os.path.dirname(path))
    except OSError as e:
        raise Refusal(f'{path} cannot be made: {e.strerror}') from None
    return True


def may_name(data: bytes | None, session: str) -> bool:
    """Whether a lock may be the session's; without parsing thousands."""
    return data is None or b'\\' in data or session.encode() in data


class Counter:
    """The generations that this clone gave out."""

    def __init__(self, state: str) -> None:
        self._folder = folder(state)

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, f'{name}.generation')

    def last_generation(self, name: str) -> int | None:
        path = self._file(name)
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
        records.save(self._file(name), number)


class LocalLocks:
    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._keys = space.protocol.lock_keys
        self._folder = folder(space.state)
        self._counter = Counter(space.state)
        self.last_generation = self._counter.last_generation

    def place(self, name: str) -> str:
        return self._space.path(self._space.protocol.files.lock, name)

    def places(self, name: str) -> Sequence[str]:
        older = self._space.protocol.older.get('lock', ())
        return [self.place(name), *(self._space.path(each, name) for each in older)]

    def get(self, name: str) -> Held | None:
        found = (look(path, self._keys) for path in self.places(name))
        return next((held for held in found if held is not None), None)

    def list(
        self, tasks: Sequence[str] | None = None, session: str = ''
    ) -> Sequence[tuple[str, Held]]:
        return list(self._all(tasks, session))

    def _all(
        self, tasks: Sequence[str] | None, session: str
    ) -> Iterator[tuple[str, Held]]:
        names = self._space.names() if tasks is None else tasks
        for name in (self._space.protocol.main.name, *names):
            if session and not self._may_be_of(name, session):
                continue
            held = self.get(name)
            if held is not None and (not session or held.is_held_by(session)):
                yield name, held

    def names(self, tasks: Sequence[str]) -> Sequence[str]:
        return [
            name
            for name in (self._space.protocol.main.name, *tasks)
            if any(map(os.path.lexists, self.places(name)))
        ]

    def _may_be_of(self, name: str, session: str) -> bool:
        try:
            return may_name(_read(self.place(name)), session)
        except (OSError, Unreadable):
            return True

    def create(self, name: str, data: bytes, event: Event) -> bool:
        path = self.place(name)
        if os.path.lexists(path):
            return False
        self.log(event)
        return create(path, data)

    def replace(
        self,
        name: str,
        held: Held,
        data: bytes,
        event: Event | None = None,
        others: Changes | None = None,
    ) -> None:
        from interlock.transactions.journal import Journal

        if event is not None:
            self.log(event)
        journal = Journal(self._space.state)
        journal.write({held.path: (held.data, data), **(others or {})})

    def remove(self, name: str, held: Held, event: Event, keep: bool = True) -> None:
        now = look(held.path, self._keys)
        if now is None or now.data != held.data:
            raise Refusal(f'{held.path} changed while it was read', 'run this again')
        if keep:
            self._keep(name, held)
        self.log(event)
        atomic_files.remove(held.path)
        atomic_files.sync_folder(os.path.dirname(held.path))

    def _keep(self, name: str, held: Held) -> None:
        number = held.lock.generation
        if 0 < number <= LEAP and self.last_generation(name) is None:
            # the lock may be older than the counter, in a new clone for instance
            self._counter.set_generation(name, number)
        kept = self.last_contents(name)
        # a lock that only began does not tell how far the work came
        if held.data is not None and (
            len(held.lock.log) > 1 or kept is None or len(kept.log) < 2
        ):
            records.save_bytes(self._last(name), held.data)

    def next_generation(self, name: str, floor: int) -> int:
        number = max(self.last_generation(name) or 0, floor) + 1
        self._counter.set_generation(name, number)
        return number

    def _last(self, name: str) -> str:
        return os.path.join(self._folder, f'{name}.last')

    def last_contents(self, name: str) -> Lock | None:
        data = atomic_files.read(self._last(name))
        if data is None:
            return None
        return documents.parse(Blob('', len(data), data), self._keys)

    def forget_contents(self, name: str) -> None:
        atomic_files.remove(self._last(name))

    def log(self, event: Event) -> None:
        records.append(os.path.join(self._folder, 'log.jsonl'), event)
