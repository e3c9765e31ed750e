"""A record of a lock as a commit: one line for people, one of JSON."""

from __future__ import annotations

import json

from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.tasks.engines.engine import ENDING, EVENTS, WITHDRAWN, LogEntry

VERSION = 1


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


def parse(message: str) -> GitRecord:
    try:
        data = json.loads(message.partition('\n\n')[2])
        version = data.pop('v')
        if version != VERSION:
            raise NewerRecord(str(version))
        record = GitRecord(**data)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable('is not a record of a lock') from None
    types = (str, str, int, str, dict, str, str, str, str, str, dict, str)
    if not all(map(isinstance, record, types)) or record.generation < 0:
        raise Unreadable('is not a record of a lock')
    elif record.event not in EVENTS:
        raise Unreadable('says what no record of a lock says')
    elif record.event != WITHDRAWN and bool(record.session) == (record.event in ENDING):
        raise Unreadable('says that a lock is free and held at once')
    return record
