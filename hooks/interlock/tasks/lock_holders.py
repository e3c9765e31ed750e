"""Who holds a lock, and who may hold it."""

from __future__ import annotations

import os

from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.model.actor import RESTART, Actor
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ask_to_end_lock, correction, end_lock
from interlock.model.quick_typing import Callable, NamedTuple, Sequence
from interlock.tasks.lock_store import LEAP, Event, Held, locks_of
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder

UNKNOWN = 'an unknown session'


def lock_of(space: Workspace, name: str) -> Held | None:
    """The lock of a task, or of the main worktree."""
    return locks_of(space).get(name)


def all_held(space: Workspace) -> Sequence[tuple[str, Held]]:
    """Every held lock, by name; that of the main worktree first."""
    return locks_of(space).list()


def of_session(space: Workspace, session: str) -> list[tuple[str, Held]]:
    """The locks of tasks that a session holds."""
    found = locks_of(space).list(session=session) if session else ()
    main = space.protocol.main.name
    return [(name, lock) for name, lock in found if name != main]


class HolderFacts(NamedTuple):
    """What a person needs to know to decide about a lock."""

    session: str
    agent: str
    generation: int
    state: str
    created: str
    host: str
    pid: int
    # None: unknown, for instance because it runs on another machine
    alive: bool | None
    worktree: str
    problem: str


def facts(lock: Held) -> HolderFacts:
    read = lock.lock
    pid = read.get('pid')
    pid = pid if isinstance(pid, int) and not isinstance(pid, bool) else 0
    host, machine = read.text('host'), read.text('machine')
    alive = None
    if pid and machine:
        from interlock.files import process

        if machine == process.machine():
            alive = process.is_alive(pid, read.text('started'))
    return HolderFacts(
        lock.holder,
        read.text('agent'),
        read.generation,
        read.state,
        read.text('created'),
        host,
        pid,
        alive,
        read.text('worktree'),
        read.problem.message if read.problem else '',
    )


def holder_text(lock: Held, ended: str = '') -> str:
    """The holder of a lock in words, and when its session ended."""
    known = facts(lock)
    if known.problem:
        return f'{UNKNOWN}: {lock.path} {known.problem}'
    elif not known.session:
        return f'{UNKNOWN}: {lock.doubt or f"{lock.path} does not name a session"}'
    words = f'session {shown(known.session)}'
    if known.created:
        words += f' since {shown(known.created)}'
    if known.host:
        running = {True: 'running', False: 'ended', None: 'unknown'}
        words += (
            f' (process {known.pid} on {shown(known.host)}: {running[known.alive]})'
        )
    if lock.doubt:
        words += f'; {lock.doubt}'
    return f'{words}; its session ended at {shown(ended)}' if ended else words


def is_left(space: Workspace, name: str, lock: Held) -> bool:
    """Whether no session still runs that could give the lock back."""
    from interlock.tasks import task_notes

    known = facts(lock)
    return (
        not known.session
        or known.alive is False
        or bool(task_notes.session_end_time(space, name, lock))
    )


def ending_command(name: str, lock: Held) -> str:
    """The command by which a person ends a lock."""
    return end_lock(name, lock.lock.generation)


def way_on(
    space: Workspace, name: str, lock: Held, actor: Actor, otherwise: str
) -> str:
    """The next step about a lock that another session holds; `otherwise` if it may
    still be at work."""
    if lock.doubt:
        return lock.way_out
    elif not is_left(space, name, lock):
        return otherwise
    elif actor.is_human:
        return ending_command(name, lock)
    main = name == space.protocol.main.name
    after = otherwise if main else f'interlock task select {name}'
    return ask_to_end_lock(name, lock.lock.generation, after)


def require_session(actor: Actor) -> None:
    if actor.is_anonymous:
        raise Denied(
            'LCK003: this agent has no session id, so it cannot hold a lock', RESTART
        )
    elif actor.is_human:
        raise Denied(
            'LCK003: only the session of an agent can hold a lock; a person needs none',
            'continue without the lock',
        )


def retyped_task(space: Workspace, name: str) -> tuple[str, str] | None:
    """The task that an unknown name probably means."""
    from interlock.tasks.task_files import todo_list

    known = {*space.names(), *todo_list(space).entries, space.protocol.main.name}
    return None if name in known else correction(name, known)


def require_holder(space: Workspace, name: str, actor: Actor) -> Held:
    """The lock of a task that the actor holds."""
    require_session(actor)
    found = lock_of(space, name)
    if found is None:
        main = name == space.protocol.main.name
        raise Denied(
            f'{name} is not locked',
            'interlock lock list' if main else f'interlock task select {name}',
            meant=retyped_task(space, name),
        )
    elif found.doubt:
        raise Denied(f'{name}: {found.doubt}', found.way_out)
    elif not found.is_held_by(actor.session):
        from interlock.tasks import task_notes

        raise Denied(
            f'LCK001: {name} is held by '
            f'{holder_text(found, task_notes.session_end_time(space, name, found))}',
            way_on(space, name, found, actor, 'interlock task select'),
        )
    return found


def is_given(space: Workspace, name: str, lock: Lock) -> bool:
    """Whether the generation of a lock is the last one that was given out.

    A clone that never counted believes the lock, unless its generation is
    a leap. A lock may have no generation.
    """
    number, known = lock.generation, locks_of(space).last_generation(name)
    return not number or (number <= LEAP if known is None else number == known)


def given_elsewhere(space: Workspace, name: str) -> int:
    """The highest generation that others gave out, 0 without any."""
    if name == space.protocol.main.name:
        # no commit names the main lock
        return 0
    # looking at a lock needs no git
    from interlock.tasks.lock_generations import generation_floor

    return generation_floor(space, name, os.environ)


def create_lock(
    space: Workspace,
    name: str,
    holder: Holder,
    render: Callable[[int], bytes],
    actor: Actor,
    event: Event,
) -> int:
    """Take a lock, or refuse because somebody else was first.

    Returns the generation for which `render` made its bytes.
    """
    locks, floor = locks_of(space), given_elsewhere(space, name)
    generation = locks.changes(name).create(holder, render, floor, event)
    if generation:
        return generation
    found = locks.current(name)
    if found is None:
        raise Refusal(
            f'the lock of {name} was taken and released meanwhile', 'run this again'
        )
    raise Denied(
        f'LCK001: {name} is held by {holder_text(found)}',
        'interlock task list --all'
        if locks.is_shared(name)
        else way_on(space, name, found, actor, 'interlock task select'),
    )
