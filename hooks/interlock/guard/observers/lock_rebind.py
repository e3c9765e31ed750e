"""A session that got a new id keeps its locks.

The client gives one after `/clear` and to a fork. The holder is the same
where the process is: its number, its start and its host.
"""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.files import process
from interlock.model.actor import Actor
from interlock.operations.tasks.locks import Holder, rebound
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import Held, event, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal

# seconds: a hook holds up the session
WAIT = 2.0


def _is_same(lock: Held, actor: Actor, started: str) -> bool:
    read = lock.lock
    return (
        bool(lock.holder)
        and not lock.is_held_by(actor.session)
        and read.get('pid') == actor.pid
        and read.text('host') == actor.host
        and bool(started)
        and read.text('started') == started
    )


def _rebind(space: Workspace, name: str, lock: Held, holder: Holder) -> None:
    assert lock.data is not None, 'it was read'
    rebinding = event(
        'rebound',
        name,
        generation=lock.lock.generation,
        before=lock.holder,
        session=holder.session,
        pid=holder.pid,
    )
    data = rebound(lock.lock, holder, space.protocol, lock.data)
    locks_of(space).replace(name, lock, data, rebinding)
    task_notes.forget(space, name, task_notes.ENDED)


def rebind(space: Workspace, actor: Actor) -> list[str]:
    """Makes the locks of this process the session's; says which."""
    started = process.started(actor.pid)
    if not actor.session or not started:
        return []
    said = []
    with Journal(space.state).locked(WAIT):
        for name, lock in lock_holders.all_held(space):
            if _is_same(lock, actor, started):
                before = lock.holder
                holder = Holder(
                    actor.session,
                    lock.lock.text('agent'),
                    actor.pid,
                    started,
                    actor.host,
                    lock.lock.text('worktree'),
                )
                _rebind(space, name, lock, holder)
                said.append(
                    f'The lock of {name} was held by this process as session '
                    f'{shown(before)}, and is now held as this session.'
                )
    return said
