"""Which record of a lock may follow which: what a server lets in.

Pure: two records in, what is wrong with the second out.
"""

from __future__ import annotations

from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    FORCED,
    MOVED,
    PUSHED,
    RELEASED,
    WITHDRAWN,
)
from interlock.tasks.engines.git_record import GitRecord

# whose process a holder is, whatever its session is called
PROCESS = ('machine', 'pid', 'started')


def _is_same_process(before: GitRecord, after: GitRecord) -> bool:
    known = [before.holder.get(key) for key in PROCESS]
    return all(known) and known == [after.holder.get(key) for key in PROCESS]


def _acquired(before: GitRecord | None, after: GitRecord) -> str:
    if before is not None and before.session:
        return f'it takes the lock of session {before.session} over'
    elif before is not None and after.generation <= before.generation:
        return f'its generation goes back from {before.generation}'
    elif after.generation < 1:
        return 'it has no generation'
    return '' if after.grant == after.token else 'its grant is not its own'


def _moved(before: GitRecord | None, after: GitRecord) -> str:
    """To or from another engine, which may have counted on."""
    if not after.person:
        return 'it is moved by nobody'
    elif before is not None and before.session:
        return 'somebody holds the lock'
    elif before is not None and after.generation < before.generation:
        return f'its generation goes back from {before.generation}'
    return ''


def _kept(before: GitRecord, after: GitRecord) -> str:
    """The same holder, under the same generation."""
    if not before.session:
        return 'nobody holds the lock'
    elif after.session != before.session and not _is_same_process(before, after):
        return f'it takes the lock of session {before.session} over'
    return '' if after.grant == before.grant else 'its grant is another one'


def _ended(before: GitRecord, after: GitRecord) -> str:
    if not before.session:
        return 'nobody holds the lock'
    elif after.event == FORCED:
        return '' if after.person else 'it is forced by nobody'
    is_own = after.holder.get('session') == before.session
    return '' if is_own else f'session {before.session} holds the lock'


def _unchanged(before: GitRecord, after: GitRecord) -> str:
    facts = ('session', 'grant', 'holder')
    is_same = all(getattr(before, key) == getattr(after, key) for key in facts)
    return '' if is_same else 'it withdraws a question, and changes the holder'


def problem(before: GitRecord | None, after: GitRecord) -> str:
    """Why a record may not follow another one, '' if it may.

    `before` is None for the first one.
    """
    if after.event == ACQUIRED:
        return _acquired(before, after)
    elif after.event == MOVED:
        return _moved(before, after)
    elif before is None:
        is_burnt = after.event == WITHDRAWN and not after.session
        return '' if is_burnt else 'it is the first, and takes no lock'
    elif after.generation != before.generation:
        return f'its generation is not {before.generation}'
    judges = {
        CHANGED: _kept,
        PUSHED: _kept,
        RELEASED: _ended,
        FORCED: _ended,
        WITHDRAWN: _unchanged,
    }
    return judges[after.event](before, after)
