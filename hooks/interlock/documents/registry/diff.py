"""The items that differ between two registries."""

from __future__ import annotations

from interlock.documents import markdown
from interlock.documents.registry.table import Registry, headings, title_of
from interlock.model.quick_typing import Iterator

# so many parts are compared by position
FEW = 20


def changed(one: Registry, two: Registry) -> set[str]:
    """The items whose row or entry differs."""
    if (
        one.problem
        or two.problem
        or one.headers != two.headers
        or one.hidden != two.hidden
        or one.has_entries != two.has_entries
    ):
        return one.places.keys() | two.places.keys()
    names = {
        name
        for line in _differing(one.table_lines, two.table_lines)
        for name in one.names_in(line)
    }
    for chunk in _differing(one.chunks, two.chunks):
        names.update(_titles_in(chunk))
    return {name for name in names if name and _differs(one, two, name)}


def _differs(one: Registry, two: Registry, name: str) -> bool:
    here, there = (
        [[piece.data for piece in pieces] for pieces in registry.place(name)]
        for registry in (one, two)
    )
    return here != there


def _titles_in(chunk: bytes) -> Iterator[str]:
    # a chunk starts after the mark of its heading
    yield title_of(chunk.partition(b'\n')[0])
    for at, _ in headings(chunk):
        yield title_of(chunk[at : markdown.line_end(chunk, at)])


def _differing(one: list[bytes], two: list[bytes]) -> set[bytes]:
    """The parts that do not occur equally often in both lists.

    If only a few differ, also the parts that merely moved.
    """
    if len(one) == len(two):
        pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
        if len(pairs) <= FEW:
            return {part for pair in pairs for part in pair}
    first, second = set(one), set(two)
    if len(first) == len(one) and len(second) == len(two):
        return first ^ second
    from collections import Counter

    counted = Counter(one)
    counted.subtract(two)
    return {part for part, number in counted.items() if number}
