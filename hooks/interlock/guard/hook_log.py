"""The log of a hook: its last answer to each event, and its failures.

If the log cannot be written, the answer stays the same.
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
# the length of the longest kind of decision
LONGEST = 7
# the log of failures starts again beyond this number of bytes
MAX_LOG = 1024 * 1024


def folder(state: str, client: str) -> str:
    return os.path.join(state, 'interlock', client)


def _put(path: str, line: str, flags: int = 0) -> None:
    """Write a line; without flags it overwrites a line of the same length."""
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


def record_answer(context: Context, kind: str) -> None:
    """Record when and how this event was last answered, for `doctor`.

    All lines have the same length, so that each one overwrites the last. Some
    file systems flush a truncated file to the disk at once.
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
    """Record that the client is about to compact the conversation of a session."""
    if context.state:
        _put(_compacted(context), f'{context.event.session}\n', os.O_TRUNC)


def was_compacted(context: Context) -> bool:
    """Whether the conversation was compacted; true only once."""
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
    """Call `keep`; log its failure, so that the observer still answers."""
    try:
        keep()
    except (Refusal, OSError) as e:
        failed(context.state, context.event.client, context.event.kind, str(e))
