"""The file of a lock: created in one step, read whatever is in it.

A lock is created by linking a file that is already complete, so nobody sees
half of one. Where links do not exist it is created exclusively and then
written; a lock that cannot be read yet counts as held. Age is never a reason
to take a lock: its holder may sleep, and a clock may be wrong.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Keys, Lock
from interlock.files import atomic_files
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.tasks.quick_lock import FLAGS
from interlock.tasks.task_layout import Workspace

# larger than any lock, although the log grows by a line with every step
MAX_LOCK = 4 * 1024 * 1024
# in these seconds an unreadable lock may still be being written
YOUNG = 2.0
# the errors for a link or a socket
NO_FILE = (errno.ELOOP, errno.ENXIO)
# the errors of file systems without links
NO_LINKS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
)


class Held(NamedTuple):
    """An existing lock, as far as it can be read."""

    path: str
    data: bytes | None
    lock: Lock
    # why the lock cannot be used all the same, '' if nothing is wrong
    doubt: str = ''
    # the command that helps in that case
    way_out: str = ''

    @property
    def holder(self) -> str:
        """The session that holds the lock, '' if it is unknown."""
        return self.lock.session

    def is_held_by(self, session: str) -> bool:
        return bool(session) and session == self.holder and not self.doubt


def read(path: str) -> bytes:
    """The bytes of a regular file; a pipe would block.

    There may be thousands of locks, and a file object is slower than its file.
    """
    try:
        descriptor = os.open(path, FLAGS)
    except OSError as e:
        if e.errno in NO_FILE:
            raise Unreadable('is not a regular file') from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable('is not a regular file')
        elif status.st_size > MAX_LOCK:
            raise Unreadable(f'is too large to be read ({status.st_size} bytes)')
        found = os.read(descriptor, status.st_size + 1)
        while len(found) != status.st_size and (part := os.read(descriptor, MAX_LOCK)):
            # the file was truncated, or grew meanwhile
            found += part
            if len(found) > MAX_LOCK:
                raise Unreadable('is too large to be read')
        return found
    finally:
        os.close(descriptor)


def parse(data: bytes, keys: Keys) -> Lock:
    return documents.parse(Blob('', len(data), data), keys)


def _parse(path: str, data: bytes, keys: Keys) -> Lock:
    lock = parse(data, keys)
    with suppress(OSError):
        age = abs(time.time() - os.lstat(path).st_mtime)
        if lock.problem is not None and age < YOUNG:
            why = f'{lock.problem.message} (it may be being written just now)'
            return lock._replace(problem=Unreadable(why, lock.problem.line))
    return lock


def look(path: str, keys: Keys) -> Held | None:
    """The lock at a path; None only if nothing exists there."""
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Unreadable as e:
        return Held(path, None, Lock(keys, documents.NOTHING, e))
    except OSError as e:
        why = Unreadable(f'cannot be read: {e.strerror}')
        return Held(path, None, Lock(keys, documents.NOTHING, why))
    return Held(path, data, _parse(path, data, keys))


def place(space: Workspace, name: str) -> str:
    return space.path(space.protocol.files.lock, name)


def places(space: Workspace, name: str) -> Iterator[str]:
    """`place`, and the paths of older versions."""
    yield place(space, name)
    for each in space.protocol.older.get('lock', ()):
        yield space.path(each, name)


def of_task(space: Workspace, name: str) -> Held | None:
    """The lock file of a task, or of the main worktree."""
    keys = space.protocol.lock_keys
    found = (look(path, keys) for path in places(space, name))
    return next((held for held in found if held is not None), None)


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
    """Create a lock; False: somebody else was first."""
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
            with suppress(OSError):
                os.unlink(temporary)
        atomic_files.sync_folder(os.path.dirname(path))
    except OSError as e:
        raise Refusal(f'cannot create {path}: {e.strerror}') from None
    return True


def may_name(data: bytes | None, session: str) -> bool:
    """Whether a lock may belong to the session, without parsing thousands of them."""
    return data is None or b'\\' in data or session.encode() in data
