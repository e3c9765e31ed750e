"""Who holds a lock, and who may."""

from __future__ import annotations

import os

from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.model.actor import RESTART, Actor
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_typing import Callable, NamedTuple, Sequence
from interlock.tasks.lock_store import LEAP, Event, Held, locks_of
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder

UNKNOWN = 'an unknown session'


def held(space: Workspace, name: str) -> Held | None:
    """The lock of a task, or of the main worktree."""
    return locks_of(space).get(name)


def all_held(
    space: Workspace, tasks: Sequence[str] | None = None
) -> Sequence[tuple[str, Held]]:
    """Every lock that is there, by name; the main worktree's first."""
    return locks_of(space).list(tasks)


def of_session(space: Workspace, session: str) -> list[tuple[str, Held]]:
    """The locks of tasks that a session holds."""
    found = locks_of(space).list(session=session) if session else ()
    main = space.protocol.main.name
    return [(name, lock) for name, lock in found if name != main]


class HolderFacts(NamedTuple):
    """What a person has to know to decide about a lock."""

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


def facts(lock: Held, actor: Actor) -> HolderFacts:
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


def described(lock: Held, actor: Actor, ended: str = '') -> str:
    """Who holds a lock, in words; and when that session ended."""
    known = facts(lock, actor)
    if known.problem:
        return f'{UNKNOWN}: {lock.path} {known.problem}'
    elif not known.session:
        return f'{UNKNOWN}: {lock.doubt or f"{lock.path} names no session"}'
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


def is_left(space: Workspace, name: str, lock: Held, actor: Actor) -> bool:
    """Whether no session runs that could give a lock back."""
    from interlock.tasks import task_notes

    known = facts(lock, actor)
    return (
        not known.session
        or known.alive is False
        or bool(task_notes.ended(space, name, lock))
    )


def ending(name: str, lock: Held) -> str:
    """The command by which a person ends a lock."""
    return f'interlock lock release {name} --holder {lock.lock.generation}'


def way_on(
    space: Workspace, name: str, lock: Held, actor: Actor, otherwise: str
) -> str:
    """The next step about a lock that another session holds; `otherwise` where
    that session may still be at work."""
    if lock.doubt:
        return lock.way_out
    elif not is_left(space, name, lock, actor):
        return otherwise
    elif actor.is_human:
        return ending(name, lock)
    main = name == space.protocol.main.name
    after = otherwise if main else f'interlock task select {name}'
    return (
        f'ask the user to run `{ending(name, lock)}` on a terminal, if nobody works '
        f'on it; then {after}'
    )


def require_session(actor: Actor) -> None:
    if actor.is_anonymous:
        raise Denied(
            'LCK003: an agent runs here without a session id, so no lock can be '
            'its own',
            RESTART,
        )
    elif actor.is_human:
        raise Denied(
            'LCK003: only a session holds a lock, and this is not one; a person '
            'needs no lock',
            'go on without the lock',
        )


def require_holder(space: Workspace, name: str, actor: Actor) -> Held:
    """The lock of a task that the actor holds."""
    require_session(actor)
    found = held(space, name)
    if found is None:
        main = name == space.protocol.main.name
        raise Denied(
            f'{name} is not locked',
            'interlock lock list' if main else f'interlock task select {name}',
        )
    elif found.doubt:
        raise Denied(f'{name}: {found.doubt}', found.way_out)
    elif not found.is_held_by(actor.session):
        from interlock.tasks import task_notes

        raise Denied(
            f'LCK001: {name} is held by '
            f'{described(found, actor, task_notes.ended(space, name, found))}',
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
        # no commit names it
        return 0
    # to look at a lock needs no git
    from interlock.tasks.lock_generations import floor

    return floor(space, name, os.environ)


def make(
    space: Workspace,
    name: str,
    holder: Holder,
    render: Callable[[int], bytes],
    actor: Actor,
    event: Event,
) -> int:
    """Take a lock, or refuse because somebody else was first.

    Gives its generation, under which `render` gave its bytes.
    """
    locks, floor = locks_of(space), given_elsewhere(space, name)
    generation = locks.create(name, holder, render, floor, event)
    if generation:
        return generation
    found = locks.current(name)
    if found is None:
        raise Refusal(f'the lock of {name} came and went', 'run this again')
    raise Denied(
        f'LCK001: {name} is held by {described(found, actor)}',
        'interlock task list --all'
        if locks.is_shared(name)
        else way_on(space, name, found, actor, 'interlock task select'),
    )
