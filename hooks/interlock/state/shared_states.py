"""Saved states in PostgreSQL, beside the local store, for a team that wants it.

The local file is always written first, and hooks read it: nothing waits for a
network. A command sends its contents later. On another machine a session finds its
own state here; the project's state is the newest one of any session, and the answer
says whose it is.
"""

from __future__ import annotations

import datetime
import json
import os
import time

from interlock.git.git_paths import folder_of, project_of, top_of
from interlock.git.remotes import repository_name
from interlock.git.workflow_source import nearest, of_file
from interlock.model.errors import Busy, Refusal
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.postgresql.database import Database, DatabaseError, NotAsked, Row
from interlock.state.store import (
    LoadedState,
    Owner,
    Store,
    UnsentRow,
    age_in_hours,
    seconds_since_1970,
)
from interlock.state.validate import check_trigger, valid_state
from interlock.workflow.language.sharing import STORE, store_on

SAVE = 'SELECT interlock.save_state(%s, %s, %s, %s, %s, %s, %s, %s)'
OWN = (
    'SELECT state, trigger, created_at, updated_at, session '
    'FROM interlock.session_state '
    'WHERE repository = %s AND session = %s AND agent = %s'
)
PROJECT = (
    'SELECT state, trigger, created_at, updated_at, session '
    'FROM interlock.project_state WHERE repository = %s'
)
EXPIRE = 'SELECT interlock.expire_states(%s, %s)'
FORGET = 'SELECT interlock.forget_states(%s)'
AGAIN = 'interlock state send'


def _text(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M:%S')


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(
        seconds_since_1970(text), datetime.timezone.utc
    )


class SharedStates:
    def __init__(self, service: str, repository: str, timeout: float) -> None:
        self._service = service
        self._repository = repository
        self._database = Database(service, timeout)

    def _ask(self, statement: str, *values: object) -> list[Row]:
        try:
            return self._database.ask(statement, self._repository, *values)
        except DatabaseError as e:
            kind = Busy if isinstance(e, NotAsked) else Refusal
            raise kind(
                f'STA011 the shared store (service {self._service}) did not answer '
                f'correctly: {e.why}; the local store has everything',
                e.hint or AGAIN,
            ) from None

    def send(self, rows: Sequence[UnsentRow], days: int) -> None:
        """Save states from the local store; drop those that are too old."""
        for row in rows:
            valid_state(json.loads(row.text), 'the saved state')
            self._ask(
                SAVE,
                self._database.wait,
                *row.owner,
                row.text,
                row.trigger,
                _moment(row.created_at),
                _moment(row.updated_at),
            )
        self._ask(EXPIRE, days)

    def load(
        self, owner: Owner, now: float, max_age: float | None = None
    ) -> LoadedState:
        """Like the local store: the owner's own state, else the project's with the
        session that saved it. An agent gets only its own."""
        rows = self._ask(OWN, *owner) if owner.session else []
        whose = owner if rows else Owner()
        if not rows and not owner.agent:
            rows = self._ask(PROJECT)
        if not rows:
            return LoadedState(None)
        text, trigger, created_at, updated_at, session = rows[0]
        check_trigger(trigger, AGAIN)
        age = age_in_hours(now, updated_at.timestamp())
        fresh = max_age is None or age <= max_age
        state = valid_state(json.loads(text), 'the shared state') if fresh else None
        return LoadedState(
            state,
            trigger,
            age,
            _text(created_at),
            _text(updated_at),
            whose,
            other='' if session == owner.session else session,
        )

    def forget(self) -> int:
        """Delete everything that this role saved; return the number of rows."""
        ((count,),) = self._ask(FORGET)
        return int(count)


class Sharing(NamedTuple):
    """How a project shares its states."""

    states: SharedStates
    service: str
    # days
    keep: int

    def send(self, store: Store, project: str) -> int:
        """Send the states that others do not have yet; return how many."""
        rows = store.unsent(project)
        self.states.send(rows, self.keep)
        store.mark_sent(project, rows)
        return len(rows)


def sharing_of(project: str) -> Sharing | None:
    """How the project shares its states, None if it does not.

    The workflow is that of the working directory.
    """
    file = nearest('') if project == project_of('.') else ''
    if not file:
        return None
    workflow = of_file(file, top_of(folder_of(file)))
    found = store_on(workflow.store, os.environ.get(STORE, ''))
    if not found.is_shared:
        return None
    name = repository_name(os.environ, project, workflow.locks)
    states = SharedStates(found.service, name, workflow.locks.timeout)
    return Sharing(states, found.service, found.keep)


def send_if_shared(store: Store, project: str) -> None:
    """Send what was just saved; it stays here if it cannot be sent."""
    sharing = sharing_of(project) if store.is_shared(project) else None
    if sharing is not None:
        sharing.send(store, project)


def load_elsewhere(
    here: LoadedState, project: str, owner: Owner, max_age: float
) -> LoadedState:
    """The state to continue from, given the one that is saved here: the session's own,
    else the newest one of others, from this machine or another."""
    is_own = bool(here.trigger) and not here.other
    sharing = None if is_own else sharing_of(project)
    if sharing is None:
        return here
    there = sharing.states.load(owner, time.time(), max_age)
    is_better = not there.other or there.age_hours < here.age_hours
    return there if there.trigger and (not here.trigger or is_better) else here
