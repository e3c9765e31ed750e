"""Shows the progress of a long command on a terminal."""

from __future__ import annotations

import sys
import time

from interlock.model.quick_typing import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar('T')
# in seconds: how long a command stays silent, and the time between two updates
PATIENCE = 2.0
PACE = 0.1
WIDTH = 30


def bar(done: int, number: int, label: str, seconds: float) -> str:
    full = WIDTH * done // max(number, 1)
    rate = f'{done / seconds:,.0f}/s' if seconds > 0 else ''
    return f'{label} [{"#" * full}{"-" * (WIDTH - full)}] {done}/{number} {rate}'


def progress(each: Sequence[T], label: str) -> Iterator[T]:
    if not sys.stderr.isatty():
        yield from each
        return
    start = time.monotonic()
    shown, due = '', start + PATIENCE
    for done, one in enumerate(each):
        now = time.monotonic()
        if now >= due:
            # padded, so that a shorter line overwrites the longer one before it
            shown = bar(done, len(each), label, now - start).ljust(len(shown))
            sys.stderr.write(f'\r{shown}')
            sys.stderr.flush()
            due = now + PACE
        yield one
    if shown:
        sys.stderr.write(f'\r{" " * len(shown)}\r')
        sys.stderr.flush()
