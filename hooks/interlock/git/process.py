"""A git process whose output we read.

The part of `subprocess` that we need. Importing `subprocess` takes as long as
running git twice, which is too long for a hook.
"""

from __future__ import annotations

import errno
import os

from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import IO, Mapping, Sequence

PIPE, DEVNULL = -1, -3
BUFFER = 64 * 1024
# errors of a PATH entry that does not hold the program
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
        """Start `git` with these words in a directory; `stdin` is DEVNULL or PIPE.

        `leads`: start a new session. It has no terminal on which git could ask
        a person, and we can end it together with all processes that git
        started.
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
        # it was killed because it took too long
        self.is_late = False

    def wait(self) -> int:
        if self.returncode is None:
            try:
                status = os.waitpid(self.pid, 0)[1]
            except ChildProcessError:
                # our parent ignores SIGCHLD, and so do we: there is no exit code
                status = 0
            self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def output(
        self, data: bytes | None = None, seconds: float | None = None
    ) -> tuple[bytes, bytes]:
        """Send `data`, read all output and wait for the end, at most `seconds`."""
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
                    more = left = self._send(descriptor, left, select.PIPE_BUF)
                if not more:
                    poll.unregister(descriptor)
                    waiting -= 1
                    if descriptor not in said and self.stdin is not None:
                        self.stdin.close()
        return b''.join(out), b''.join(err)

    @staticmethod
    def _send(descriptor: int, left: memoryview, at_once: int) -> memoryview:
        try:
            # more than that may block
            return left[os.write(descriptor, left[:at_once]) :] if left else left
        except BrokenPipeError:
            # the process has stopped reading
            return left[:0]


class Pipes:
    """The ends of pipes. The child's ends are closed here; ours too if it
    fails to start."""

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
            # the number is needed for another standard stream
            self._theirs.append(descriptor)
            descriptor = os.dup(descriptor)
        self._theirs.append(descriptor)
        self.actions.append((os.POSIX_SPAWN_DUP2, descriptor, number))

    def end(self, number: int, how: int) -> int | None:
        """Our end of the child's descriptor `number`, None for DEVNULL."""
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
    """Start the first executable program of that name on the PATH."""
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
                # Python ignores these signals, and children would inherit that
                setsigdef=(SIGPIPE, SIGXFSZ),
            )
        except OSError as e:
            if e.errno not in ABSENT and error == errno.ENOENT:
                error = e.errno or error
    raise OSError(error, os.strerror(error), words[0])
