"""Has a lock of a shared engine confirmed, beside the call that is judged.

A guard never asks a network: it starts a command that does, and goes on.
"""

from __future__ import annotations

import os
import sys
import time

from interlock.tasks.engines.register import folder
from interlock.tasks.lock_store import locks_of
from interlock.tasks.task_layout import Workspace

# seconds between two questions while nobody answers
PAUSE = 60.0
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = """\
import sys
sys.path.insert(0, sys.argv.pop())
from interlock.commands.main import main
main()
"""


def _was_just_asked(path: str) -> bool:
    try:
        return abs(time.time() - os.stat(path).st_mtime) < PAUSE
    except OSError:
        return False


def confirm_later(space: Workspace, name: str) -> None:
    """Ask the engine in the background, where it was not asked for too long."""
    if not locks_of(space).is_stale(name) or not hasattr(os, 'posix_spawn'):
        return
    path = os.path.join(folder(space.state), f'{name}.asked')
    if _was_just_asked(path):
        return
    try:
        with open(path, 'wb'):
            pass
        silence = os.open(os.devnull, os.O_RDWR)
        words = ('lock', 'confirm', name, '-q', os.path.dirname(PACKAGE))
        os.posix_spawn(
            sys.executable,
            (sys.executable, '-c', CODE, *words),
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, silence, fd) for fd in (0, 1, 2)],
            setsid=True,
        )
        os.close(silence)
    except OSError:
        # the next hook tries again; what leaves the machine is asked about anyway
        return
