"""Has a lock of a shared engine confirmed, beside the call that is judged.

A guard never asks a network: it starts a command that does, and goes on.
"""

from __future__ import annotations

import os
import time

from interlock.files.background import start
from interlock.tasks.engines.register import folder
from interlock.tasks.lock_store import locks_of
from interlock.tasks.task_layout import Workspace

# seconds between two questions while nobody answers
PAUSE = 60.0


def _was_just_asked(path: str) -> bool:
    try:
        return abs(time.time() - os.stat(path).st_mtime) < PAUSE
    except OSError:
        return False


def confirm_later(space: Workspace, name: str) -> None:
    """Ask the engine in the background, where it was not asked for too long."""
    if not locks_of(space).is_stale(name):
        return
    path = os.path.join(folder(space.state), f'{name}.asked')
    if _was_just_asked(path):
        return
    try:
        with open(path, 'wb'):
            pass
    except OSError:
        # what leaves the machine is asked about anyway
        return
    start(space.main, 'lock', 'confirm', name, '-q')
