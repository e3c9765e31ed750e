"""What follows from a kind, and what a tree or a change says under it, worked
out once."""

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


def of_snapshot(
    make: Callable[Concatenate[S, Kind, P], T],
) -> Callable[Concatenate[S, Kind, P], T]:
    """The same for what a tree says under a kind, and is asked again and again."""

    def remembered(snapshot: S, kind: Kind, *about: Any) -> T:
        # the kind itself is kept: a tree may be judged by two workflows
        key, known = (make, id(kind), *about), snapshot.known
        if key not in known:
            known[key] = kind, make(snapshot, kind, *about)  # type: ignore[call-arg]
        found: T = known[key][1]
        return found

    return remembered  # type: ignore[return-value]


def of_change(
    make: Callable[Concatenate[Change, Kind, P], T],
) -> Callable[Concatenate[Change, Kind, P], T]:
    """The same for a change; the tree after it may be that of several changes."""

    def remembered(change: Change, kind: Kind, *about: Any) -> T:
        key = (make, id(kind), id(change.before), change.everything, *about)
        known = change.after.known
        if key not in known:
            known[key] = kind, make(change, kind, *about)  # type: ignore[call-arg]
        found: T = known[key][1]
        return found

    return remembered  # type: ignore[return-value]
