"""A record of a lock as a commit: one line for people, one of JSON; and the mark
that says which engine keeps the locks.

`problem` says which record may follow which; it is what a server lets in.
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
)

VERSION = 1
MARK = 'locks are kept by {}, epoch {}\n'
# whose process a holder is, whatever its session is called
PROCESS = ('machine', 'pid', 'started')


class NewerRecord(Exception):
    """A record of a later version of Interlock."""


class GitRecord(NamedTuple):
    event: str
    name: str
    generation: int
    # '' where the lock is free after it
    session: str
    holder: Mapping[str, Any]
    token: str
    # the token of the acquire that the holder has it by
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
            # of an end, whose it was
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
            raise NewerRecord(str(version))
        record = GitRecord(**data)
        # what cannot be written cannot be the next record's holder
        record.message().encode(errors='surrogateescape')
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable('is not a record of a lock') from None
    types = (str, str, int, str, dict, str, str, str, str, str, dict, str)
    is_number = type(record.generation) is int and record.generation >= 0
    if not all(map(isinstance, record, types)) or not is_number:
        raise Unreadable('is not a record of a lock')
    elif record.event not in EVENTS:
        raise Unreadable('says what no record of a lock says')
    elif record.event != WITHDRAWN and bool(record.session) == (record.event in ENDING):
        raise Unreadable('says that a lock is free and held at once')
    return record


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
