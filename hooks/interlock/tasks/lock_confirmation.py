"""Asks the engine whether this clone still holds a lock, where time is short.

Only the grant is written: the mirror changes under the lock of the journal,
which others may have (`lock confirm` does that).
"""

from __future__ import annotations

import datetime
import os
import time

from interlock.documents import timestamps
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import EngineError, LockRecord
from interlock.tasks.engines.register import Grant, Register, folder
from interlock.tasks.task_layout import Workspace

# seconds for an answer
AT_COMMIT = 1.0
AT_START = 2.0
AT_PUSH = 5.0
# seconds between two questions while nobody answers
PAUSE = 60.0


class Confirmation:
    """What the engine said about a lock, which the mirror may say is ours."""

    __slots__ = ('holder', 'is_lost', 'is_ours', 'since', 'why')

    def __init__(
        self,
        is_ours: bool,
        why: str = '',
        since: str = '',
        holder: str = '',
        is_lost: bool = False,
    ) -> None:
        self.is_ours = is_ours
        # the session that has it, '' if nobody has
        self.holder = holder
        # it was ours
        self.is_lost = is_lost
        # why it gave no answer, '' if it gave one
        self.why = why
        # when it last said that the lock is ours
        self.since = since


def since(grant: Grant | None) -> str:
    if grant is None or not grant.confirmed:
        return 'never'
    moment = datetime.datetime.fromtimestamp(grant.confirmed, datetime.timezone.utc)
    return timestamps.render(moment.replace(microsecond=0))


def _compared(
    register: Register, name: str, grant: Grant | None, record: LockRecord | None
) -> Confirmation:
    holder = record.session if record else ''
    if grant is None:
        return Confirmation(False, holder=holder)
    is_ours = (
        record is not None
        and not record.is_free
        and (record.token, record.generation) == (grant.token, grant.generation)
    )
    if is_ours:
        grant.confirmed = time.time()
    else:
        grant.lost = True
    register.save_grant(name, grant)
    return Confirmation(is_ours, holder=holder, is_lost=grant.lost)


def confirm_quickly(space: Workspace, name: str, seconds: float) -> Confirmation:
    register = Register(space.state)
    grant = register.grant(name)
    try:
        record = selection.engine_for(space, name, seconds).show(name)
    except EngineError as e:
        return Confirmation(True, e.why, since(grant))
    return _compared(register, name, grant, record)


def confirm_all(
    space: Workspace, names: list[str], seconds: float
) -> dict[str, Confirmation]:
    """Several locks by one question."""
    register = Register(space.state)
    grants = {name: register.grant(name) for name in names}
    try:
        records = selection.configured_engine(space, seconds).list()
    except EngineError as e:
        return {
            name: Confirmation(True, e.why, since(grant))
            for name, grant in grants.items()
        }
    found = {record.name: record for record in records}
    return {
        name: _compared(register, name, grants[name], found.get(name)) for name in names
    }


def _was_just_asked(path: str) -> bool:
    try:
        return abs(time.time() - os.stat(path).st_mtime) < PAUSE
    except OSError:
        return False


def confirm_later(space: Workspace, name: str) -> None:
    """Ask the engine in the background.

    A guard never asks a network: it starts a command that does, and continues.
    """
    path = os.path.join(folder(space.state), f'{name}.asked')
    if _was_just_asked(path):
        return
    try:
        with open(path, 'wb'):
            pass
    except OSError:
        # what leaves the machine is asked about anyway
        return
    from interlock.files.background import start

    start(space.main, 'lock', 'confirm', name, '-q')
