"""Ask the engine, in little time, whether this clone still holds a lock.

Only the grant is written. The mirror changes under the lock of the journal, which
another process may hold (`lock confirm` does that).
"""

from __future__ import annotations

import os
import time

from interlock.documents import timestamps
from interlock.model.quick_typing import Callable, NamedTuple, Sequence
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import EngineError, LockRecord
from interlock.tasks.engines.register import Grant, Register, folder
from interlock.tasks.task_layout import Workspace

# seconds for an answer
AT_COMMIT = 1.0
AT_START = 2.0
AT_PUSH = 5.0
# seconds between two questions while the engine does not answer
PAUSE = 60.0


class Confirmation(NamedTuple):
    """The engine's answer about a lock that is ours according to the mirror."""

    is_ours: bool
    # why it gave no answer, '' if it gave one
    why: str = ''
    # when it last said that the lock is ours
    since: str = ''
    # the session that holds it, '' for none
    holder: str = ''
    # whether it was ours before
    is_lost: bool = False


def confirmed_at(grant: Grant | None) -> str:
    if grant is None or not grant.confirmed:
        return 'never'
    return timestamps.in_seconds(grant.confirmed)


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
        grant = grant._replace(confirmed=time.time())
    else:
        grant = grant._replace(lost=True)
    register.save_grant(name, grant)
    return Confirmation(is_ours, holder=holder, is_lost=grant.lost)


def confirm_quickly(space: Workspace, name: str, seconds: float) -> Confirmation:
    return _confirmed(
        space, [name], lambda: [selection.engine_for(space, name, seconds).show(name)]
    )[name]


def confirm_all(
    space: Workspace, names: list[str], seconds: float
) -> dict[str, Confirmation]:
    """Confirm several locks with one question."""
    return _confirmed(
        space, names, lambda: selection.configured_engine(space, seconds).list()
    )


def _confirmed(
    space: Workspace,
    names: list[str],
    question: Callable[[], Sequence[LockRecord | None]],
) -> dict[str, Confirmation]:
    register = Register(space.state)
    grants = {name: register.grant(name) for name in names}
    try:
        records = question()
    except EngineError as e:
        return {
            name: Confirmation(True, e.why, confirmed_at(grant))
            for name, grant in grants.items()
        }
    found = {record.name: record for record in records if record}
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
        # pushes ask the engine anyway
        return
    from interlock.files.background import start

    start(space.main, 'lock', 'confirm', name, '-q')
