"""A lock record as a commit: one line for people, one of JSON; and the mark that says
which engine keeps the locks.

`problem` says which record may follow which; a server accepts only those.
"""

from __future__ import annotations

import json

from interlock.model import quick_json
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    ENDING,
    EVENTS,
    FORCED,
    MOVED,
    PUSHED,
    RELEASED,
    WITHDRAWN,
    LogEntry,
    Marker,
    Refused,
)

VERSION = 1
MARK = 'locks are kept by {}, epoch {}\n'
# the process of a holder, whatever its session is called
PROCESS = ('machine', 'pid', 'started')


class NewerRecord(Refused):
    """A record of a later version of Interlock."""

    def __init__(self, version: object) -> None:
        self.version = version
        super().__init__(
            f'its record is of version {version}, which this Interlock does not '
            f'know: update Interlock'
        )


class GitRecord(NamedTuple):
    event: str
    name: str
    generation: int
    # '' where the lock is free after it
    session: str
    holder: Mapping[str, Any]
    token: str
    # the token of the acquire that gave the lock to its holder
    grant: str
    time: str
    person: str = ''
    reason: str = ''
    # of a fenced push: ref -> commit
    refs: Mapping[str, str] = {}
    # another word for the event, for people
    word: str = ''

    def message(self) -> str:
        line = json.dumps({'v': VERSION, **self._asdict()}, ensure_ascii=False)
        return f'{self.event} {self.name}, generation {self.generation}\n\n{line}\n'

    def entry(self, version: str) -> LogEntry:
        return LogEntry(
            self.event,
            self.generation,
            # when the lock ended: its last session
            self.session or str(self.holder.get('session', '')),
            self.token,
            self.time,
            self.person,
            self.reason,
            version,
            '',
            self.refs,
        )


def mark_message(marker: Marker) -> str:
    return MARK.format(*marker)


def parse_mark(message: str) -> Marker:
    words = message.split()
    try:
        found = Marker(words[4].rstrip(','), int(words[6]))
    except (IndexError, ValueError):
        raise Unreadable('does not say which engine keeps the locks') from None
    return found


def parse(message: str) -> GitRecord:
    try:
        data = quick_json.loads(message.partition('\n\n')[2], quick_json.Strict)
        version = data.pop('v')
        if version != VERSION:
            raise NewerRecord(version)
        record = GitRecord(**data)
        # the next record takes over the holder, so it must be possible to write it
        record.message().encode(errors='surrogateescape')
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable('is not a record of a lock') from None
    types = (str, str, int, str, dict, str, str, str, str, str, dict, str)
    is_number = type(record.generation) is int and record.generation >= 0
    if not all(map(isinstance, record, types)) or not is_number:
        raise Unreadable('is not a record of a lock')
    elif record.event not in EVENTS:
        raise Unreadable('names an event that no lock record has')
    elif record.event != WITHDRAWN and bool(record.session) == (record.event in ENDING):
        raise Unreadable('says that the lock is both free and held')
    return record


def _is_same_process(before: GitRecord, after: GitRecord) -> bool:
    known = [before.holder.get(key) for key in PROCESS]
    return all(known) and known == [after.holder.get(key) for key in PROCESS]


def _acquired(before: GitRecord | None, after: GitRecord) -> str:
    if before is not None and before.session:
        return f'it takes over the lock of session {before.session}'
    elif before is not None and after.generation <= before.generation:
        return f'its generation goes back from {before.generation}'
    elif after.generation < 1:
        return 'it has no generation'
    return '' if after.grant == after.token else 'its grant is not its own token'


def _moved(before: GitRecord | None, after: GitRecord) -> str:
    """Why a move may not follow; the other engine may have counted on."""
    if not after.person:
        return 'it does not name the person who moved the lock'
    elif before is not None and before.session:
        return 'somebody holds the lock'
    elif before is not None and after.generation < before.generation:
        return f'its generation goes back from {before.generation}'
    return ''


def _kept(before: GitRecord, after: GitRecord) -> str:
    """Why a record does not keep its holder, '' if it does."""
    if not before.session:
        return 'nobody holds the lock'
    elif after.session != before.session and not _is_same_process(before, after):
        return f'it takes over the lock of session {before.session}'
    return '' if after.grant == before.grant else 'its grant has changed'


def _ended(before: GitRecord, after: GitRecord) -> str:
    if not before.session:
        return 'nobody holds the lock'
    elif after.event == FORCED:
        return '' if after.person else 'it does not name the person who ended the lock'
    is_own = after.holder.get('session') == before.session
    return '' if is_own else f'session {before.session} holds the lock'


def _unchanged(before: GitRecord, after: GitRecord) -> str:
    facts = ('session', 'grant', 'holder')
    is_same = all(getattr(before, key) == getattr(after, key) for key in facts)
    return '' if is_same else 'it withdraws a request, but changes the holder'


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
