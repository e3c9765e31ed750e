"""Locks as rows of a PostgreSQL database, changed only by its functions."""

from __future__ import annotations

import json

from interlock.model.quick_typing import Any, Mapping, Sequence
from interlock.postgresql.database import (
    Database,
    DatabaseError,
    NotAnswered,
    NotAsked,
    Row,
    only,
)
from interlock.tasks.engines.decision import next_generation
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    FORCED,
    MOVED,
    POSTGRESQL,
    PUSHED,
    RELEASED,
    Answer,
    EngineError,
    LockRecord,
    LogEntry,
    Marker,
    Question,
    Refused,
    Unknown,
    Unreachable,
)

SHOW = (
    'SELECT name, generation, version, session, holder, record, token, event '
    'FROM interlock.lock WHERE repository = %s AND generation > 0'
)
EVENTS = (
    'SELECT event, generation, session, token, '
    """to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), """
    'note, version, role FROM interlock.event '
    'WHERE repository = %s AND name = %s ORDER BY number'
)
FILES = (
    "SELECT note ->> 'files' FROM interlock.event WHERE repository = %s "
    "AND name = %s AND note ? 'files' ORDER BY number DESC LIMIT 1"
)
# event -> its function, and the arguments besides the repository, the name, the
# token and the seconds that it may wait
FUNCTIONS = {
    ACQUIRED: (
        'SELECT * FROM interlock.acquire'
        '(%s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s::jsonb)',
        ('holder', 'floor', 'generation', 'data', 'note'),
    ),
    CHANGED: (
        'SELECT * FROM interlock.change'
        '(%s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s::jsonb)',
        ('holder', 'generation', 'version', 'data', 'note'),
    ),
    RELEASED: (
        'SELECT * FROM interlock.release(%s, %s, %s, %s, %s::jsonb, %s, %s::jsonb)',
        ('holder', 'generation', 'note'),
    ),
    FORCED: (
        'SELECT * FROM interlock.force(%s, %s, %s, %s, %s, %s::jsonb)',
        ('generation', 'note'),
    ),
    MOVED: (
        'SELECT * FROM interlock.move(%s, %s, %s, %s, %s, %s, %s::jsonb)',
        ('generation', 'data', 'note'),
    ),
}
BURN = 'SELECT interlock.burn(%s, %s, %s, %s)'
MARKER = 'SELECT engine, epoch FROM interlock.repository WHERE name = %s'
MARK = 'SELECT interlock.mark(%s, %s, %s)'
# another client took and gave back the lock while we looked at it
COUNTED = 'counted on'
TRIES = 5


def _record(name: str, row: Sequence[Any]) -> LockRecord:
    generation, version, session, holder, data, token, event = row
    return LockRecord(
        name, generation, str(version), session, holder, bytes(data), token, event
    )


def _answer(name: str, row: Row) -> Answer:
    ok, why, *record = row
    # a lock that was never held has no row, or an empty one
    return Answer(ok, _record(name, record) if record[0] else None, why)


def _error(error: DatabaseError, token: str) -> EngineError:
    if isinstance(error, NotAsked):
        return Unreachable(error.why)
    elif isinstance(error, NotAnswered):
        return Unknown(error.why, token) if token else Unreachable(error.why)
    return Refused(f'{error.why} ({error.hint})' if error.hint else error.why)


def _storable(value: Any) -> Any:
    """Text that PostgreSQL can store: paths may be any bytes."""
    if not isinstance(value, str):
        return value
    return value.encode('utf-8', 'replace').decode().replace('\0', '?')


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps({key: _storable(value) for key, value in values.items()})


def _number(version: str) -> int:
    return int(version) if version.isascii() and version.isdigit() else -1


class PostgresqlLocks:
    kind = POSTGRESQL

    def __init__(self, service: str, repository: str, timeout: float) -> None:
        self._repository = repository
        self._database = Database(service, timeout)

    def close(self) -> None:
        self._database.close()

    def _ask(self, statement: str, *values: object, token: str = '') -> list[Row]:
        try:
            return self._database.ask(statement, self._repository, *values)
        except DatabaseError as e:
            raise _error(e, token) from None

    def show(self, name: str) -> LockRecord | None:
        rows = self._ask(f'{SHOW} AND name = %s', name)
        return _record(name, rows[0][1:]) if rows else None

    lately = show

    def list(self) -> Sequence[LockRecord]:
        return [_record(name, row) for name, *row in self._ask(f'{SHOW} ORDER BY name')]

    def events(self, name: str) -> Sequence[LogEntry]:
        return [
            LogEntry(
                event,
                generation,
                session,
                token,
                at,
                str(note.get('person', '')),
                str(note.get('reason', '')),
                str(version),
                role,
            )
            for event, generation, session, token, at, note, version, role in self._ask(
                EVENTS, name
            )
        ]

    def files(self, name: str) -> str:
        rows = self._ask(FILES, name)
        return str(rows[0][0]) if rows else ''

    def ask(self, question: Question) -> Answer:
        if question.event == PUSHED:
            raise Refused('only the engine git-remote pushes branches with their proof')
        elif question.event != ACQUIRED:
            return self._changed(question, question.generation)
        known = self.show(question.name)
        for _ in range(TRIES):
            # the bytes of the lock name the generation, which the row counts
            answer = self._changed(question, next_generation(question, known))
            if answer.why != COUNTED:
                return answer
            known = answer.record
        raise Refused(
            f'{question.name} was taken and given back {TRIES} times meanwhile'
        )

    def _changed(self, asked: Question, generation: int) -> Answer:
        statement, names = FUNCTIONS[asked.event]
        given = {
            'holder': _json(asked.holder._asdict()) if asked.holder else '',
            'floor': asked.generation,
            'generation': generation,
            'version': _number(asked.version),
            'data': asked.render(generation) if asked.render else b'',
            'note': _json(asked.note),
        }
        rows = self._ask(
            statement,
            asked.name,
            asked.token,
            self._database.wait,
            *(given[name] for name in names),
            token=asked.token,
        )
        return _answer(asked.name, only(rows))

    def settle(self, name: str, token: str, expected: str) -> str:
        row = only(self._ask(BURN, name, token, self._database.wait, token=token))
        return str(row[0])

    def marker(self) -> Marker | None:
        rows = self._ask(MARKER)
        return Marker(*rows[0]) if rows else None

    def mark(self, marker: Marker, token: str) -> Answer:
        row = only(self._ask(MARK, marker.engine, marker.epoch, token=token))
        return Answer(row[0], None, '' if row[0] else 'a newer marker is there')
