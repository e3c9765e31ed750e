"""The locks: the only way to read and to change them.

Every question about who may work on a task, and every change of the answer, goes
through the `LockStore`; no other module knows where a lock is. An engine decides who
holds a lock (`engines/`). Its decision is mirrored in the file of the lock and in
its grant. Guards read these: they have no time to ask a network. `lock_changes.py`
asks the engine and writes its answer.

A change is made under the lock of the journal. Its event is logged before it
happens: what cannot be logged is not done.
"""

from __future__ import annotations

import os
import time

from interlock.documents.tasks.lock import Lock
from interlock.files import atomic_files
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Iterator, Mapping, Sequence
from interlock.tasks.engines import lock_file, selection
from interlock.tasks.engines.lock_file import Held as Held
from interlock.tasks.engines.register import Grant, Register
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.tasks.lock_changes import LockChanges

Event = Mapping[str, 'str | int']
# how far a generation may leap in a clone that never counted
LEAP = 1000

UNSETTLED = 'LCK012: the outcome of a request to the engine is unknown'
UNCONFIRMED = 'LCK009: the engine has never confirmed that this clone holds it'
MOVED = 'CFG011: it was taken from the engine {}, but the locks are now kept by {}'
LOST = 'LCK001: the engine said that it was taken away'

SETTLE = 'interlock lock settle {name}'
CONFIRM = 'interlock lock confirm {name}'
RELEASE = 'interlock lock release {name}'


class LockStore:
    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._register = Register(space.state)
        self.last_generation = self._register.last_generation
        # logs something about a lock without changing it
        self.log = self._register.log

    def place(self, name: str) -> str:
        """The file of a lock or of its copy, for messages and guards."""
        return lock_file.place(self._space, name)

    def places(self, name: str) -> Iterator[str]:
        """`place`, and the paths of older versions."""
        return lock_file.places(self._space, name)

    def is_shared(self, name: str) -> bool:
        """Whether other clones can hold the lock."""
        return selection.is_shared(self._space, name)

    def grant(self, name: str) -> Grant | None:
        """The engine's answer when it gave a lock to this clone."""
        return self._register.grant(name)

    def is_stale(self, name: str) -> bool:
        """Whether the engine has not confirmed a lock for too long."""
        if not self.is_shared(name):
            return False
        grant = self._register.grant(name)
        most = selection.settings(self._space).confirm
        # the clock may have been set: a time in the future does not count either
        return grant is None or not 0 <= time.time() - grant.confirmed <= most

    def get(self, name: str) -> Held | None:
        """The lock of a task, or of the main worktree; None: it is free."""
        held = lock_file.of_task(self._space, name)
        if held is None or name == self._space.protocol.main.name:
            return held
        doubt, command = self._doubt(name)
        way_out = command.format(name=name) if doubt else ''
        return held._replace(doubt=doubt, way_out=way_out)

    def _doubt(self, name: str) -> tuple[str, str]:
        """Why the mirror cannot be trusted, '' if it can; and what helps."""
        grant, engine = self.grant(name), selection.settings(self._space).engine
        if grant is not None and grant.engine != engine:
            why = MOVED.format(grant.engine, engine)
            return why, f'INTERLOCK_LOCKS={grant.engine} {RELEASE}'
        elif not self.is_shared(name):
            return '', ''
        elif self._register.has_intent(name):
            return UNSETTLED, SETTLE
        elif grant is None:
            return UNCONFIRMED, CONFIRM
        return (LOST, CONFIRM) if grant.lost else ('', '')

    def list(self, session: str = '') -> Sequence[tuple[str, Held]]:
        """Every lock by its name, that of the main worktree first.

        `session`: only those that the session holds.
        """
        names = self._space.names()
        if session:
            return self.of_session(session, names)[0]
        all_names = (self._space.protocol.main.name, *names)
        found = ((name, self.get(name)) for name in all_names)
        return [(name, held) for name, held in found if held is not None]

    def of_session(
        self, session: str, tasks: Sequence[str]
    ) -> tuple[Sequence[tuple[str, Held]], Sequence[str]]:
        """The locks that a session holds, and the names of all held locks, both
        with that of the main worktree; locks of others are not parsed."""
        own, locked = [], []
        for name in (self._space.protocol.main.name, *tasks):
            is_locked, may_be_own = self._glance(name, session)
            held = self.get(name) if may_be_own else None
            if held is not None and held.is_held_by(session):
                own.append((name, held))
            if is_locked:
                locked.append(name)
        return own, locked

    def _glance(self, name: str, session: str) -> tuple[bool, bool]:
        """Whether a lock exists, and whether it may be the session's."""
        try:
            data = lock_file.read(self.place(name))
        except (FileNotFoundError, NotADirectoryError):
            is_older = any(map(os.path.lexists, self.places(name)))
            return is_older, is_older
        except (OSError, Unreadable):
            return True, True
        return True, lock_file.may_name(data, session)

    def last_contents(self, name: str) -> Lock | None:
        """The content of the last lock that ended, for the session that continues."""
        data = atomic_files.read(self._register.file(name, 'last'))
        if data is None:
            return None
        return lock_file.parse(data, self._space.protocol.lock_keys)

    def forget_contents(self, name: str) -> None:
        """Forget the last content: the task starts over, and no session continues."""
        self._register.forget(name, 'last')

    def changes(self, name: str) -> LockChanges:
        """The changes of one lock, by its engine; looking at it needs none of them."""
        from interlock.tasks.lock_changes import LockChanges

        return LockChanges(self._space, name)

    def current(self, name: str) -> Held | None:
        """Like `get`, but asks the engine, wherever the holder works."""
        return self.changes(name).current() if self.is_shared(name) else self.get(name)

    def confirm(self, name: str) -> None:
        """Ask the engine, and let `get` give its answer.

        Nothing is asked where there is nothing to compare.
        """
        if self.is_shared(name) and (
            self.grant(name) is not None
            or self._register.has_intent(name)
            or any(map(os.path.lexists, self.places(name)))
        ):
            self.changes(name).confirm()


def locks_of(space: Workspace) -> LockStore:
    return LockStore(space)


def event(kind: str, name: str, /, **more: str | int) -> Event:
    from interlock.documents import timestamps

    return {'event': kind, 'name': name, **more, 'time': timestamps.now()}
