"""Take and release the lock of a task or of the main worktree, push with the proof that
it is held, and move all locks to another engine."""

from __future__ import annotations

import os
import time

from interlock.documents import timestamps
from interlock.files.actor import user
from interlock.git import worktrees
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator, Sequence
from interlock.operations.tasks import locks as operations
from interlock.tasks import lock_holders
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import (
    MOVED,
    Engine,
    EngineError,
    LockRecord,
    Marker,
    Question,
)
from interlock.tasks.engines.register import new_token
from interlock.tasks.engines.selection import settings
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import Workspace
from interlock.tasks.workplace import Workplace, find_workplace
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import GIT_REMOTE, locks_on

# seconds between two looks at an awaited lock
POLL = 0.5


def refuse_foreign(at: Workplace, name: str, lock: Held) -> None:
    if lock.is_held_by(at.actor.session):
        return
    holder = lock_holders.holder_text(lock)
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
    """Refuse an abandoned worktree: only a person knows whether it is in use."""
    if name != at.space.protocol.main.name and os.path.isdir(at.space.code(name)):
        raise Denied(
            f'LCK004: the worktree {at.space.code(name)} of {name} has no '
            f'lock, and only a person can assign it to a session',
            f'interlock task select {name}',
        )


def _is_overtaken(at: Workplace, name: str, lock: Held) -> bool:
    """Whether another clone gave out a higher generation, or ours was never given."""
    if at.locks.is_shared(name):
        # one authority counts for all clones
        return False
    elif not lock_holders.is_given(at.space, name, lock.lock):
        return True
    return bool(lock.lock.generation) and (
        lock_holders.given_elsewhere(at.space, name) > lock.lock.generation
    )


def _rebind(at: Workplace, name: str, lock: Held) -> str:
    """The lock is already ours: record the process that holds it now."""
    assert lock.data is not None, 'it was read'
    generation, said, renumbered = lock.lock.generation, ' already', None
    if _is_overtaken(at, name, lock):
        floor = lock_holders.given_elsewhere(at.space, name)
        generation = at.locks.changes(name).renumber(floor)
        said = f', now as generation {generation}'
        renumbered = at.event(
            'renumbered', name, generation, before=lock.lock.generation
        )
    data = operations.rebound_lock(
        lock.lock, at.holder(name), at.space.protocol, lock.data, generation
    )
    at.locks.changes(name).replace(lock, data, renumbered)
    return f'{name} is held by this session{said}'


def take(at: Workplace, name: str, operation: str) -> str:
    """Take a lock; return a sentence about what was done."""
    at.locks.confirm(name)
    found = lock_holders.lock_of(at.space, name)
    if found is not None:
        refuse_foreign(at, name, found)
        return _rebind(at, name, found)
    _refuse_abandoned(at, name)
    holder, now, protocol = at.holder(name), timestamps.now(), at.space.protocol

    def render(generation: int) -> bytes:
        if name == protocol.main.name:
            return operations.main_lock(protocol, operation, holder, generation, now)
        return operations.task_lock(at.space.kind, name, holder, generation, now)

    generation = lock_holders.create_lock(at.space, name, holder, render, at.actor, {})
    return f'{name} is held by this session, generation {generation}'


def await_lock(at: Workplace, name: str, seconds: float) -> Held | None:
    """The lock when it is free or ours, or when the time is up."""
    end = time.monotonic() + seconds
    while True:
        found = at.locks.current(name)
        left = end - time.monotonic()
        if found is None or found.is_held_by(at.actor.session) or left <= 0:
            return found
        time.sleep(min(POLL, left))


def end_own(at: Workplace, name: str) -> None:
    lock = lock_holders.require_holder(at.space, name, at.actor)
    at.locks.changes(name).remove(
        lock, at.event('released', name, lock.lock.generation)
    )


def end_by_person(at: Workplace, name: str, lock: Held) -> None:
    at.locks.changes(name).force(lock, user(), '')


def end_generation(at: Workplace, name: str, generation: int) -> None:
    """End another session's lock, which a person named by its generation."""
    lock = at.locks.current(name)
    show = f'interlock lock show {name}'
    if lock is None:
        meant = lock_holders.retyped_task(at.space, name)
        raise Denied(f'{name} is not locked', show, meant=meant)
    elif lock.lock.generation != generation:
        raise Denied(
            f'the lock of {name} has generation {lock.lock.generation}, not '
            f'{generation}: see who holds it',
            show,
        )
    end_by_person(at, name, lock)


def require_releaser(at: Workplace, name: str) -> None:
    """Require a session: a person ends another's lock by its generation."""
    lock = lock_holders.lock_of(at.space, name) if at.actor.is_human else None
    if lock is not None:
        raise Denied(
            f'LCK003: {name} is held by {lock_holders.holder_text(lock)}, '
            f'and a person ends the lock by its generation',
            lock_holders.ending_command(name, lock),
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
    found = lock_holders.lock_of(at.space, main.name)
    if (
        at.actor.is_human
        or place is None
        or place.task
        or (found is not None and found.is_held_by(at.actor.session))
    ):
        yield
        return
    lock_holders.require_session(at.actor)
    # a commit is the first of the operations that the lock is for
    take(at, main.name, main.operations[0])
    try:
        yield
    finally:
        end_own(at, main.name)


def remote_of_fence(at: Workplace, task: str) -> str:
    """The remote that takes a session's branch with its proof, '' for none."""
    found = settings(at.space)
    is_fenced = at.locks.is_shared(task) and found.engine == GIT_REMOTE
    return found.remote if is_fenced and not at.actor.is_human else ''


def push_branch(at: Workplace, task: str) -> str:
    """Push the branch of a task; return what the push proved.

    Only the git remote moves branch and lock in one step. With other engines, the
    engine is asked just before the push. A person pushes without a lock.
    """
    branch = expand(at.space.protocol.branch, task)
    directory = at.space.code(task)
    if not os.path.isdir(directory):
        raise Denied(
            f'{task} has no worktree at {directory}, so there is nothing to push',
            f'interlock lock show {task}',
            meant=lock_holders.retyped_task(at.space, task),
        )
    if at.actor.is_human:
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed, by a person'
    held = lock_holders.require_holder(at.space, task, at.actor)
    if not at.locks.is_shared(task):
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed'
    changes = at.locks.changes(task)
    if not changes.confirm():
        raise Denied(
            f'LCK001: this session no longer holds {task}',
            f'interlock lock show {task}',
        )
    elif not remote_of_fence(at, task):
        worktrees.push(os.environ, directory, branch)
        return f'{branch} is pushed; the lock was confirmed just before'
    commit = worktrees.tip(os.environ, directory, branch)
    if not commit:
        raise Refusal(f'there is no branch `{branch}`', f'git -C {directory} branch')
    changes.push(held, f'{commit}:refs/heads/{branch}')
    return f'{branch} is pushed, and with it the proof that {task} is held'


def _records(space: Workspace, engine: Engine) -> Sequence[LockRecord]:
    main = space.protocol.main.name
    return [record for record in engine.list() if record.name != main]


def _refuse_held(records: Sequence[LockRecord]) -> None:
    held = [record.name for record in records if not record.is_free]
    if held:
        raise Denied(
            f'{", ".join(held)} is held, and a lock that is held cannot be moved',
            f'interlock lock show {held[0]}',
        )


def move_all(space: Workspace, origin: str) -> list[tuple[str, int]]:
    """Move all locks to the configured engine, which counts on from the old one.

    `origin` is as in $INTERLOCK_LOCKS. Returns the moved locks, each with its
    generation. The old engine is marked, so that it refuses those who still use it.
    """
    spec = selection.settings(space)
    if locks_on(space.workflow.locks, origin) == spec:
        raise Denied(
            f'the engine {origin} keeps the locks already: name the one that kept '
            f'them before',
            'interlock lock migrate --help',
        )
    old, new = selection.engine_named(space, origin), selection.configured_engine(space)
    # the names tell apart two remotes, or two databases
    name = f':{spec.remote if new.kind == GIT_REMOTE else spec.service}'
    keeper = new.kind if old.kind != new.kind else new.kind + name
    try:
        return _move_all(space, old, new, keeper)
    except EngineError as e:
        from interlock.tasks.lock_changes import silent

        raise silent(new, 'every lock', e) from None


def _move_all(
    space: Workspace, old: Engine, new: Engine, keeper: str
) -> list[tuple[str, int]]:
    _refuse_held([*_records(space, old), *_records(space, new)])
    markers = (old.marker(), new.marker())
    epoch = max((each.epoch for each in markers if each), default=0) + 1
    _mark(space, old, Marker(keeper, epoch))
    try:
        found = _records(space, old)
        _refuse_held(found)
        moved = [(record.name, _moved(space, old, new, record)) for record in found]
    except Denied:
        # a session that was faster than the mark keeps its lock there
        _mark(space, old, Marker(old.kind, epoch + 1))
        raise
    _mark(space, new, Marker(new.kind, epoch))
    return moved


def _mark(space: Workspace, engine: Engine, marker: Marker) -> None:
    answer = engine.mark(marker, new_token(selection.authority(space)))
    if not answer.ok:
        raise Denied(
            f'the engine {engine.kind} cannot be marked: {answer.why}', 'run this again'
        )


def _moved(space: Workspace, old: Engine, new: Engine, record: LockRecord) -> int:
    """Write to the new engine first: a lock that neither has would count from 1."""
    name, data, number = record.name, record.data, record.generation
    for engine, reason in ((new, f'from {old.kind}'), (old, f'to {new.kind}')):
        token = new_token(selection.authority(space))
        note = {'person': user(), 'reason': reason}
        answer = engine.ask(
            Question(MOVED, name, token, number, render=lambda _: data, note=note)
        )
        if not answer.ok or answer.record is None:
            raise Denied(
                f'{name} is not moved: {answer.why}', f'interlock lock show {name}'
            )
        number = answer.record.generation
    return number
