"""Texts of unknown origin, and lists of them, within a length."""
from __future__ import annotations

from collections.abc import Sequence

from interlock.claude.answer import cut
from interlock.documents.text import one_line

# how many are named, and how long a name may be
MOST = 10
WIDTH = 60


def clean(text: str, width: int = WIDTH) -> str:
    """On one line, without what a terminal or a reader would obey."""
    return cut(' '.join(one_line(text).split()), width)


def listed(names: Sequence[str], most: int = MOST, between: str = ', ') -> str:
    more = len(names) - most
    tail = f' and {more} more' if more > 0 else ''
    return between.join(names[:most]) + tail

