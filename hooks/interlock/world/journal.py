"""Several files change together or not at all, also when we are killed.

A transaction writes every new content beside its file first, then a journal
entry that names them, then renames. The entry stays until all is done: the
next command finishes what it names, or, where it was never completed, removes
what was prepared. What somebody else wrote in between is never overwritten.
One transaction at a time holds the lock of the repository,
so that no update of a shared file is lost.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from interlock.model.errors import Busy
from interlock.model.errors import Refusal
from interlock.world import files

# path -> the bytes a file has, and those it gets; None: no file
Changes = Mapping[str, 'tuple[bytes | None, bytes | None]']

# seconds between two attempts to get the lock
PAUSE = 0.05


class Step(NamedTuple):
    path: str
    # the new content until it is renamed, '' where the file is removed
    temporary: str
    # the checksum of the old content, '' where there was no file
    old: str

    @property
    def pending(self) -> bool:
        return os.path.lexists(self.temporary or self.path)

    @property
    def overtaken(self) -> bool:
        """Whether somebody else wrote the file before we did."""
        return self.pending and _checksum(files.read(self.path)) != self.old


def _checksum(data: bytes | None) -> str:
    return '' if data is None else hashlib.sha256(data).hexdigest()


def _try_lock(fd: int) -> bool:
    try:
        import fcntl
    except ImportError:  # pragma: no cover (Windows)
        import msvcrt
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore
        except OSError:
            return False
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as e:
        raise Refusal(f'the journal cannot be locked: {e.strerror}') from None
    return True


class Journal:
    def __init__(self, directory: str) -> None:
        self.directory = os.path.join(directory, 'interlock', 'journal')

    @contextlib.contextmanager
    def locked(self, wait: float, reads: bool = False) -> Iterator[None]:
        """Alone in the repository; finishes what others left half done.

        Who only reads may do so where no journal can be kept.
        """
        try:
            os.makedirs(self.directory, exist_ok=True)
            fd = os.open(
                os.path.join(self.directory, 'lock'),
                os.O_RDWR | os.O_CREAT, 0o666,
            )
        except OSError as e:
            if reads:
                yield
                return
            raise Refusal(
                f'the journal in {self.directory} cannot be opened: '
                f'{e.strerror}',
            ) from None
        try:
            until = time.monotonic() + wait
            while not _try_lock(fd):
                # said so, because no number is less than NaN
                if not time.monotonic() < until:
                    raise Busy(
                        'another command is changing state here',
                        'try again, or with a longer --wait',
                    )
                time.sleep(PAUSE)
            self.recover()
            yield
        finally:
            # closing gives the lock back, and so does the end of a process
            os.close(fd)

    def _entries(self) -> list[str]:
        try:
            names = os.listdir(self.directory)
        except OSError:
            return []
        return sorted(
            os.path.join(self.directory, name) for name in names
            if name.endswith(('.json', '.preparing'))
        )

    def recover(self) -> None:
        """Finishes or undoes what a killed command left."""
        for entry in self._entries():
            steps = _stored(entry)
            if not entry.endswith('.json'):
                _discard(steps or ())
                _unlink(entry)
                continue
            elif steps is None:
                raise Refusal(
                    f'{entry} is damaged, and a command was killed before it '
                    f'had changed all of its files',
                    f'interlock check --worktree, then rm {entry}',
                )
            left = _finish(steps)
            _unlink(entry)
            if left:
                raise Refusal(
                    f'a command was killed, and {", ".join(left)} changed '
                    f'since: left as it is',
                    'interlock check --worktree',
                )

    def write(self, changes: Changes) -> None:
        """All of the changes, or none of them."""
        real = {
            # a link that is removed is removed itself
            path if pair[1] is None else os.path.realpath(path): pair
            for path, pair in changes.items() if pair[0] != pair[1]
        }
        if not real:
            return
        name = os.path.join(self.directory, f'{os.getpid()}-{time.time_ns()}')
        steps = [
            Step(
                path, '' if new is None else files.temporary_name(path),
                _checksum(old),
            )
            for path, (old, new) in real.items()
        ]
        entry = json.dumps(
            {'steps': [step._asdict() for step in steps]},
        ).encode()
        try:
            files.write_new(f'{name}.preparing', entry)
            for step in steps:
                _prepare(step, real[step.path][1])
            for folder in {os.path.dirname(step.path) for step in steps}:
                files.sync_folder(folder)
            for step in steps:
                files.refuse_changed(step.path, real[step.path][0])
            # from here on the change is finished, by us or by the next one
            files.rename(f'{name}.preparing', f'{name}.json')
        except BaseException:
            # interrupted behind the rename: it does not count any more
            with contextlib.suppress(OSError):
                os.replace(f'{name}.json', f'{name}.preparing')
            _discard(steps)
            _unlink(f'{name}.preparing')
            raise
        _apply(steps)
        _unlink(f'{name}.json')


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _discard(steps: Sequence[Step]) -> None:
    for step in steps:
        if step.temporary:
            _unlink(step.temporary)


def _stored(entry: str) -> list[Step] | None:
    """The steps of an entry, None where it cannot be read."""
    try:
        stored = json.loads(files.read(entry) or b'')
        return [
            Step(str(step['path']), str(step['temporary']), str(step['old']))
            for step in stored['steps']
        ]
    except (ValueError, KeyError, TypeError):
        return None


def _prepare(step: Step, new: bytes | None) -> None:
    files.refuse_read_only(step.path)
    folder = os.path.dirname(step.path)
    if new is not None:
        with contextlib.suppress(OSError):
            # if it cannot be made, nothing can be written in it either
            os.makedirs(folder, exist_ok=True)
        files.write_new(step.temporary, new, like=step.path)
    elif not os.access(folder, os.W_OK):
        # once the others are renamed it is too late to notice
        raise Refusal(f'{folder} is read-only', f'chmod u+w {folder}')


def _apply(steps: Sequence[Step]) -> None:
    for step in steps:
        if not step.temporary:
            files.remove(step.path)
        elif step.pending:
            files.rename(step.temporary, step.path)


def _finish(steps: Sequence[Step]) -> list[str]:
    """Applies what is left; gives the paths that others changed since."""
    overtaken = [step for step in steps if step.overtaken]
    if overtaken and all(step.pending for step in steps):
        # nothing was renamed yet: as if it had never been begun
        _discard(steps)
        return []
    _apply([step for step in steps if step not in overtaken])
    _discard(overtaken)
    return [step.path for step in overtaken]
