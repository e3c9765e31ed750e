"""Says how far a long command has come, to whoever sits at a terminal."""

from __future__ import annotations

import sys
import time

from interlock.model.quick_typing import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar('T')
# what takes less says nothing, and more often than this nobody reads it
PATIENCE = 2.0
PACE = 0.1
WIDTH = 30


def bar(done: int, number: int, label: str) -> str:
    full = WIDTH * done // max(number, 1)
    return f'{label} [{"#" * full}{"-" * (WIDTH - full)}] {done}/{number}'


def progress(each: Sequence[T], label: str) -> Iterator[T]:
    if not sys.stderr.isatty():
        yield from each
        return
    shown, due = '', time.monotonic() + PATIENCE
    for done, one in enumerate(each):
        if time.monotonic() >= due:
            shown = bar(done, len(each), label)
            sys.stderr.write(f'\r{shown}')
            sys.stderr.flush()
            due = time.monotonic() + PACE
        yield one
    if shown:
        sys.stderr.write(f'\r{" " * len(shown)}\r')
        sys.stderr.flush()
