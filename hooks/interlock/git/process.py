"""A process of git whose output we read.

What we need of `subprocess`: to import that takes as long as two processes of
git, and a hook has no such time.
"""

from __future__ import annotations

import errno
import os

from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import IO, Mapping, Sequence

PIPE, DEVNULL = -1, -3
BUFFER = 64 * 1024
# what a pipe takes at once without waiting, everywhere
AT_ONCE = 512
# not there, whatever else is on the PATH
ABSENT = (errno.ENOENT, errno.ENOTDIR)


class Process:
    __slots__ = ('_err', '_leads', 'is_late', 'pid', 'returncode', 'stdin', 'stdout')

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        directory: str | None,
        *,
        stdin: int = DEVNULL,
        stderr: int = PIPE,
        leads: bool = False,
    ) -> None:
        """`git` with these words in a directory; DEVNULL, or PIPE to be asked.

        `leads`: a session of its own, which has no terminal to ask a person on,
        and which is ended with all that git started.
        """
        if directory and not os.access(os.path.join(directory, '.'), os.X_OK):
            # `git -C` would only fail
            raise _no_entry(directory)
        called = ('git', '-C', directory, *words) if directory else ('git', *words)
        with Pipes() as pipes:
            fed = pipes.end(0, stdin)
            out = pipes.end(1, PIPE)
            err = pipes.end(2, stderr)
            self.pid = _spawn(called, environ, pipes.actions, leads)
            pipes.ours.clear()
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        if fed is not None:
            self.stdin = os.fdopen(fed, 'wb', BUFFER)
        assert out is not None, 'it is always a pipe'
        self.stdout: IO[bytes] = os.fdopen(out, 'rb', BUFFER)
        self._err = err
        self._leads = leads
        # it was ended because it took too long
        self.is_late = False

    def wait(self) -> int:
        if self.returncode is None:
            try:
                status = os.waitpid(self.pid, 0)[1]
            except ChildProcessError:
                # our parent ignores SIGCHLD, and so do we: no exit code is kept
                status = 0
            self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def output(
        self, data: bytes | None = None, seconds: float | None = None
    ) -> tuple[bytes, bytes]:
        """Send this, read all that is said and wait for the end, so long."""
        try:
            return self._talk(data or b'', seconds)
        except TimeoutError:
            self.is_late = True
            self._kill()
            return b'', b''
        except BaseException:
            self._kill()
            raise
        finally:
            self._close()
            self.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            (os.killpg if self._leads else os.kill)(self.pid, 9)

    def _close(self) -> None:
        if self.stdin is not None:
            self.stdin.close()
        self.stdout.close()
        if self._err is not None:
            os.close(self._err)
            self._err = None

    def _talk(self, data: bytes, seconds: float | None) -> tuple[bytes, bytes]:
        import select
        import time

        end = None if seconds is None else time.monotonic() + seconds

        out: list[bytes] = []
        err: list[bytes] = []
        said = {self.stdout.fileno(): out}
        if self._err is not None:
            said[self._err] = err
        poll, left = select.poll(), memoryview(data)
        for descriptor in said:
            poll.register(descriptor, select.POLLIN)
        if self.stdin is not None:
            poll.register(self.stdin.fileno(), select.POLLOUT)
        waiting = len(said) + (self.stdin is not None)
        more: bytes | memoryview
        while waiting:
            left_over = None if end is None else max(0, end - time.monotonic()) * 1000
            ready = poll.poll(left_over)
            if not ready:
                raise TimeoutError
            for descriptor, _ in ready:
                if descriptor in said:
                    more = os.read(descriptor, BUFFER)
                    said[descriptor].append(more)
                else:
                    more = left = self._send(descriptor, left)
                if not more:
                    poll.unregister(descriptor)
                    waiting -= 1
                    if descriptor not in said and self.stdin is not None:
                        self.stdin.close()
        return b''.join(out), b''.join(err)

    @staticmethod
    def _send(descriptor: int, left: memoryview) -> memoryview:
        try:
            return left[os.write(descriptor, left[:AT_ONCE]) :] if left else left
        except BrokenPipeError:
            # it needs no more
            return left[:0]


class Pipes:
    """The ends of pipes: the child's are closed here, ours if it does not start."""

    __slots__ = ('_theirs', 'actions', 'ours')

    def __init__(self) -> None:
        self.actions: list[tuple[int, int, int]] = []
        self.ours: list[int] = []
        self._theirs: list[int] = []

    def __enter__(self) -> Pipes:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (*self._theirs, *self.ours):
            os.close(descriptor)

    def _give(self, descriptor: int, number: int) -> None:
        while descriptor <= 2:
            # it would be in the way of another
            self._theirs.append(descriptor)
            descriptor = os.dup(descriptor)
        self._theirs.append(descriptor)
        self.actions.append((os.POSIX_SPAWN_DUP2, descriptor, number))

    def end(self, number: int, how: int) -> int | None:
        """Our end of what the child has as that number, None for DEVNULL."""
        if how == DEVNULL:
            self._give(os.open(os.devnull, os.O_RDWR), number)
            return None
        reads, writes = os.pipe()
        theirs, ours = (writes, reads) if number else (reads, writes)
        self.ours.append(ours)
        self._give(theirs, number)
        return ours


def _no_entry(directory: str) -> OSError:
    number = errno.ENOENT
    if os.path.exists(directory):
        number = errno.EACCES if os.path.isdir(directory) else errno.ENOTDIR
    return OSError(number, os.strerror(number), directory)


def _spawn(
    words: tuple[str, ...],
    environ: Mapping[str, str],
    actions: Sequence[tuple[int, int, int]],
    leads: bool,
) -> int:
    """Of the first program of that name on the PATH that can be run."""
    from _signal import SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]

    error = errno.ENOENT
    for folder in environ.get('PATH', os.defpath).split(os.pathsep):
        path = os.path.join(folder, words[0])
        if not os.path.lexists(path):
            continue
        try:
            return os.posix_spawn(
                path,
                words,
                environ,
                file_actions=actions,
                setsid=leads,
                # Python ignores them, and children would too
                setsigdef=(SIGPIPE, SIGXFSZ),
            )
        except OSError as e:
            if e.errno not in ABSENT and error == errno.ENOENT:
                error = e.errno or error
    raise OSError(error, os.strerror(error), words[0])
