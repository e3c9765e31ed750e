"""What is given to us: a file by its name, or standard input."""

from __future__ import annotations

import sys

from interlock.model.errors import Refusal

STDIN = '-'


def read_input(name: str, limit: int, what: str) -> bytes:
    """At most one byte more than the limit, so that it can be told."""
    try:
        if name == STDIN:
            return sys.stdin.buffer.read(limit + 1)
        with open(name, 'rb') as f:
            return f.read(limit + 1)
    except OSError as e:
        where = 'standard input' if name == STDIN else name
        raise Refusal(f'{what} cannot be read from {where}: {e.strerror}') from None
