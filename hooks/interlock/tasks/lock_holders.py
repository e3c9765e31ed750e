"""Taking locks, giving them back, and saying who has them."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents import timestamps
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.files import process
from interlock.model.actor import RESTART, Actor
from interlock.model.errors import Denied, Refusal
from interlock.tasks import lock_files
from interlock.tasks.lock_files import Held, Register
from interlock.tasks.task_layout import Workspace

UNKNOWN = 'an unknown session'
# what the register notes of a lock whose session ended
ENDED = 'ended'


def now() -> str:
    return timestamps.render(datetime.datetime.now(datetime.timezone.utc))


def held(space: Workspace, name: str) -> Held | None:
    """The lock of a task, or of the main worktree; also at an older place."""
    protocol = space.protocol
    for pattern in (protocol.files.lock, *protocol.older.get('lock', ())):
        found = lock_files.look(space.path(pattern, name), protocol.lock_keys)
        if found is not None:
            return found
    return None


def all_held(
    space: Workspace, tasks: Sequence[str] | None = None
) -> list[tuple[str, Held]]:
    """Every lock that is there, by name; the main worktree's first.

    `tasks` are those that have a directory, if they are known already.
    """
    names = space.names() if tasks is None else tasks
    found = [(name, held(space, name)) for name in (space.protocol.main.name, *names)]
    return [(name, lock) for name, lock in found if lock is not None]


def of_session(space: Workspace, session: str) -> list[str]:
    """The tasks whose locks a session holds."""
    main = space.protocol.main.name
    return [
        name
        for name, lock in all_held(space)
        if lock.is_held_by(session) and name != main
    ]


class Facts(NamedTuple):
    """What a person wants to know before they decide about a lock."""

    session: str
    agent: str
    generation: int
    state: str
    created: str
    host: str
    pid: int
    # None: nobody can say, for instance because it runs elsewhere
    alive: bool | None
    worktree: str
    problem: str


def facts(lock: Held, actor: Actor) -> Facts:
    read = lock.lock
    pid = read.get('pid')
    pid = pid if isinstance(pid, int) and not isinstance(pid, bool) else 0
    host = read.text('host')
    alive = None
    if pid and host == actor.host:
        alive = process.is_alive(pid, read.text('started'))
    return Facts(
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


def stamp(space: Workspace, name: str, session: str) -> None:
    """That the session that holds a lock has ended; the lock stays."""
    Register(space.state).note(name, ENDED, f'{now()} {session}')


def unstamp(space: Workspace, name: str) -> None:
    """The session goes on, or another one has the lock."""
    Register(space.state).forget(name, ENDED)


def ended(space: Workspace, name: str, lock: Held) -> str:
    """When the session that holds a lock has ended, '' if it has not."""
    at, _, session = Register(space.state).noted(name, ENDED).partition(' ')
    return at if lock.is_held_by(session) else ''


def described(lock: Held, actor: Actor, ended: str = '') -> str:
    """Who holds a lock, in words; and when that session ended."""
    known = facts(lock, actor)
    if known.problem:
        return f'{UNKNOWN}: {lock.path} {known.problem}'
    elif not known.session:
        return f'{UNKNOWN}: {lock.path} names no session'
    words = f'session {shown(known.session)}'
    if known.created:
        words += f' since {shown(known.created)}'
    if known.host:
        running = {True: 'running', False: 'ended', None: 'unknown'}
        words += (
            f' (process {known.pid} on {shown(known.host)}: {running[known.alive]})'
        )
    return f'{words}; its session ended at {shown(ended)}' if ended else words


def require_session(actor: Actor) -> None:
    if actor.is_anonymous:
        raise Denied(
            'LCK003: an agent runs here that does not say its session, so '
            'no lock is its own',
            RESTART,
        )
    elif actor.is_human:
        raise Denied(
            'LCK003: locks are held by sessions, and here is none; a person '
            'needs no lock',
            'export INTERLOCK_SESSION=ID',
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
    elif not found.is_held_by(actor.session):
        raise Denied(
            f'LCK001: {name} is held by '
            f'{described(found, actor, ended(space, name, found))}',
            'interlock task select',
        )
    return found


def end(space: Workspace, name: str, lock: Held) -> None:
    """Ends a lock, and keeps what it said for whoever goes on."""
    register = Register(space.state)
    # the counter may be younger than the lock, in a new clone for instance
    register.begin(name, lock.lock.generation)
    kept = register.kept(name, space.protocol.lock_keys)
    if lock.data is not None and (
        # a lock that only began tells nothing about how far work came
        len(lock.lock.log) > 1 or kept is None or len(kept.log) < 2
    ):
        register.keep(name, lock.data)
    lock_files.remove(lock, space.protocol.lock_keys)


def is_given(space: Workspace, name: str, lock: Lock) -> bool:
    """Whether the generation of a lock was given out; it may have none."""
    number = lock.generation
    return not number or Register(space.state).gave(name, number)


def given_elsewhere(space: Workspace, name: str) -> int:
    """The highest generation that others gave out, 0 without any."""
    if name == space.protocol.main.name:
        # no commit names it
        return 0
    # whoever only looks at locks asks no git
    from interlock.tasks.lock_generations import floor

    return floor(space, name, os.environ)


def next_generation(space: Workspace, name: str) -> int:
    return Register(space.state).next_generation(name, given_elsewhere(space, name))


def make(space: Workspace, name: str, data: bytes, actor: Actor) -> None:
    """A new lock, or the refusal of whoever came second."""
    if lock_files.create(space.lock(name), data):
        return
    found = held(space, name)
    if found is None:
        raise Refusal(f'the lock of {name} came and went', 'run this again')
    raise Denied(
        f'LCK001: {name} is held by {described(found, actor)}', 'interlock task select'
    )
