"""How much of one file is in another, as git's rename detection counts it."""

from __future__ import annotations

from collections import Counter

# a line is counted in pieces of at most this many bytes
PIECE = 64
# a file at least this similar to one that is gone was renamed
RENAMED = 0.5


def _pieces(data: bytes) -> Counter[bytes]:
    found: Counter[bytes] = Counter()
    for line in data.replace(b'\r\n', b'\n').splitlines(keepends=True):
        for start in range(0, len(line), PIECE):
            found[line[start : start + PIECE]] += 1
    return found


def similarity(one: bytes, two: bytes) -> float:
    """The share of the larger file that both have, from 0 to 1."""
    if one == two:
        # an empty file tells nothing about where it came from
        return 1.0 if one else 0.0
    larger, smaller = max(len(one), len(two)), min(len(one), len(two))
    if smaller < larger * RENAMED:
        # they cannot be similar enough, so nothing is counted
        return smaller / larger * RENAMED
    common = _pieces(one) & _pieces(two)
    return sum(len(piece) * n for piece, n in common.items()) / larger
