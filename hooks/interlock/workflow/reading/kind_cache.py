"""Caches for values derived from a kind, and for what a tree or a change says
about it."""

from __future__ import annotations

from interlock.model.change import Change, Snapshot
from interlock.model.quick_typing import Any, Callable, TypeVar
from interlock.workflow.language.spec import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec

    P = ParamSpec('P')

T = TypeVar('T')
K = TypeVar('K')
S = TypeVar('S', bound=Snapshot)

# the limit for a long history that changes its workflow often
MOST_KINDS = 32
# a history contains the same few texts many times
MOST_TEXTS = 4096


def remember(make: Callable[[K], T]) -> Callable[[K], T]:
    """Cache by identity: kinds and workflows contain mappings and cannot be hashed."""
    # keeps the key alive, so that no other object can get its id
    known: dict[int, tuple[K, T]] = {}

    def remembered(key: K) -> T:
        held = known.get(id(key))
        if held is None:
            if len(known) >= MOST_KINDS:
                known.clear()
            held = known[id(key)] = (key, make(key))
        return held[1]

    return remembered


def by_kind(make: Callable[[str, Kind], T]) -> Callable[[str, Kind], T]:
    """Like `remember`, for the meaning of a text under a kind."""
    known: dict[tuple[int, str], tuple[Kind, T]] = {}

    def remembered(text: str, kind: Kind) -> T:
        held = known.get((id(kind), text))
        if held is None:
            if len(known) >= MOST_TEXTS:
                known.clear()
            held = known[id(kind), text] = (kind, make(text, kind))
        return held[1]

    return remembered


def of_snapshot(
    make: Callable[Concatenate[S, Kind, P], T],
) -> Callable[Concatenate[S, Kind, P], T]:
    """Like `remember`, for values that are read from a tree many times."""

    def remembered(snapshot: S, kind: Kind, *about: Any) -> T:
        # keeps the kind alive: a tree may be judged by two workflows
        key = (make, id(kind), *about)
        held = snapshot.known.get(key)
        if held is None:
            held = kind, make(snapshot, kind, *about)  # type: ignore[call-arg]
            snapshot.known[key] = held
        found: T = held[1]
        return found

    return remembered  # type: ignore[return-value]


def of_change(
    make: Callable[Concatenate[Change, Kind, P], T],
) -> Callable[Concatenate[Change, Kind, P], T]:
    """Like `of_snapshot`, for a change; several changes may share the tree
    after them."""

    def remembered(change: Change, kind: Kind, *about: Any) -> T:
        key = (make, id(kind), id(change.before), change.everything, *about)
        held = change.after.known.get(key)
        if held is None:
            held = kind, make(change, kind, *about)  # type: ignore[call-arg]
            change.after.known[key] = held
        found: T = held[1]
        return found

    return remembered  # type: ignore[return-value]
