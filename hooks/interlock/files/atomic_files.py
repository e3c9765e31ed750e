"""Reads whole files, and writes them completely or not at all.

Every tool call of an agent reads some. Importing `contextlib` and its imports
would take a third of the time of calls that end without output.
"""

from __future__ import annotations

import os
import stat
import time

from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Iterable

TEMPORARY = '.interlock-'
# seconds after which a temporary file counts as abandoned
ABANDONED = 60
# bytes to read at once
MOST = 64 * 1024
READING = os.O_RDONLY | getattr(os, 'O_BINARY', 0)


def read(path: str) -> bytes | None:
    """The bytes of a file, None if it does not exist."""
    try:
        descriptor = os.open(path, READING)
        try:
            parts = []
            while part := os.read(descriptor, MOST):
                parts.append(part)
        finally:
            os.close(descriptor)
        return b''.join(parts)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as e:
        raise Refusal(f'{path} cannot be read: {e.strerror}') from None


def stored(path: str) -> bytes | None:
    """The bytes of a file; None for a pipe or a device, which may never end."""
    is_ended = os.path.isfile(path) or os.path.realpath(path) == os.devnull
    return read(path) if is_ended else None


def read_each(paths: Iterable[str]) -> list[bytes | None]:
    return [*map(read, paths)]


def _unwritten(path: str, error: OSError) -> Refusal:
    why = f'{path} cannot be written: {error.strerror}'
    return Refusal(why, permit_command(os.path.dirname(path), error))


def permit_command(folder: str, error: OSError) -> str:
    """The command with which a person can fix it, '' for other errors."""
    if not isinstance(error, PermissionError):
        return ''
    # a folder cannot be created in a read-only parent
    while folder and not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return f'make {folder or os.curdir} writable for you'


def _forget(path: str) -> None:
    """Remove a file of our own, if it exists."""
    try:
        os.unlink(path)
    except OSError:
        pass


def temporary_name(path: str) -> str:
    """A name beside a file, so that a rename stays on one file system."""
    folder, name = os.path.split(path)
    unique = f'{os.getpid()}-{time.time_ns()}'
    return os.path.join(folder, f'{TEMPORARY}{unique}-{name[:100]}')


def remove_leftovers(folder: str) -> None:
    """Remove files that killed writers left in a folder."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            if name.startswith(TEMPORARY) and (
                time.time() - os.stat(path).st_mtime > ABANDONED
            ):
                os.unlink(path)
        except OSError:
            pass


def refuse_read_only(path: str) -> None:
    """Refuse a read-only file: a rename would replace it anyway."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not mode & stat.S_IWUSR:
        # hardly any file is read-only
        from interlock.model.fixes import quoted

        raise Refusal(f'{path} is read-only', f'chmod u+w {quoted([path])}')


def refuse_changed(path: str, old: bytes | None) -> None:
    if read(path) != old:
        raise Refusal(f'{path} changed while it was read', 'run this again')


def write_new(path: str, data: bytes, like: str = '') -> None:
    """Write a new file and sync it; its mode is copied from another file."""
    try:
        mode = stat.S_IMODE(os.stat(like or path).st_mode)
    except OSError:
        mode = 0o644
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(os.open(path, flags, 0o600), 'wb') as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.chmod(path, mode)
    except OSError as e:
        _forget(path)
        raise _unwritten(like or path, e) from None


def replace_cache(path: str, data: bytes) -> None:
    """Write a cache completely or not at all.

    It is not synced: a damaged cache is rebuilt.
    """
    temporary = temporary_name(path)
    try:
        with open(temporary, 'xb') as f:
            f.write(data)
        os.replace(temporary, path)
    except OSError as e:
        raise _unwritten(path, e) from None
    finally:
        _forget(temporary)


def rename(old: str, new: str) -> None:
    try:
        os.replace(old, new)
        sync_folder(os.path.dirname(new))
    except OSError as e:
        raise _unwritten(new, e) from None


def append(path: str, data: bytes) -> None:
    """Append to a file and sync it."""
    try:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with open(os.open(path, flags, 0o644), 'ab') as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
    except OSError as e:
        raise _unwritten(path, e) from None


def sync_folder(path: str) -> None:
    """Sync the names in a folder (where folders can be opened)."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as e:
        raise Refusal(f'{path} cannot be removed: {e.strerror}') from None


def replace(path: str, old: bytes | None, new: bytes) -> None:
    """Replace a file atomically; refuse if it changed since it was read."""
    path = os.path.realpath(path)
    temporary = temporary_name(path)
    try:
        refuse_read_only(path)
        write_new(temporary, new, like=path)
        refuse_changed(path, old)
        rename(temporary, path)
    finally:
        _forget(temporary)
