"""Texts of unknown origin, and lists of them, within a length."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.documents.text import one_line
from interlock.guard.reply import cut

# how many are named, and how long a name may be
MOST = 10
WIDTH = 60


def clean(text: str, width: int = WIDTH) -> str:
    """On one line, without what a terminal or a reader would obey."""
    return cut(' '.join(one_line(text).split()), width)


def listed(
    names: Sequence[str], limit: int, count: int = 0, between: str = ', '
) -> str:
    """The first of `count` names, as many as there is room for."""
    text, shown = '', 0
    for name in names[:MOST]:
        longer = f'{text}{between}{name}' if text else name
        if len(longer) > limit and text:
            break
        text, shown = longer, shown + 1
    more = max(count, len(names)) - shown
    return f'{text} and {more} more' if more > 0 else text
