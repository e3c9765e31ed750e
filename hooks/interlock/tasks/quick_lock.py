"""Whose the main worktree is, asked of every write there.

It reads the local file of the lock with the watch index of the workflow, and
imports next to nothing. `no` only means that the question is asked again, of
the `LockStore`.
"""

from __future__ import annotations

import os

from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def holds_main(tasks: str, watch: Any, session: str) -> bool:
    """Whether the lock of the main worktree is whole and the session's."""
    try:
        with open(os.path.join(tasks, watch['main_lock']), 'rb') as f:
            data = loads(f.read().decode())
    except (OSError, ValueError):
        return False
    holder = data.get(watch['session_key']) if isinstance(data, dict) else ''
    return bool(session) and holder == session
