"""SessionEnd: tells other sessions that the holder of a lock has gone.

Locks are never released here, because the session may be resumed.
"""

from __future__ import annotations

import os
import time

from interlock.files.client_process import forget_ended
from interlock.guard.context import Context
from interlock.guard.hook_log import folder

# sessions are not resumed after this many seconds
LONG = 60 * 24 * 60 * 60


def _tidy(context: Context) -> None:
    """Remove the files of old sessions."""
    top = folder(context.state, context.event.client)
    for base, _, names in os.walk(top):
        for name in names if base != top else ():
            path = os.path.join(base, name)
            try:
                if time.time() - os.stat(path).st_mtime > LONG:
                    os.unlink(path)
            except OSError:
                # another session removes it at the same time
                continue


def handle(context: Context) -> None:
    if context.state:
        _tidy(context)
        forget_ended(context.state)
    session = context.event.session
    if not session or context.event.agent_id or not context.has_tasks:
        return
    from interlock.tasks import task_notes
    from interlock.tasks.lock_store import locks_of

    for name, _ in locks_of(context.space).list(session=session):
        task_notes.note_end(context.space, name, session)
