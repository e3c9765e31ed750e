"""Is a concurrent history linearizable? Wing and Gong's search, Lowe's cache.

A history is linearizable if each operation can be given one instant between
its call and its return such that the operations, in the order of their
instants, are a legal run of the sequential model. An operation with an unknown
outcome may have happened at any time after its call, or never.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, Protocol

FOREVER = float('inf')


class Operation(NamedTuple):
    client: int
    called: float
    # FOREVER where the outcome is unknown
    returned: float
    # 'acquire', 'change', 'release', 'force' or 'show'; 'spent': an acquire that
    # never was, and may have used up a generation
    kind: str
    session: str
    # the generation that was asked about
    generation: int = 0
    ok: bool = False
    # what the answer said: who holds the lock, and its generation
    holder: str = ''
    seen: int = 0

    @property
    def is_known(self) -> bool:
        return self.returned != FOREVER


class Model(Protocol):
    def start(self) -> Hashable:
        """The state before the first operation."""

    def steps(self, state: Hashable, operation: Operation) -> Sequence[Hashable]:
        """The states that may follow; none: the operation cannot have been
        answered like this in that state."""


class _Entry:
    """A call or a return, in a list from which pairs are taken and put back."""

    __slots__ = ('after', 'before', 'match', 'number')

    def __init__(self, number: int) -> None:
        self.number = number
        self.match: _Entry | None = None
        self.before: _Entry | None = None
        self.after: _Entry | None = None


def _linked(history: Sequence[Operation]) -> _Entry:
    """The calls and returns by time, behind a head that is neither."""
    events: list[tuple[float, int, _Entry]] = []
    for number, operation in enumerate(history):
        call = _Entry(number)
        events.append((operation.called, 0, call))
        call.match = _Entry(number)
        events.append((operation.returned, 1, call.match))
    head = last = _Entry(-1)
    for _, _, entry in sorted(events, key=lambda event: event[:2]):
        last.after, entry.before, last = entry, last, entry
    return head


def _lift(call: _Entry) -> None:
    for entry in (call, call.match):
        assert entry and entry.before
        entry.before.after = entry.after
        if entry.after:
            entry.after.before = entry.before


def _unlift(call: _Entry) -> None:
    for entry in (call.match, call):
        assert entry and entry.before
        entry.before.after = entry
        if entry.after:
            entry.after.before = entry


def is_linearizable(history: Sequence[Operation], model: Model) -> bool:
    head, state = _linked(history), model.start()
    known = sum(1 << n for n, operation in enumerate(history) if operation.is_known)
    done, seen = 0, {(0, state)}
    taken: list[tuple[_Entry, Hashable]] = []
    entry = head.after
    while done & known != known:
        assert entry is not None, 'a known operation is still in the list'
        if entry.match is not None:
            marked = done | 1 << entry.number
            states = model.steps(state, history[entry.number])
            after = next((each for each in states if (marked, each) not in seen), None)
            if after is not None:
                seen.add((marked, after))
                taken.append((entry, state))
                done, state = marked, after
                _lift(entry)
                entry = head.after
            else:
                entry = entry.after
        elif not taken:
            return False
        else:
            # an operation returned before anything that is left could happen
            entry, state = taken.pop()
            done &= ~(1 << entry.number)
            # where it can end in another state too, that is tried next
            _unlift(entry)
    return True


class LockModel:
    """A lock, as every engine has to keep it: (holder, generation)."""

    def start(self) -> Hashable:
        return ('', 0)

    def steps(self, state: Hashable, operation: Operation) -> Sequence[Hashable]:
        assert isinstance(state, tuple)
        holder, generation = state
        if operation.kind == 'spent':
            return [state] if holder else [state, ('', generation + 1)]
        after = self._after(holder, generation, operation)
        return [] if after is None else [after]

    def _after(
        self, holder: str, generation: int, operation: Operation
    ) -> tuple[str, int] | None:
        state = (holder, generation)
        after = self._effect(holder, generation, operation)
        if not operation.is_known:
            return after
        if operation.kind == 'show':
            agrees = operation.holder == holder and (
                operation.seen == generation or not holder
            )
            return state if agrees else None
        if operation.ok != (after is not None):
            return None
        if after is None:
            return state if operation.holder in ('', holder) else None
        return after if operation.seen in (0, after[1]) else None

    def _effect(
        self, holder: str, generation: int, operation: Operation
    ) -> tuple[str, int] | None:
        """What the operation makes of the lock; None: it is refused."""
        held = (holder, generation) == (operation.session, operation.generation)
        if operation.kind == 'acquire':
            return None if holder else (operation.session, generation + 1)
        elif operation.kind == 'change':
            return (holder, generation) if held else None
        elif operation.kind == 'release':
            return ('', generation) if held else None
        elif operation.kind == 'force':
            named = holder and generation == operation.generation
            return ('', generation) if named else None
        return (holder, generation)
