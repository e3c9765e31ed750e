"""Several files change together or not at all, also when we are killed.

A transaction writes every new content beside its file first, then a journal
entry that names them, then renames. The entry stays until all is done: the
next command finishes what it names, or, where it was never completed, removes
what was prepared. One transaction at a time holds the lock of the repository,
so that no update of a shared file is lost.
"""
from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from collections.abc import Mapping

from interlock.model.errors import Busy
from interlock.model.errors import Refusal
from interlock.world import files

# path -> the bytes a file has, and those it gets; None: no file
Changes = Mapping[str, 'tuple[bytes | None, bytes | None]']

# seconds between two attempts to get the lock
PAUSE = 0.05


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
    return True


class Journal:
    def __init__(self, directory: str) -> None:
        self.directory = os.path.join(directory, 'interlock', 'journal')

    @contextlib.contextmanager
    def locked(self, wait: float) -> Iterator[None]:
        """Alone in the repository; finishes what others left half done."""
        try:
            os.makedirs(self.directory, exist_ok=True)
            fd = os.open(
                os.path.join(self.directory, 'lock'),
                os.O_RDWR | os.O_CREAT, 0o666,
            )
        except OSError as e:
            raise Refusal(
                f'the journal in {self.directory} cannot be opened: '
                f'{e.strerror}',
            ) from None
        try:
            until = time.monotonic() + wait
            while not _try_lock(fd):
                if time.monotonic() >= until:
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
            data = files.read(entry)
            try:
                stored = json.loads(data or b'')
                steps = [
                    (str(step['path']), str(step['temporary']))
                    for step in stored['steps']
                ]
            except (ValueError, KeyError, TypeError):
                steps = []
            if entry.endswith('.json'):
                _apply(steps)
            else:
                for _, temporary in steps:
                    _unlink(temporary)
            _unlink(entry)

    def write(self, changes: Changes) -> None:
        """All of the changes, or none of them."""
        real = {
            os.path.realpath(path): pair for path, pair in changes.items()
            if pair[0] != pair[1]
        }
        if not real:
            return
        name = os.path.join(self.directory, f'{os.getpid()}-{time.time_ns()}')
        steps = [
            (path, '' if new is None else files.temporary_name(path))
            for path, (_, new) in real.items()
        ]
        entry = json.dumps({
            'steps': [
                {'path': path, 'temporary': temporary}
                for path, temporary in steps
            ],
        }).encode()
        try:
            files.write_new(f'{name}.preparing', entry)
            for path, temporary in steps:
                new = real[path][1]
                files.refuse_read_only(path)
                if new is not None:
                    files.write_new(temporary, new, like=path)
            for path, _ in steps:
                files.refuse_changed(path, real[path][0])
            # from here on the change is finished, by us or by the next one
            files.rename(f'{name}.preparing', f'{name}.json')
        except BaseException:
            for _, temporary in steps:
                _unlink(temporary)
            _unlink(f'{name}.preparing')
            raise
        _apply(steps)
        _unlink(f'{name}.json')


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _apply(steps: list[tuple[str, str]]) -> None:
    for path, temporary in steps:
        if not temporary:
            files.remove(path)
        elif os.path.exists(temporary):
            files.rename(temporary, path)
