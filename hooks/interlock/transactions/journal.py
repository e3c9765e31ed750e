"""Several files change together or not at all, even if we are killed.

A transaction first writes each new content beside its file, then a journal
entry that names them, then renames them. The entry stays until all is done:
the next command finishes a complete entry, and removes the prepared files of
an incomplete one. Files that others wrote in between are never overwritten.
The entry of a commit (`commit.py`) is undone unless the commit was made. One
transaction at a time holds the lock of the repository, so that no update of a
shared file is lost.
"""

from __future__ import annotations

import os
import time

from interlock.files import atomic_files
from interlock.git.git_paths import COMMITTING
from interlock.model import quick_hash
from interlock.model.errors import Busy, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple, Sequence

# path -> the old and the new bytes of a file; None: no file
Changes = Mapping[str, 'tuple[bytes | None, bytes | None]']

# seconds between two attempts to get the lock
PAUSE = 0.05

# suffixes of entries: still being prepared, to be finished, and to be finished
# if a commit was made; an index belongs to such a commit
PREPARING = '.preparing'
FINISH = '.json'
COMMIT = '.commit'
INDEX = '.index'


class FileStep(NamedTuple):
    path: str
    # the file with the new content until it is renamed, '' for a removed file
    temporary: str
    # the checksum of the old content, '' if there was no file
    old: str

    @property
    def pending(self) -> bool:
        return os.path.lexists(self.temporary or self.path)

    @property
    def overtaken(self) -> bool:
        """Whether another process wrote the file before we did."""
        return self.pending and checksum(atomic_files.read(self.path)) != self.old


def checksum(data: bytes | None) -> str:
    return '' if data is None else quick_hash.sha256(data).hexdigest()


def try_lock(fd: int) -> bool:
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


def _pause(until: float, error: Busy) -> None:
    # written as `not <`, since every comparison with NaN is false
    if not time.monotonic() < until:
        raise error
    time.sleep(PAUSE)


class Journal:
    def __init__(self, directory: str) -> None:
        self.directory = os.path.join(directory, 'interlock', 'journal')

    @contextmanager
    def locked(self, wait: float, reads: bool = False) -> Iterator[None]:
        """Lock the repository, and finish what others left half done.

        A reader is let in if no journal can be written, and inside a hook of
        our own commit, which waits for that hook.
        """
        if self._is_inside():
            if not reads:
                raise Busy(
                    'a hook of the commit in progress called this command, '
                    'so nothing is changed',
                    'run this again after the commit',
                )
            yield
            return
        try:
            os.makedirs(self.directory, exist_ok=True)
            fd = os.open(
                os.path.join(self.directory, 'lock'), os.O_RDWR | os.O_CREAT, 0o666
            )
        except OSError as e:
            if reads:
                yield
                return
            why = f'the journal in {self.directory} cannot be opened: {e.strerror}'
            raise Refusal(why, atomic_files.permit_command(self.directory, e)) from None
        try:
            until = time.monotonic() + wait
            while not try_lock(fd):
                _pause(
                    until,
                    Busy(
                        'another command is changing state here',
                        'try again, or with a longer --wait',
                    ),
                )
            self._recover_until(until)
            yield
        finally:
            # closing releases the lock, and so does the end of a process
            os.close(fd)

    def _is_inside(self) -> bool:
        """Whether we run inside a commit that holds the journal."""
        entry = os.environ.get(COMMITTING, '')
        return (
            bool(entry)
            and os.path.exists(entry)
            and (
                os.path.realpath(os.path.dirname(entry))
                == os.path.realpath(self.directory)
            )
        )

    def _recover_until(self, until: float) -> None:
        while True:
            try:
                self.recover()
                return
            except Busy as e:
                # a commit goes on by itself after its command was killed
                _pause(until, e)

    def _named(self, *ends: str) -> list[str]:
        try:
            names = os.listdir(self.directory)
        except OSError:
            return []
        return sorted(
            os.path.join(self.directory, name) for name in names if name.endswith(ends)
        )

    def left(self) -> list[str]:
        """The entries of commands that were killed or are still running."""
        return self._named(PREPARING, FINISH, COMMIT)

    def recover(self) -> None:
        """Finish or undo what a killed command left."""
        for entry in self.left():
            steps = _stored(entry)
            if entry.endswith(PREPARING):
                discard(steps or ())
                unlink(entry)
                continue
            elif steps is None:
                raise Refusal(
                    f'{entry} is damaged, and a command was killed before it '
                    f'had changed all of its files',
                    f'interlock check --worktree; rm {quoted([entry])}',
                )
            elif entry.endswith(COMMIT):
                from interlock.transactions import commit

                left = commit.recover(entry, steps)
            else:
                left = _finish(steps)
            unlink(entry)
            if left:
                raise Refusal(
                    f'a command was killed, and {", ".join(left)} changed '
                    f'since: left as it is',
                    'interlock check --worktree',
                )
        # indexes of commits that never began, or are settled
        for index in self._named(INDEX, f'{INDEX}.lock'):
            unlink(index)

    def new_name(self) -> str:
        return os.path.join(self.directory, f'{os.getpid()}-{time.time_ns()}')

    def write(self, changes: Changes) -> None:
        """Make all of the changes, or none of them."""
        real = resolved(changes)
        if real:
            entry = self.begin(real, FINISH)
            entry.apply()
            unlink(entry.path)

    def begin(
        self, changes: Changes, kind: str, more: Mapping[str, object] | None = None
    ) -> JournalEntry:
        """Prepare everything; from here on the entry decides what happens."""
        import json

        name = self.new_name()
        steps = tuple(
            FileStep(
                path,
                '' if new is None else atomic_files.temporary_name(path),
                checksum(old),
            )
            for path, (old, new) in changes.items()
        )
        entry = json.dumps(
            {'steps': [step._asdict() for step in steps], **(more or {})}
        ).encode()
        try:
            atomic_files.write_new(f'{name}{PREPARING}', entry)
            for step in steps:
                _prepare(step, changes[step.path][1])
            for folder in {os.path.dirname(step.path) for step in steps}:
                atomic_files.sync_folder(folder)
            for step in steps:
                atomic_files.refuse_changed(step.path, changes[step.path][0])
            # from here on the change will be finished, by us or by the next command
            atomic_files.rename(f'{name}{PREPARING}', f'{name}{kind}')
        except BaseException:
            # interrupted after the rename: take it back
            with suppress(OSError):
                os.replace(f'{name}{kind}', f'{name}{PREPARING}')
            discard(steps)
            unlink(f'{name}{PREPARING}')
            raise
        return JournalEntry(f'{name}{kind}', steps)


class JournalEntry(NamedTuple):
    path: str
    steps: tuple[FileStep, ...]

    def apply(self) -> None:
        _apply(self.steps)


def resolved(changes: Changes) -> Changes:
    """The real changes: with links resolved, and without files that stay the same."""
    return {
        # removing a link removes the link itself
        path if pair[1] is None else os.path.realpath(path): pair
        for path, pair in changes.items()
        if pair[0] != pair[1]
    }


def unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def make_folder(path: str) -> None:
    with suppress(OSError):
        # if this fails, writing into it fails too
        os.makedirs(path, exist_ok=True)


def discard(steps: Sequence[FileStep]) -> None:
    for step in steps:
        if step.temporary:
            unlink(step.temporary)


def _stored(entry: str) -> list[FileStep] | None:
    """The steps of an entry, None if it cannot be read."""
    import json

    try:
        stored = json.loads(atomic_files.read(entry) or b'')
        return [
            FileStep(str(step['path']), str(step['temporary']), str(step['old']))
            for step in stored['steps']
        ]
    except (ValueError, KeyError, TypeError):
        return None


def _prepare(step: FileStep, new: bytes | None) -> None:
    atomic_files.refuse_read_only(step.path)
    folder = os.path.dirname(step.path)
    if new is not None:
        make_folder(folder)
        atomic_files.write_new(step.temporary, new, like=step.path)
    elif not os.access(folder, os.W_OK):
        # after the other files are renamed it would be too late to notice
        raise Refusal(f'{folder} is read-only', f'chmod u+w {quoted([folder])}')


def _apply(steps: Sequence[FileStep]) -> None:
    for step in steps:
        if not step.temporary:
            atomic_files.remove(step.path)
        elif step.pending:
            atomic_files.rename(step.temporary, step.path)


def _finish(steps: Sequence[FileStep]) -> list[str]:
    """Apply the remaining steps; returns the paths that others changed since."""
    overtaken = [step for step in steps if step.overtaken]
    if overtaken and all(step.pending for step in steps):
        # nothing was renamed yet: as if it had never begun
        discard(steps)
        return []
    _apply([step for step in steps if step not in overtaken])
    discard(overtaken)
    return [step.path for step in overtaken]
