"""What follows from a kind, worked out once."""

from __future__ import annotations

from interlock.model.quick_typing import Callable, TypeVar
from interlock.workflow.language.spec import Kind

T = TypeVar('T')
K = TypeVar('K')

# of a long history whose workflow changes again and again
MOST_KINDS = 32
# for each of them: a history speaks of the same few things all the time
MOST_TEXTS = 4096


def remember(make: Callable[[K], T]) -> Callable[[K], T]:
    """Caches by identity: kinds and workflows hold mappings and cannot be
    hashed."""
    # the key itself is kept, so that no other object can have its id
    known: dict[int, tuple[K, T]] = {}

    def remembered(key: K) -> T:
        held = known.get(id(key))
        if held is None:
            if len(known) >= MOST_KINDS:
                known.clear()
            held = known[id(key)] = (key, make(key))
        return held[1]

    return remembered


def of_kind(make: Callable[[Kind], T]) -> Callable[[Kind], T]:
    return remember(make)


def by_kind(make: Callable[[str, Kind], T]) -> Callable[[str, Kind], T]:
    """The same for what a text means to a kind."""

    @of_kind
    def of_texts(kind: Kind) -> dict[str, T]:
        return {}

    def remembered(text: str, kind: Kind) -> T:
        known = of_texts(kind)
        if text not in known:
            if len(known) >= MOST_TEXTS:
                known.clear()
            known[text] = make(text, kind)
        return known[text]

    return remembered
