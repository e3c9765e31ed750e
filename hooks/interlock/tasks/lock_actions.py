"""Taking the lock of a task or of the main worktree, and giving it back."""

from __future__ import annotations

import os
import time

from interlock.documents import timestamps
from interlock.files.actor import user
from interlock.model.errors import Denied
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator
from interlock.operations.tasks import locks as operations
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import Held
from interlock.tasks.workplace import Workplace, find_workplace

# seconds between two looks at a lock that is waited for
POLL = 0.5


def refuse_foreign(at: Workplace, name: str, lock: Held) -> None:
    if lock.is_held_by(at.actor.session):
        return
    holder = lock_holders.described(lock, at.actor)
    main, otherwise = at.space.protocol.main, 'interlock task select'
    if name == main.name:
        otherwise = (
            f'interlock lock acquire {name} --operation {main.operations[0]} '
            f'--until-free 600'
        )
    code = '' if lock.doubt else 'LCK001: '
    raise Denied(
        f'{code}{name} is held by {holder}',
        lock_holders.way_on(at.space, name, lock, at.actor, otherwise),
    )


def _refuse_abandoned(at: Workplace, name: str) -> None:
    """Only a person knows whether somebody still works there."""
    if name != at.space.protocol.main.name and os.path.isdir(at.space.code(name)):
        raise Denied(
            f'LCK004: the worktree {at.space.code(name)} of {name} stands '
            f'without a lock, and only a person gives it to a session',
            f'interlock task select {name}',
        )


def _is_overtaken(at: Workplace, name: str, lock: Held) -> bool:
    """Whether another place gave out a higher generation, or none gave ours."""
    if at.locks.is_shared(name):
        # one authority counts for all
        return False
    elif not lock_holders.is_given(at.space, name, lock.lock):
        return True
    return bool(lock.lock.generation) and (
        lock_holders.given_elsewhere(at.space, name) > lock.lock.generation
    )


def _rebind(at: Workplace, name: str, lock: Held) -> str:
    """The lock is already ours: name the process that holds it now."""
    assert lock.data is not None, 'it was read'
    generation, said, renumbered = lock.lock.generation, ' already', None
    if _is_overtaken(at, name, lock):
        floor = lock_holders.given_elsewhere(at.space, name)
        generation = at.locks.renumber(name, floor)
        said = f', now as generation {generation}'
        renumbered = at.event(
            'renumbered', name, generation, before=lock.lock.generation
        )
    data = operations.rebound(
        lock.lock, at.holder(name), at.space.protocol, lock.data, generation
    )
    at.locks.replace(name, lock, data, renumbered)
    return f'{name} is held by this session{said}'


def take(at: Workplace, name: str, operation: str) -> str:
    """Take a lock; says what was done."""
    at.locks.confirm(name)
    found = lock_holders.held(at.space, name)
    if found is not None:
        refuse_foreign(at, name, found)
        return _rebind(at, name, found)
    _refuse_abandoned(at, name)
    holder, now, protocol = at.holder(name), timestamps.now(), at.space.protocol

    def render(generation: int) -> bytes:
        if name == protocol.main.name:
            return operations.main_lock(protocol, operation, holder, generation, now)
        return operations.task_lock(at.space.kind, name, holder, generation, now)

    generation = lock_holders.make(at.space, name, holder, render, at.actor, {})
    return f'{name} is held by this session, generation {generation}'


def await_lock(at: Workplace, name: str, seconds: float) -> Held | None:
    """The lock as it is once it is free or ours, or the time is over."""
    end = time.monotonic() + seconds
    while True:
        found = at.locks.current(name)
        left = end - time.monotonic()
        if found is None or found.is_held_by(at.actor.session) or left <= 0:
            return found
        time.sleep(min(POLL, left))


def end_own(at: Workplace, name: str) -> None:
    lock = lock_holders.require_holder(at.space, name, at.actor)
    at.locks.remove(name, lock, at.event('released', name, lock.lock.generation))


def end_by_person(at: Workplace, name: str, lock: Held) -> None:
    at.locks.force(name, lock, user(), '')


def end_generation(at: Workplace, name: str, generation: int) -> None:
    """End another session's lock, which a person named by its generation."""
    lock = at.locks.current(name)
    show = f'interlock lock show {name}'
    if lock is None:
        raise Denied(f'{name} is not locked', show)
    elif lock.lock.generation != generation:
        raise Denied(
            f'the lock of {name} is of generation {lock.lock.generation}, not '
            f'{generation}: see who holds it',
            show,
        )
    end_by_person(at, name, lock)


def require_releaser(at: Workplace, name: str) -> None:
    """A person holds no lock, and ends another's by its generation."""
    lock = lock_holders.held(at.space, name) if at.actor.is_human else None
    if lock is not None:
        raise Denied(
            f'LCK003: {name} is held by {lock_holders.described(lock, at.actor)}, '
            f'and a person ends it by its generation',
            lock_holders.ending(name, lock),
        )
    lock_holders.require_session(at.actor)


@contextmanager
def main_lock(top: str, config: str) -> Iterator[None]:
    """Hold the lock of the main worktree while we write there.

    A session that holds it already keeps it; a person needs none.
    """
    at = find_workplace(config)
    main = at.space.protocol.main
    place = at.space.place(top)
    found = lock_holders.held(at.space, main.name)
    if (
        at.actor.is_human
        or place is None
        or place.task
        or (found is not None and found.is_held_by(at.actor.session))
    ):
        yield
        return
    lock_holders.require_session(at.actor)
    # a commit is the first of the operations that it is taken for
    take(at, main.name, main.operations[0])
    try:
        yield
    finally:
        end_own(at, main.name)
