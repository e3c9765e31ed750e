"""SessionEnd: others are told that whoever holds a lock has gone.

A lock is never released here: the session may be resumed.
"""

from __future__ import annotations

import os
import time

from interlock.guard.hook_log import folder
from interlock.guard.reply import SILENCE, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

# seconds after which nobody resumes a session
LONG = 60 * 24 * 60 * 60


def _tidy(state: str) -> None:
    """What was kept of sessions long ago, each in files of its own."""
    top = folder(state)
    for base, _, names in os.walk(top):
        for name in names if base != top else ():
            path = os.path.join(base, name)
            try:
                if time.time() - os.stat(path).st_mtime > LONG:
                    os.unlink(path)
            except OSError:
                # another session is at it
                continue


def handle(scene: Scene) -> Answer:
    if scene.state:
        _tidy(scene.state)
    session = scene.event.session
    if not session or scene.event.agent_id or not scene.has_tasks:
        return SILENCE
    from interlock.tasks import task_notes
    from interlock.tasks.lock_store import locks_of

    for name, _ in locks_of(scene.space).list(session=session):
        task_notes.note_end(scene.space, name, session)
    return SILENCE
