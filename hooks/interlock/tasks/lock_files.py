"""Lock files: made whole in one step, never taken over.

A lock is created by linking a file that is already complete, so nobody ever
sees half of one; where links do not exist it is created exclusively and
written then, and what cannot be read yet is held by somebody. Age is no
reason to take a lock: its holder may sleep, and its clock may be wrong.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from typing import NamedTuple

from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Keys, Lock
from interlock.files import atomic_files
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable

# no lock is larger; its log grows by a line with every step
MAX_LOCK = 4 * 1024 * 1024
# seconds in which a lock that cannot be read may still be being written
YOUNG = 2.0
# how far above what is known a generation may be, where nobody counted
LEAP = 1000
# a file system without links, and what it may say then
NO_LINKS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
)


class Held(NamedTuple):
    """A lock that is there, whatever can be read of it."""

    path: str
    data: bytes | None
    lock: Lock

    @property
    def holder(self) -> str:
        """The session that holds it, '' where nobody can say."""
        return self.lock.session

    def is_held_by(self, session: str) -> bool:
        return bool(session) and session == self.holder


def _unreadable(path: str, why: str, keys: Keys) -> Held:
    return Held(path, None, Lock(keys, documents.NOTHING, Unreadable(why)))


def _is_young(status: os.stat_result) -> bool:
    return abs(time.time() - status.st_mtime) < YOUNG


def look(path: str, keys: Keys) -> Held | None:
    """The lock at a path; None only where nothing is there at all."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        return _unreadable(path, f'cannot be looked at: {e.strerror}', keys)
    if not stat.S_ISREG(status.st_mode):
        return _unreadable(path, 'is no regular file', keys)
    elif status.st_size > MAX_LOCK:
        why = f'is too large to be read ({status.st_size} bytes)'
        return _unreadable(path, why, keys)
    try:
        with open(path, 'rb') as f:
            data = f.read()
    except FileNotFoundError:
        return None
    except OSError as e:
        return _unreadable(path, f'cannot be read: {e.strerror}', keys)
    lock = documents.parse(Blob('', len(data), data), keys)
    if lock.problem is not None and _is_young(status):
        again = Unreadable(
            f'{lock.problem.message} (it may be being written just now)',
            lock.problem.line,
        )
        lock = lock._replace(problem=again)
    return Held(path, data, lock)


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
    """Makes a lock that is not there; False: somebody else was first."""
    folder = os.path.dirname(path)
    temporary = atomic_files.temporary_name(path)
    try:
        os.makedirs(folder, exist_ok=True)
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
        atomic_files.sync_folder(folder)
    except OSError as e:
        raise Refusal(f'{path} cannot be made: {e.strerror}') from None
    return True


class Register:
    """What outlives a lock: its generations, its last contents, its log."""

    def __init__(self, state: str) -> None:
        self.directory = os.path.join(state, 'interlock', 'locks')

    def _file(self, name: str, suffix: str) -> str:
        return os.path.join(self.directory, f'{name}.{suffix}')

    def _make(self) -> None:
        try:
            os.makedirs(self.directory, exist_ok=True)
        except OSError as e:
            raise Refusal(f'{self.directory} cannot be made: {e.strerror}') from None

    def generation(self, name: str) -> int:
        """That of the last holder; 0: there was none."""
        return self.known(name) or 0

    def known(self, name: str) -> int | None:
        """As `generation`; None where nobody ever counted here."""
        path = self._file(name, 'generation')
        data = atomic_files.read(path)
        if data is None:
            return None
        try:
            return int(data)
        except ValueError:
            # to start again at 1 would let an old holder pass for a new one
            raise Refusal(
                f'{path} is damaged, so nobody knows which holder is the newest',
                f'write the number of the last generation into {path}',
            ) from None

    def next_generation(self, name: str, floor: int = 0) -> int:
        """Counts on; called while nobody else changes state.

        `floor` is what others have given out already.
        """
        number = max(self.generation(name), floor) + 1
        self.note(name, 'generation', str(number))
        return number

    def gave(self, name: str, number: int) -> bool:
        """Whether a lock that says a generation is the last one given out.

        Where nobody ever counted, in a new clone for instance, the lock is
        believed, but no leap.
        """
        known = self.known(name)
        return number <= LEAP if known is None else number == known

    def begin(self, name: str, number: int) -> None:
        """Counts on from a lock that is older than the register."""
        if number and self.known(name) is None and self.gave(name, number):
            self.note(name, 'generation', str(number))

    def keep(self, name: str, data: bytes) -> None:
        """The contents of a lock that ends, for who goes on with its task."""
        self._make()
        path = self._file(name, 'last')
        atomic_files.replace(path, atomic_files.read(path), data)

    def kept(self, name: str, keys: Keys) -> Lock | None:
        data = atomic_files.read(self._file(name, 'last'))
        if data is None:
            return None
        return documents.parse(Blob('', len(data), data), keys)

    def note(self, name: str, what: str, text: str) -> None:
        """Something short about a task that none of its files may hold."""
        self._make()
        path = self._file(name, what)
        atomic_files.replace(path, atomic_files.read(path), f'{text}\n'.encode())

    def noted(self, name: str, what: str) -> str:
        data = atomic_files.read(self._file(name, what)) or b''
        return data.decode(errors='replace').strip()

    def forget(self, name: str, what: str) -> None:
        atomic_files.remove(self._file(name, what))

    def log(self, **what: str | int) -> None:
        """One line of a file that only grows."""
        self._make()
        line = json.dumps(what, ensure_ascii=True) + '\n'
        try:
            fd = os.open(
                os.path.join(self.directory, 'log.jsonl'),
                os.O_WRONLY | os.O_CREAT | os.O_APPEND,
                0o644,
            )
            try:
                os.write(fd, line.encode())
            finally:
                os.close(fd)
        except OSError as e:
            raise Refusal(f'the log of locks cannot be written: {e.strerror}') from None


def remove(held: Held, keys: Keys) -> None:
    """Ends a lock that is still what we looked at."""
    now = look(held.path, keys)
    if now is None or now.data != held.data:
        raise Refusal(f'{held.path} changed while it was read', 'run this again')
    atomic_files.remove(held.path)
    atomic_files.sync_folder(os.path.dirname(held.path))
