"""Saved states in SQLite: one file for all projects of a user.

There is one row per project, like the handoff document, and one row per session and
agent, so that two that work at once do not overwrite each other. A session's state
is its own row; without one it is the project's row. Reading never mixes them.
"""

from __future__ import annotations

import os
import time

from interlock.model.errors import Busy, Refusal
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
)
from interlock.state import store_schema
from interlock.state.merge import merge
from interlock.state.store_schema import SQL
from interlock.state.validate import State, check_trigger, shown, valid_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

VARIABLE = 'INTERLOCK_STORE'
SCHEME = 'sqlite:///'
# hours after which a state is too old to continue from
MAX_AGE = 24.0
# seconds that one process waits for another
WAIT = 10.0
# the way out if a row cannot be read
FORGET = 'interlock state forget'


class Owner(NamedTuple):
    """Whose state it is: an agent's, a session's, or the project's."""

    session: str = ''
    agent: str = ''


NOBODY = Owner()


class LoadedState(NamedTuple):
    state: State | None
    trigger: str = ''
    age_hours: float = 0.0
    created_at: str = ''
    updated_at: str = ''
    # who saved it, if the row is a session's own
    owner: Owner = NOBODY
    # the owner has already been shown this state, unchanged
    given: bool = False
    # the session that saved it, if it is not the one that asks
    other: str = ''

    @property
    def found(self) -> bool:
        return self.state is not None

    @property
    def ago(self) -> str:
        """How long ago it was saved, in words."""
        hours = round(self.age_hours, 1)
        return f'{hours:.1f} h ago' if hours else 'just now'

    def as_json(self, project: str) -> dict[str, Any]:
        """The answer as JSON; a state that is too old is left out."""
        answer: dict[str, Any] = {'found': self.found, 'project': project}
        if self.trigger:
            answer.update(
                {
                    'state': self.state,
                    'trigger': self.trigger,
                    'age_hours': round(self.age_hours, 4),
                    'created_at': self.created_at,
                    'updated_at': self.updated_at,
                    'session': self.owner.session or None,
                    'agent': self.owner.agent or None,
                    'other_session': self.other or None,
                }
            )
        return answer


class SavedState(NamedTuple):
    state: State
    # the other session whose state was in the project's row before, if any
    replaced: str = ''


class StoredRow(NamedTuple):
    project: str
    owner: Owner
    trigger: str
    # None if the row has no valid time
    age_hours: float | None
    size: int


class UnsentRow(NamedTuple):
    """A session's state that a shared store does not have yet."""

    owner: Owner
    text: str
    trigger: str
    created_at: str
    updated_at: str
    revision: int


def age_in_hours(now: float, then: float) -> float:
    # setting the clock back makes nothing older
    return max(now - then, 0.0) / 3600


def seconds_since_1970(text: str) -> float:
    """Seconds for a time in SQLite's or ISO form, in UTC unless it names a zone."""
    import datetime

    moment = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return moment.timestamp()


def _default_path(environ: Mapping[str, str]) -> str:
    if os.name == 'nt':
        base = environ.get('LOCALAPPDATA') or os.path.expanduser('~')
    else:
        base = environ.get('XDG_STATE_HOME') or os.path.expanduser('~/.local/state')
    return os.path.join(base, 'interlock', 'state.db')


def store_path(environ: Mapping[str, str]) -> str:
    """The path in `$INTERLOCK_STORE`, also as `sqlite:///PATH`, else the default.

    The name of an engine only says where states are sent in addition.
    """
    given = environ.get(VARIABLE, '')
    if not given or given == 'sqlite' or given.partition(':')[0] == 'postgresql':
        return _default_path(environ)
    path = given.removeprefix(SCHEME)
    if '://' in path or not os.path.isabs(path):
        # a relative path would be another store in every directory
        raise Refusal(
            f'STA009 ${VARIABLE} is `{given}`, not an absolute path or '
            f'sqlite:///PATH with one',
            f'export {VARIABLE}={_default_path(environ)}',
        )
    return path


def store_exists(path: str) -> bool:
    """False if nothing was saved; Refusal if nothing can be saved there."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        folder = os.path.dirname(path)
        while not os.path.exists(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            raise Refusal(
                f'STA009 {path} cannot be used: {folder} is not a writable directory',
                f'ls -ld {folder}',
            ) from None
        return False
    except OSError as e:
        raise _unusable(path, e) from None
    return True


def _unusable(path: str, error: OSError) -> Refusal:
    return Refusal(
        f'STA009 {path} cannot be used: {error.strerror}',
        f'see that {path} can be read and written',
    )


def _refusal(path: str, error: sqlite3.Error) -> Refusal:
    from _sqlite3 import DatabaseError

    if 'locked' in str(error) or 'busy' in str(error):
        return Busy(
            f'STA008 {path} is locked: another process is writing to it',
            'run this again',
        )
    elif type(error) is DatabaseError:
        # not a subclass: the file itself is broken
        return Refusal(
            f'STA006 {path} is damaged ({error}); nothing was changed',
            f'mv {path} {path}.damaged',
        )
    return Refusal(
        f'STA009 {path} cannot be used: {error}',
        f'see that {path} can be read and written, and that the disk is not full',
    )


@contextmanager
def _refusals(path: str) -> Iterator[None]:
    """Turn failures of the database into refusals that name its file."""
    # only opening a store needs it; `sqlite3` would also import `datetime`
    from _sqlite3 import Error

    try:
        yield
    except Error as e:
        raise _refusal(path, e) from None
    except OSError as e:
        raise _unusable(path, e) from None


class Store:
    def __init__(
        self, path: str, wait: float = WAIT, clock: Callable[[], float] = time.time
    ) -> None:
        from _sqlite3 import connect

        self.path = path
        self.clock = clock
        with _refusals(path):
            # the store holds what people said, so only this user may read it
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = connect(path, timeout=wait, isolation_level=None)
        try:
            with _refusals(path):
                store_schema.migrate(self._db, path, wait)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _refusals(self.path), store_schema.transaction(self._db):
            yield

    def _age(self, updated_at: str) -> float:
        try:
            return age_in_hours(self.clock(), seconds_since_1970(str(updated_at)))
        except ValueError:
            raise Refusal(
                f'STA006 a row of {self.path} was saved at {shown(updated_at)}, '
                f'which is not a time',
                FORGET,
            ) from None

    def _state(self, text: str) -> State:
        import json

        try:
            state = json.loads(text)
        except (ValueError, RecursionError):
            state = None
        return valid_state(state, 'the saved state', FORGET)

    def _row(self, query: str, *values: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
        return found

    def _own(self, project: str, owner: Owner) -> tuple[Any, ...] | None:
        if not owner.session:
            return None
        return self._row(SQL['own'], project, *owner)

    def _shared(self, project: str) -> tuple[Any, ...] | None:
        return self._row(SQL['shared'], project)

    def _other(self, project: str, row: tuple[Any, ...] | None, owner: Owner) -> str:
        """The session that saved a project's row, if it is another one.

        Not every client's session has an id that a state may hold.
        """
        if row is None or not owner.session:
            return ''
        import json

        session = None
        with suppress(ValueError, RecursionError, AttributeError):
            session = json.loads(row[0]).get('session_id')
        if session:
            found = [str(session)]
        else:
            writers = self._db.execute(SQL['writers'], (project, row[3]))
            found = [name for (name,) in writers]
        return '' if not found or owner.session in found else found[0]

    def load(
        self, project: str, owner: Owner = NOBODY, max_age: float | None = None
    ) -> LoadedState:
        """The state that an owner continues from, left out if it is too old.

        An agent never continues from what its session saved. A session without
        a state of its own gets the project's, and the session that saved it.
        """
        with _refusals(self.path):
            row, whose, other = self._own(project, owner), owner, ''
            if row is None and not owner.agent:
                row, whose = self._shared(project), NOBODY
                other = self._other(project, row, owner)
        if row is None:
            return LoadedState(None)
        text, trigger, created_at, updated_at, given = row
        # the trigger is shown beside the state, and anybody may have written it
        check_trigger(trigger, FORGET)
        age = self._age(updated_at)
        state = self._state(text) if max_age is None or age <= max_age else None
        return LoadedState(
            state, trigger, age, created_at, updated_at, whose, bool(given), other
        )

    def save(
        self,
        project: str,
        state: State | Callable[[State], State],
        trigger: str,
        owner: Owner = NOBODY,
    ) -> SavedState:
        """Replace the state; a function may make the new one from it."""
        check_trigger(trigger)
        if not callable(state):
            valid_state(state, 'the state')
        with self._writing():
            if callable(state):
                made = state(self._bases(project, owner)[0])
                state = valid_state(made, 'the state')
            other = self._other(project, self._shared(project), owner)
            self._put(project, owner, trigger, state, state)
        return SavedState(state, other)

    def _bases(self, project: str, owner: Owner) -> tuple[State, State, str]:
        """The states that an owner and the project continue from; the other session.

        A session starts empty if the project's row belongs to another one.
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
    ) -> SavedState:
        """Merge updates into the state; a function may compute them from it."""
        check_trigger(trigger)
        if not callable(updates):
            valid_state(updates, 'the update')
        with self._writing():
            mine, whole, other = self._bases(project, owner)
            change = updates(mine) if callable(updates) else updates
            mine = valid_state(merge(mine, change), 'the updated state')
            if change:
                # the project's row holds the state of one session, never a mixture
                whole = mine if other else merge(whole, change)
                if not owner.agent:
                    valid_state(whole, 'the updated state')
                self._put(project, owner, trigger, mine, whole)
        return SavedState(mine, other)

    def give(self, project: str, owner: Owner, take_over: bool = False) -> LoadedState:
        """Like `load`, and remember that this owner was shown the state.

        The state that a session is shown becomes its own; another session's state
        only if it is taken over.
        """
        found = self.load(project, owner, MAX_AGE)
        if found.other and not take_over:
            return found
        if found.state is not None and owner.session and not found.given:
            # showing a state twice is better than never
            with suppress(Refusal):
                self._mark_given(project, owner, found)
        return found

    def _mark_given(self, project: str, owner: Owner, found: LoadedState) -> None:
        with self._writing():
            if self._own(project, owner) is None:
                # showing a state does not refresh its age
                self._put_own(
                    project, owner, found.trigger, found.state, found.updated_at
                )
            self._db.execute(SQL['give'], (project, *owner))

    def _put(
        self, project: str, owner: Owner, trigger: str, mine: State, whole: State
    ) -> None:
        import json

        now = self._now()
        self._put_own(project, owner, trigger, mine, now)
        if not owner.agent:
            values = (project, json.dumps(whole), trigger, now, now)
            self._db.execute(SQL['put_shared'], values)

    def _now(self) -> str:
        # as CURRENT_TIMESTAMP writes it
        return time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(self.clock()))

    def _put_own(
        self, project: str, owner: Owner, trigger: str, state: State | None, at: str
    ) -> None:
        import json

        if owner.session:
            values = (project, *owner, json.dumps(state), trigger, at, at)
            self._db.execute(SQL['put_own'], values)

    def rows(self) -> list[StoredRow]:
        with _refusals(self.path):
            rows = self._db.execute(SQL['rows']).fetchall()
        return [
            StoredRow(project, Owner(session, agent), trigger, self._age_or_none(at), n)
            for project, session, agent, trigger, at, n in rows
        ]

    def _age_or_none(self, updated_at: str) -> float | None:
        # one invalid row must not hide the others
        with suppress(Refusal):
            return self._age(updated_at)
        return None

    def forget(self, project: str) -> int:
        """Delete everything that is saved for a project; return the number of rows."""
        with self._writing():
            return sum(
                self._db.execute(statement, (project,)).rowcount
                for statement in (SQL['forget_shared'], SQL['forget_own'])
            )

    def share(self, project: str) -> None:
        """From now on, also send to others what is saved for a project; older states
        are not sent."""
        with self._writing():
            self._db.execute(SQL['share'], (project, self._now()))

    def is_shared(self, project: str) -> bool:
        with _refusals(self.path):
            return self._row(SQL['is_shared'], project) is not None

    def unsent(self, project: str) -> list[UnsentRow]:
        with _refusals(self.path):
            rows = self._db.execute(SQL['unsent'], (project,)).fetchall()
        return [
            UnsentRow(Owner(session, agent), text, trigger, created, updated, revision)
            for session, agent, text, trigger, created, updated, revision in rows
        ]

    def mark_sent(self, project: str, rows: Iterable[UnsentRow]) -> None:
        """Mark rows as sent; a state that was saved again meanwhile is sent again."""
        with self._writing():
            for row in rows:
                values = (row.revision, project, *row.owner)
                self._db.execute(SQL['sent'], values)

    def problems(self) -> list[str]:
        """What SQLite finds wrong with the file; [] if it is sound."""
        with _refusals(self.path):
            rows = self._db.execute('PRAGMA integrity_check').fetchall()
        return [text for (text,) in rows if text != 'ok']


@contextmanager
def open_store(environ: Mapping[str, str], wait: float = WAIT) -> Iterator[Store]:
    store = Store(store_path(environ), wait)
    try:
        yield store
    finally:
        store.close()
