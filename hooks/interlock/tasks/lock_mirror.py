"""The locks as this clone has them: all that guards read.

An engine decides who holds a lock (`engines/`); what it decided is mirrored in
the file of the lock and in its grant. `lock_changes.py` asks the engine.
"""

from __future__ import annotations

import os
import time

from interlock.documents.tasks.lock import Lock
from interlock.files import atomic_files
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Iterator, Sequence
from interlock.tasks.engines import lock_file, selection
from interlock.tasks.engines.register import Grant, Register
from interlock.tasks.lock_store import Event, Held
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder
    from interlock.tasks.engines.engine import Render
    from interlock.tasks.lock_changes import LockChanges
    from interlock.transactions.journal import Changes

UNSETTLED = 'LCK012: the engine was asked about it, and the answer is missing'
UNCONFIRMED = 'LCK009: the engine never said that it is held here'
MOVED = 'CFG011: it was taken from the engine {}, and {} keeps the locks now'
LOST = 'LCK001: the engine said that it was taken away'

SETTLE = 'interlock lock settle {name}'
CONFIRM = 'interlock lock confirm {name}'
RELEASE = 'interlock lock release {name}'


class LockMirror:
    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._register = Register(space.state)
        self.last_generation = self._register.last_generation
        self.log = self._register.log

    def place(self, name: str) -> str:
        return lock_file.place(self._space, name)

    def places(self, name: str) -> Iterator[str]:
        return lock_file.places(self._space, name)

    def is_shared(self, name: str) -> bool:
        return selection.is_shared(self._space, name)

    def grant(self, name: str) -> Grant | None:
        return self._register.grant(name)

    def is_stale(self, name: str) -> bool:
        """Whether the engine was not asked about a lock for too long."""
        if not self.is_shared(name):
            return False
        grant = self._register.grant(name)
        most = selection.settings(self._space).confirm
        # a clock may have been set: what lies ahead is not confirmed either
        return grant is None or not 0 <= time.time() - grant.confirmed <= most

    def get(self, name: str) -> Held | None:
        held = lock_file.of_task(self._space, name)
        if held is None or name == self._space.protocol.main.name:
            return held
        doubt, command = self._doubt(name)
        way_out = command.format(name=name) if doubt else ''
        return held._replace(doubt=doubt, way_out=way_out)

    def _doubt(self, name: str) -> tuple[str, str]:
        """Why the mirror is not to be believed, '' if it is; and what helps."""
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

    def list(
        self, tasks: Sequence[str] | None = None, session: str = ''
    ) -> Sequence[tuple[str, Held]]:
        return list(self._all(tasks, session))

    def _all(
        self, tasks: Sequence[str] | None, session: str
    ) -> Iterator[tuple[str, Held]]:
        names = self._space.names() if tasks is None else tasks
        for name in (self._space.protocol.main.name, *names):
            if session and not self._glance(name, session)[1]:
                continue
            held = self.get(name)
            if held is not None and (not session or held.is_held_by(session)):
                yield name, held

    def of_session(
        self, session: str, tasks: Sequence[str]
    ) -> tuple[Sequence[tuple[str, Held]], Sequence[str]]:
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
        """Whether a lock is there, and whether it may be the session's."""
        try:
            data = lock_file.read(self.place(name))
        except (FileNotFoundError, NotADirectoryError):
            is_older = any(map(os.path.lexists, self.places(name)))
            return is_older, is_older
        except (OSError, Unreadable):
            return True, True
        return True, lock_file.may_name(data, session)

    def last_contents(self, name: str) -> Lock | None:
        data = atomic_files.read(self._register.file(name, 'last'))
        if data is None:
            return None
        return lock_file.parse(data, self._space.protocol.lock_keys)

    def forget_contents(self, name: str) -> None:
        self._register.forget(name, 'last')

    @property
    def changes(self) -> LockChanges:
        # to look at a lock needs none of it
        from interlock.tasks.lock_changes import LockChanges

        return LockChanges(self._space)

    def create(
        self, name: str, holder: Holder, render: Render, floor: int, event: Event
    ) -> int:
        return self.changes.create(name, holder, render, floor, event)

    def replace(
        self,
        name: str,
        held: Held,
        data: bytes,
        event: Event | None = None,
        others: Changes | None = None,
        later: bool = False,
    ) -> None:
        self.changes.replace(name, held, data, event or {}, others or {}, later)

    def remove(self, name: str, held: Held, event: Event, keep: bool = True) -> None:
        self.changes.remove(name, held, event, keep)

    def force(self, name: str, held: Held, person: str, reason: str) -> None:
        self.changes.force(name, held, person, reason)

    def current(self, name: str) -> Held | None:
        return self.changes.current(name) if self.is_shared(name) else self.get(name)

    def confirm(self, name: str) -> None:
        """Nothing is asked where there is nothing to be compared."""
        if self.is_shared(name) and (
            self.grant(name) is not None
            or self._register.has_intent(name)
            or any(map(os.path.lexists, self.places(name)))
        ):
            self.changes.confirm(name)

    def renumber(self, name: str, floor: int) -> int:
        return self.changes.renumber(name, floor)
