"""Work that is divided among processes, where a machine has several cores."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable
from types import TracebackType
from typing import Generic, NoReturn, TypeVar

T = TypeVar('T')

# less is not worth a process
LEAST = 100
# a server has others to serve
MOST_PROCESSES = 4

NOBODY = -1


def _cores() -> int:
    if not hasattr(os, 'fork'):  # pragma: no cover (Windows)
        return 1
    elif hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover (macOS)


def shares(count: int) -> list[range]:
    """As many in a row for each process; one share where that is best."""
    number = max(1, min(_cores(), MOST_PROCESSES, count // LEAST))
    ends = [count * each // number for each in range(number + 1)]
    return [range(ends[at], ends[at + 1]) for at in range(number)]


class Aside(Generic[T]):
    """What a copy of this process does while this one goes on.

    It is ended with the context, finished or not. Nothing that is open may
    be used by both.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._read, write = os.pipe()
        # what both have is not copied only because one looks for rings in it
        gc.freeze()
        try:
            self._child = os.fork()
        except OSError:
            # no more processes: as if it had failed
            self._child = NOBODY
        if not self._child:
            _do(work, write)
        os.close(write)

    def result(self) -> T | None:
        """None if it failed, whatever the reason: then do the work here."""
        with open(self._read, 'rb', closefd=False) as file:
            data = file.read()
        if self._end() or not data:
            return None
        import pickle

        # by a copy of ourselves, through a pipe that nobody else has
        found: T = pickle.loads(data)  # noqa: S301
        return found

    def _end(self) -> int:
        """How it ended: 0 only if all of its work is done."""
        if self._child == NOBODY:
            return 1
        child, self._child = self._child, NOBODY
        return os.waitpid(child, 0)[1]

    def __enter__(self) -> Aside[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._read)
        if self._child != NOBODY:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._end()


def _do(work: Callable[[], object], write: int) -> NoReturn:
    """Ends without what the other process has still to do at its end."""
    try:
        import pickle

        data = pickle.dumps(work())
        with open(write, 'wb') as file:
            file.write(data)
        os._exit(0)
    finally:
        os._exit(1)
