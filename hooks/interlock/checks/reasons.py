"""The reasons that commits give for what they may not do without one."""

from __future__ import annotations

from interlock.checks.compare import moved_items
from interlock.documents.message import prose
from interlock.documents.trailers import reason, says_something
from interlock.model.change import Change, Message
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import transitions
from interlock.workflow.reading.item_pairs import Pair

Step = tuple[State | None, State]


def has_reason(message: Message, trailer: str, kind: Kind) -> bool:
    """Whether a message says why: by a trailer, or in words of its own."""
    if reason(message, trailer):
        return True
    # what a command of ours writes into every message
    spec = kind.commit
    own = (*spec.body, *spec.footers, *spec.agent_footers)
    return any(
        says_something(line) and line not in own for line in prose(message).split('\n')
    )


def behind(change: Change, kind: Kind, *items: str) -> Iterator[tuple[Change, Pair]]:
    """What the commits behind a change did to an item, oldest first.

    `items` are the names that it has before and after the change; those
    that it had meanwhile are found by its renames.
    """
    found = [
        (part, pair, {pair[0].item, pair[1].item})
        for part in change.behind()
        for pair in moved_items(part, kind)
    ]
    names, known = set(items), 0
    while len(names) > known:
        known = len(names)
        for _, _, both in found:
            if both & names:
                names |= both
    for part, pair, both in found:
        if both & names:
            yield part, pair


def _explained(message: Message | None, step: Step, kind: Kind) -> bool:
    old, new = step
    if message is None or old == new:
        return False
    needed = transitions.step(old, new, kind).reason
    return bool(needed) and has_reason(message, needed, kind)


def explained_steps(change: Change, kind: Kind, *items: str) -> list[Step]:
    """The steps of an item that need a reason, and were made with one."""
    found: list[Step] = []
    for part, (before, after) in behind(change, kind, *items):
        for old, new in (
            (before.state, after.state),
            (before.handoff_state, after.handoff_state),
        ):
            if new is not None and _explained(part.message, (old, new), kind):
                found.append((old, new))
    return found


def is_excused(change: Change, trailer: str) -> bool:
    """By a reason in the message, or because that is still to come."""
    if not trailer:
        return False
    elif change.message is None:
        return change.message_follows()
    return bool(reason(change.message, trailer))
