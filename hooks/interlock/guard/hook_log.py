"""What a hook leaves behind: its last answer per event, and its failures.

A log that cannot be written changes no answer.
"""

from __future__ import annotations

import os
import time

from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Context
    from interlock.model.quick_typing import Callable

FAILURES = 'failures.log'
COMPACTED = 'compacted'
# characters of the longest kind of a decision
LONGEST = 7
# bytes after which the log of failures starts again
MAX_LOG = 1024 * 1024


def folder(state: str, client: str) -> str:
    return os.path.join(state, 'interlock', client)


def _put(path: str, line: str, flags: int = 0) -> None:
    """Without flags the line takes the place of one that is as long."""
    flags |= os.O_WRONLY | os.O_CREAT
    try:
        try:
            descriptor = os.open(path, flags, 0o666)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            descriptor = os.open(path, flags, 0o666)
        try:
            os.write(descriptor, line.encode(errors='replace'))
        finally:
            os.close(descriptor)
    except OSError:
        return


def answered(context: Context, kind: str) -> None:
    """When this event was answered last, and how; `doctor` reads it.

    All lines are equally long, so that each takes the place of the last one:
    some file systems write a file that was cut off to the disk at once.
    """
    if not context.state:
        return
    event = context.event
    path = os.path.join(folder(context.state, event.client), event.kind)
    _put(path, f'{int(time.time())} {kind or "nothing":{LONGEST}}\n')


def failed(state: str, client: str, event: str, why: str) -> None:
    if state:
        path = os.path.join(folder(state, client), FAILURES)
        try:
            flags = os.O_TRUNC if os.path.getsize(path) > MAX_LOG else os.O_APPEND
        except OSError:
            flags = os.O_APPEND
        moment = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
        _put(path, f'{moment} {event} {why}\n', flags)


def _compacted(context: Context) -> str:
    return os.path.join(folder(context.state, context.event.client), COMPACTED)


def compacts(context: Context) -> None:
    """Note that the conversation of a session will be gone."""
    if context.state:
        _put(_compacted(context), f'{context.event.session}\n', os.O_TRUNC)


def was_compacted(context: Context) -> bool:
    """Whether that is so, once."""
    path = _compacted(context)
    try:
        with open(path, encoding='UTF-8') as f:
            session = f.read().strip()
        if session != context.event.session:
            return False
        os.unlink(path)
    except (OSError, ValueError):
        return False
    return True


def quietly(context: Context, keep: Callable[[], None]) -> None:
    """An observer that cannot write something down still answers."""
    try:
        keep()
    except (Refusal, OSError) as e:
        failed(context.state, context.event.client, context.event.kind, str(e))
