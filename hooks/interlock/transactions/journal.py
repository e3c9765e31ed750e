"""Several files change together or not at all, also when we are killed.

A transaction writes every new content beside its file first, then a journal
entry that names them, then renames. The entry stays until all is done: the
next command finishes what it names, or, where it was never completed, removes
what was prepared. What somebody else wrote in between is never overwritten.
An entry of a commit (`commit.py`) is undone unless the commit was made.
One transaction at a time holds the lock of the repository,
so that no update of a shared file is lost.
"""

from __future__ import annotations

import os
import time

from interlock.files import atomic_files
from interlock.model import quick_hash
from interlock.model.errors import Busy, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple, Sequence
from interlock.model.session_env import COMMITTING

# path -> the bytes a file has, and those it gets; None: no file
Changes = Mapping[str, 'tuple[bytes | None, bytes | None]']

# seconds between two attempts to get the lock
PAUSE = 0.05

# what the name of an entry ends with: only begun, to be finished, and to be
# finished if a commit was made; an index is what such a commit is made of
PREPARING = '.preparing'
FINISH = '.json'
COMMIT = '.commit'
INDEX = '.index'


class FileStep(NamedTuple):
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
    # written as `not <`: every comparison with NaN is false
    if not time.monotonic() < until:
        raise error
    time.sleep(PAUSE)


class Journal:
    def __init__(self, directory: str) -> None:
        self.directory = os.path.join(directory, 'interlock', 'journal')

    @contextmanager
    def locked(self, wait: float, reads: bool = False) -> Iterator[None]:
        """Alone in the repository; finishes what others left half done.

        A reader is let in where no journal can be kept, and in a hook of our
        own commit, which waits for that hook.
        """
        if self._is_inside():
            if not reads:
                raise Busy(
                    'a commit is in progress and one of its hooks calls this, '
                    'so nothing is changed',
                    'run this when the commit is made',
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
            raise Refusal(why, atomic_files.permit(self.directory, e)) from None
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
            # closing gives the lock back, and so does the end of a process
            os.close(fd)

    def _is_inside(self) -> bool:
        """Whether a commit that has the journal waits for us."""
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
                # a commit whose command was killed goes on by itself
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
        """The entries of commands that were killed, or are at work."""
        return self._named(PREPARING, FINISH, COMMIT)

    def recover(self) -> None:
        """Finishes or undoes what a killed command left."""
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
        # of commits that were never begun, or are settled
        for index in self._named(INDEX, f'{INDEX}.lock'):
            unlink(index)

    def new_name(self) -> str:
        return os.path.join(self.directory, f'{os.getpid()}-{time.time_ns()}')

    def write(self, changes: Changes) -> None:
        """All of the changes, or none of them."""
        real = resolved(changes)
        if real:
            entry = self.begin(real, FINISH)
            entry.apply()
            unlink(entry.path)

    def begin(
        self, changes: Changes, kind: str, more: Mapping[str, object] | None = None
    ) -> JournalEntry:
        """Prepares everything; from here on the entry says what comes."""
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
            # from here on the change is finished, by us or by the next one
            atomic_files.rename(f'{name}{PREPARING}', f'{name}{kind}')
        except BaseException:
            # interrupted behind the rename: it no longer counts
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
    """What really changes: files behind links, and nothing that stays."""
    return {
        # a link that is removed is removed itself
        path if pair[1] is None else os.path.realpath(path): pair
        for path, pair in changes.items()
        if pair[0] != pair[1]
    }


def unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def make_folder(path: str) -> None:
    with suppress(OSError):
        # if it cannot be made, nothing can be written in it either
        os.makedirs(path, exist_ok=True)


def discard(steps: Sequence[FileStep]) -> None:
    for step in steps:
        if step.temporary:
            unlink(step.temporary)


def _stored(entry: str) -> list[FileStep] | None:
    """The steps of an entry, None where it cannot be read."""
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
        # once the others are renamed it is too late to notice
        raise Refusal(f'{folder} is read-only', f'chmod u+w {quoted([folder])}')


def _apply(steps: Sequence[FileStep]) -> None:
    for step in steps:
        if not step.temporary:
            atomic_files.remove(step.path)
        elif step.pending:
            atomic_files.rename(step.temporary, step.path)


def _finish(steps: Sequence[FileStep]) -> list[str]:
    """Applies what is left; gives the paths that others changed since."""
    overtaken = [step for step in steps if step.overtaken]
    if overtaken and all(step.pending for step in steps):
        # nothing was renamed yet: as if it had never been begun
        discard(steps)
        return []
    _apply([step for step in steps if step not in overtaken])
    discard(overtaken)
    return [step.path for step in overtaken]
