"""How long a server may take to judge a push."""

from __future__ import annotations

import signal
import time
from types import FrameType

from interlock.git.parse import Commit
from interlock.model.errors import Refusal
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Callable, Iterator
from interlock.model.report import plural


class Budget:
    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + (seconds or 0)
        self._where = ''

    def _refuse(self) -> None:
        raise Refusal(
            f'the budget of {self.seconds:g} seconds ran out {self._where}',
            'push fewer commits at a time',
        )

    @contextmanager
    def spent_on(self, ref: str, count: int) -> Iterator[Callable[[int, Commit], None]]:
        """Refuses when time runs out; is to be told of each commit."""
        whole = f'{plural(count, "commit")} of {ref}'
        self._where = f'before the first of {whole}'

        def expect(number: int, commit: Commit) -> None:
            self._where = f'at {commit.oid[:10]}, {number + 1} of {whole}'
            if self.seconds is not None and time.monotonic() > self._until:
                self._refuse()

        with self._alarm():
            yield expect

    @contextmanager
    def _alarm(self) -> Iterator[None]:
        """One commit alone may take for ever, too (where there are alarms)."""
        if self.seconds is None or not hasattr(signal, 'setitimer'):
            yield
            return

        def ring(number: int, frame: FrameType | None) -> None:
            self._refuse()

        left = max(self._until - time.monotonic(), 0.001)
        old = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, left)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
