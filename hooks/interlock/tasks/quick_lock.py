"""Whether the session holds the main worktree, asked at every write there.

It reads the local file of the lock with the watch index of the workflow, and
imports next to nothing. After a `no` the `LockStore` is asked again.
"""

from __future__ import annotations

import os

from interlock.model.quick_json import Strict, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# more bytes than a lock has: a truncated file is not JSON
MOST = 64 * 1024
# a lock with more brackets may be nested too deeply, and is read in full
MOST_BRACKETS = 100
# follow no link, and do not wait for the writer of a pipe
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def holds_main(tasks: str, watch: Any, session: str) -> bool:
    """Whether the lock of the main worktree is readable and the session's."""
    try:
        descriptor = os.open(os.path.join(tasks, watch['main_lock']), FLAGS)
        try:
            text = os.read(descriptor, MOST).decode()
        finally:
            os.close(descriptor)
        data = loads(text, Strict)
    except (OSError, ValueError):
        return False
    if text.count('{') + text.count('[') > MOST_BRACKETS:
        return False
    holder = data.get(watch['session_key']) if isinstance(data, dict) else ''
    return bool(session) and holder == session
