"""Whose the main worktree is, asked of every write there.

It reads the local file of the lock with the watch index of the workflow, and
imports next to nothing. `no` only means that the question is asked again, of
the `LockStore`.
"""

from __future__ import annotations

import os

from interlock.model.quick_json import Settings, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# more than a lock says; what is cut is no JSON
MOST = 64 * 1024
# not what a link leads to, and without waiting for who writes to a pipe
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError('has a key twice')
    return found


def _no_number(text: str) -> float:
    raise ValueError(f'{text} is not a number')


class Strict(Settings):
    """As locks are read in full."""

    strict = True
    object_pairs_hook = staticmethod(_once)
    parse_constant = staticmethod(_no_number)


def holds_main(tasks: str, watch: Any, session: str) -> bool:
    """Whether the lock of the main worktree is whole and the session's."""
    try:
        descriptor = os.open(os.path.join(tasks, watch['main_lock']), FLAGS)
        try:
            data = loads(os.read(descriptor, MOST).decode(), Strict)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return False
    holder = data.get(watch['session_key']) if isinstance(data, dict) else ''
    return bool(session) and holder == session
