"""What a hook leaves behind: its last answer per event, and its failures.

Never in the way: a log that cannot be written changes no answer.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

FOLDER = 'claude'
FAILURES = 'failures.log'
# bytes after which the failures are begun anew
MAX_LOG = 1024 * 1024


def folder(state: str) -> str:
    return os.path.join(state, 'interlock', FOLDER)


def answered(scene: Scene, kind: str) -> None:
    """That this event was answered, and when; `doctor` asks for it."""
    if not scene.state:
        return
    where = folder(scene.state)
    line = f'{int(time.time())} {kind or "nothing"}\n'
    try:
        _put(os.path.join(where, scene.event.name), line)
    except FileNotFoundError:
        try:
            os.makedirs(where, exist_ok=True)
            _put(os.path.join(where, scene.event.name), line)
        except OSError:
            return
    except OSError:
        return


def _put(path: str, line: str) -> None:
    with open(path, 'w', encoding='UTF-8') as f:
        f.write(line)


def failed(state: str, event: str, why: str) -> None:
    if not state:
        return
    path = os.path.join(folder(state), FAILURES)
    moment = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        too_large = os.path.exists(path) and os.path.getsize(path) > MAX_LOG
        with open(path, 'w' if too_large else 'a', encoding='UTF-8') as f:
            f.write(f'{moment} {event} {why}\n')
    except OSError:
        return
