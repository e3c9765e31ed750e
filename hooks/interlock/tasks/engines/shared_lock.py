"""A lock in a shared engine, for which this clone need not have a file."""

from __future__ import annotations

import json

from interlock.tasks.engines import lock_file
from interlock.tasks.engines.engine import DAMAGED, UNKNOWN_SESSION, LockRecord
from interlock.tasks.engines.lock_file import Held
from interlock.tasks.task_layout import Workspace

DOUBT = 'LCK002: its record in the lock engine cannot be read'


def sound(space: Workspace, record: LockRecord) -> LockRecord:
    """The record, marked as damaged if its lock file contradicts it: such a file cannot
    be used."""
    if record.is_free or record.event == DAMAGED:
        return record
    lock = lock_file.parse(record.data, space.protocol.lock_keys)
    is_other = any(
        said and said != known
        for said, known in (
            (lock.session, record.session),
            (lock.generation, record.generation),
        )
    )
    if lock.problem is None and not is_other:
        return record
    return record._replace(event=DAMAGED, session=UNKNOWN_SESSION)


def contents(record: LockRecord) -> bytes:
    """The content of a lock file for a record.

    Of a damaged record only the generation counts: its bytes may name a session that
    never got the lock.
    """
    if record.event != DAMAGED:
        return record.data
    return json.dumps({'generation': record.generation}).encode() + b'\n'


def held_lock(space: Workspace, record: LockRecord) -> Held:
    """Who holds a lock that is not free."""
    name, data = record.name, contents(record)
    lock = lock_file.parse(data, space.protocol.lock_keys)
    found = Held(lock_file.place(space, name), data, lock)
    if record.event != DAMAGED:
        return found
    ended = f'interlock lock release {name} --holder {record.generation}'
    return found._replace(doubt=DOUBT, way_out=f'ask the user to run: {ended}')
