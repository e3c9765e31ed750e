"""Saved states in SQLite: one file for all projects of a user.

One row a project, as the handoff document has it, and beside it one row for
each session and agent, so that two that work at once do not overwrite each
other. A session's own row is its state; without one the project's is. They
are never mixed when they are read.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interlock.model.errors import Refusal
from interlock.state import store_schema
from interlock.state.clock import seconds, timestamp
from interlock.state.merge import merged
from interlock.state.parse_state import accept_trigger, accepted
from interlock.state.store_path import create, named, path_of
from interlock.state.store_types import NOBODY, Entry, Loaded, Owner, Saved, State
from interlock.state.validate import shown

MAX_AGE = 24.0
# seconds that one process waits for another
WAIT = 10.0
# the way out of a row that makes no sense
FORGET = 'interlock state forget'


class Store:
    def __init__(
        self, path: str, wait: float = WAIT, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self.clock = clock
        with named(path):
            create(path)
            self._db = sqlite3.connect(path, timeout=wait, isolation_level=None)
        try:
            with named(path):
                store_schema.migrate(self._db, path)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with named(self.path), store_schema.transaction(self._db):
            yield

    def _age(self, updated_at: str) -> float:
        try:
            age = self.clock() - seconds(str(updated_at))
        except ValueError:
            raise Refusal(
                f'STA006 a row of {self.path} was saved at '
                f'{shown(updated_at)}, '
                f'which is no time',
                FORGET,
            ) from None
        # a clock that was set back makes nothing older
        return max(age, 0.0) / 3600

    def _state(self, text: str) -> State:
        try:
            state = json.loads(text)
        except (ValueError, RecursionError):
            state = None
        return accepted(state, 'the saved state', FORGET)

    def _own(self, project: str, owner: Owner) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = (
            self._db.execute(store_schema.OWN, (project, *owner)).fetchone()
            if owner.session
            else None
        )
        return found

    def _shared(self, project: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._db.execute(
            store_schema.SHARED, (project,)
        ).fetchone()
        return found

    def _other(self, project: str, row: tuple[Any, ...] | None, owner: Owner) -> str:
        """The session that a project's row speaks of, if it is another one.

        Not every client's session has a name that a state may hold.
        """
        if row is None or not owner.session:
            return ''
        named = None
        with contextlib.suppress(ValueError, RecursionError, AttributeError):
            named = json.loads(row[0]).get('session_id')
        found = (
            [str(named)]
            if named
            else [
                session
                for (session,) in self._db.execute(
                    store_schema.WRITERS, (project, row[3])
                )
            ]
        )
        return '' if not found or owner.session in found else found[0]

    def load(
        self, project: str, owner: Owner = NOBODY, max_age: float | None = None
    ) -> Loaded:
        """The state that an owner goes on from; one that is too old is none.

        An agent never goes on from what its session saved. A session without
        a state of its own is told whose the project's is.
        """
        with named(self.path):
            row, whose, other = self._own(project, owner), owner, ''
            if row is None and not owner.agent:
                row, whose = self._shared(project), NOBODY
                other = self._other(project, row, owner)
        if row is None:
            return Loaded(None)
        text, trigger, created_at, updated_at, given = row
        # it is shown beside the state, and whoever wrote it is not known
        accept_trigger(trigger, FORGET)
        age = self._age(updated_at)
        fresh = max_age is None or age <= max_age
        return Loaded(
            self._state(text) if fresh else None,
            trigger,
            age,
            created_at,
            updated_at,
            whose,
            bool(given),
            other,
        )

    def save(
        self, project: str, state: State, trigger: str, owner: Owner = NOBODY
    ) -> Saved:
        """The state becomes this one, whatever it was."""
        accept_trigger(trigger)
        accepted(state, 'the state')
        with self._writing():
            other = self._other(project, self._shared(project), owner)
            self._put(project, state, trigger, owner)
        return Saved(state, other)

    def _bases(self, project: str, owner: Owner) -> tuple[State, State, str]:
        """What an owner and the project go on from, and the other session.

        A session that nobody gave another one's state begins with nothing.
        """
        shared, own = self._shared(project), self._own(project, owner)
        other = self._other(project, shared, owner)
        whole = self._state(shared[0]) if shared else {}
        mine = whole if not (owner.agent or other) else {}
        return self._state(own[0]) if own else mine, whole, other

    def update(
        self,
        project: str,
        updates: State | Callable[[State], State],
        trigger: str = 'auto',
        owner: Owner = NOBODY,
    ) -> Saved:
        """Merges updates, or what a function makes of the state, into it."""
        accept_trigger(trigger)
        if not callable(updates):
            accepted(updates, 'the update')
        with self._writing():
            mine, whole, other = self._bases(project, owner)
            change = updates(mine) if callable(updates) else updates
            changed = accepted(merged(mine, change), 'the updated state')
            now = timestamp(self.clock())
            if change:
                self._put_own(project, changed, trigger, owner, now)
            if change and not owner.agent:
                # the state of one session, never a mixture of two
                whole = (
                    changed
                    if other
                    else accepted(merged(whole, change), 'the updated state')
                )
                self._put_shared(project, whole, trigger, now)
        return Saved(changed, other)

    def rewrite(
        self,
        project: str,
        make: Callable[[State], State],
        trigger: str,
        owner: Owner = NOBODY,
    ) -> State:
        """Saves what a function makes of the state; nobody gets between."""
        accept_trigger(trigger)
        with self._writing():
            state = make(self._bases(project, owner)[0])
            accepted(state, 'the state')
            self._put(project, state, trigger, owner)
        return state

    def give(
        self,
        project: str,
        owner: Owner,
        max_age: float = MAX_AGE,
        take_over: bool = False,
    ) -> Loaded:
        """As `load`, and remembers that this owner was shown the state.

        What a session is shown becomes its own: it goes on from there.
        Another session's state does only where it is taken over.
        """
        found = self.load(project, owner, max_age)
        if found.other and not take_over:
            return found
        if found.state is not None and owner.session and not found.given:
            # better to be shown twice than not at all
            with contextlib.suppress(Refusal):
                self._mark_given(project, owner, found)
        return found

    def _mark_given(self, project: str, owner: Owner, found: Loaded) -> None:
        assert found.state is not None
        with self._writing():
            if self._own(project, owner) is None:
                # to be shown makes nothing younger
                self._put_own(
                    project, found.state, found.trigger, owner, found.updated_at
                )
            self._db.execute(store_schema.GIVE, (project, *owner))

    def _put(self, project: str, state: State, trigger: str, owner: Owner) -> None:
        now = timestamp(self.clock())
        self._put_own(project, state, trigger, owner, now)
        if not owner.agent:
            self._put_shared(project, state, trigger, now)

    def _put_shared(self, project: str, state: State, trigger: str, now: str) -> None:
        self._db.execute(
            store_schema.PUT_SHARED, (project, json.dumps(state), trigger, now, now)
        )

    def _put_own(
        self, project: str, state: State, trigger: str, owner: Owner, now: str
    ) -> None:
        if owner.session:
            self._db.execute(
                store_schema.PUT_OWN,
                (project, *owner, json.dumps(state), trigger, now, now),
            )

    def entries(self) -> list[Entry]:
        with named(self.path):
            rows = self._db.execute(store_schema.ENTRIES).fetchall()
        return [
            Entry(project, Owner(session, agent), trigger, self._known_age(at), size)
            for project, session, agent, trigger, at, size in rows
        ]

    def _known_age(self, updated_at: str) -> float | None:
        # one row that makes no sense does not hide the others
        with contextlib.suppress(Refusal):
            return self._age(updated_at)
        return None

    def forget(self, project: str) -> int:
        """Deletes all that is saved of a project; how many rows it was."""
        with self._writing():
            return sum(
                self._db.execute(statement, (project,)).rowcount
                for statement in store_schema.FORGET
            )

    def problems(self) -> list[str]:
        """What SQLite finds wrong with the file; [] if it is sound."""
        with named(self.path):
            rows = self._db.execute('PRAGMA integrity_check').fetchall()
        return [text for (text,) in rows if text != 'ok']


@contextlib.contextmanager
def opened(environ: Mapping[str, str], wait: float = WAIT) -> Iterator[Store]:
    store = Store(path_of(environ), wait)
    try:
        yield store
    finally:
        store.close()
