"""Questions to PostgreSQL, each with a deadline of our own.

A server that was stopped, or a network that swallows packets, keeps libpq
waiting whatever timeouts it was given. So a thread asks, and the caller
stops waiting for it at the deadline. Nothing is ever cancelled: a commit whose wait
for the standby is cancelled counts as made.

The statements name no session state and are not prepared, so that a pooler may
give each transaction to another connection.
"""

from __future__ import annotations

import threading
import weakref

from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable, Sequence, TypeVar
from interlock.postgresql import migrations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.errors import Diagnostic, Error

T = TypeVar('T')
Row = tuple[Any, ...]
# the server ended the connection, and did not say what became of the question
CONNECTION_LOST = ('08', '57P')
MIGRATE = 'interlock lock migrate-schema'
UPGRADE = "pip install --upgrade 'interlock-hooks[postgresql]'"
# what a server without our schema says of it
NO_SCHEMA = frozenset({'3F000', '42P01', '42883', '42703'})


class DatabaseError(Exception):
    """`why` is one line, and holds no password."""

    def __init__(self, why: str, hint: str = '') -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint


class NotAsked(DatabaseError):
    """The question never left, so it has changed nothing."""


class NotAnswered(DatabaseError):
    """The question was sent, and its outcome is unknown."""


class Rejected(DatabaseError):
    """The server answered with an error, and has changed nothing."""


class Transaction:
    """What a piece of work may ask; all of it happens, or none."""

    def __init__(self, connection: Connection[Row]) -> None:
        self._connection = connection

    def ask(self, statement: str, *values: object) -> list[Row]:
        found = self._connection.execute(statement.encode(), values or None)
        return found.fetchall() if found.description else []


Work = Callable[[Transaction], T]


def _load() -> Any:
    try:
        import psycopg
    except ImportError as e:
        raise Refusal(
            f'PostgreSQL needs psycopg, which cannot be imported ({e})',
            "pip install 'interlock-hooks[postgresql]'",
        ) from None
    return psycopg


def _nothing() -> None:
    return None


def _warnings_to(warnings: list[str]) -> Callable[[Diagnostic], None]:
    def handle(notice: Diagnostic) -> None:
        if notice.severity_nonlocalized == 'WARNING':
            warnings.append(notice.message_primary or 'a warning')

    return handle


def _one_line(error: Exception) -> str:
    return ' '.join(str(error).split())


def _rejection(error: Error) -> DatabaseError:
    code, why = error.sqlstate, _one_line(error)
    if code is None or code.startswith(CONNECTION_LOST):
        return NotAnswered(f'the connection was lost: {why}')
    elif code in NO_SCHEMA:
        return Rejected(
            'the database has no schema of Interlock, or an old one', MIGRATE
        )
    return Rejected(error.diag.message_primary or why)


class _Job:
    """A question in a thread that may be left behind."""

    def __init__(self, connect: Callable[[], None], work: Callable[[], Any]) -> None:
        self._connect = connect
        self._work = work
        self._guard = threading.Lock()
        # set once nobody waits any more
        self._end: Callable[[], None] | None = None
        self._ended = False
        self.asked = False
        self.result: list[Any] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _begin(self) -> bool:
        """Whether somebody still waits: only then the question leaves."""
        with self._guard:
            self.asked = self._end is None
            return self.asked

    def _run(self) -> None:
        try:
            self._connect()
            if self._begin():
                self.result.append(self._work())
        except BaseException as e:
            self.error = e
        with self._guard:
            self._ended = True
            if self._end is not None:
                self._end()

    def abandon(self, end: Callable[[], None]) -> bool:
        """Leave the thread behind; `end` is called when it ends. Says whether
        the question had left."""
        with self._guard:
            self._end = end
            if self._ended:
                end()
            return self.asked


class Database:
    def __init__(self, service: str, timeout: float, checked: bool = True) -> None:
        self._psycopg = _load()
        self._service = service
        self._timeout = timeout
        # whether the schema has to be one that this version knows
        self._checked = checked
        self._connection: Connection[Row] | None = None
        self._warnings: list[str] = []

    @property
    def wait(self) -> int:
        """Milliseconds for which a question may wait for a row: it has to be
        refused before our own deadline."""
        return max(int(self._timeout * 700), 1)

    def _connect(self) -> None:
        if self._connection is not None:
            return
        connection = self._psycopg.connect(
            service=self._service,
            connect_timeout=max(int(self._timeout), 2),
            application_name='interlock',
            autocommit=True,
            prepare_threshold=None,
        )
        # a command asks as long as it runs, and does not say when it ends
        weakref.finalize(self, connection.close)
        connection.add_notice_handler(_warnings_to(self._warnings))
        if self._checked:
            _require_schema(Transaction(connection))
        self._connection = connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def ask(self, statement: str, *values: object) -> list[Row]:
        """One statement, which is a transaction of its own."""
        return self._within_deadline(lambda: self._asking().ask(statement, *values))

    def transaction(self, work: Work[T]) -> T:
        """Several statements; while one is answered, the locks of those before
        it are held."""

        def run() -> T:
            asking = self._asking()
            assert self._connection is not None, 'the job has connected'
            with self._connection.transaction():
                return work(asking)

        return self._within_deadline(run)

    def _asking(self) -> Transaction:
        assert self._connection is not None, 'the job has connected'
        return Transaction(self._connection)

    def _within_deadline(self, work: Callable[[], T]) -> T:
        self._warnings.clear()
        job = _Job(self._connect, work)
        job.thread.start()
        job.thread.join(self._timeout)
        if job.thread.is_alive():
            # the thread keeps the connection: it is not used again
            connection, self._connection = self._connection, None
            asked = job.abandon(connection.close if connection else _nothing)
            why = f'no answer within {self._timeout:g} seconds'
            raise NotAnswered(why) if asked else NotAsked(why)
        if job.error is not None:
            raise self._explained(job.error, job.asked) from None
        if self._warnings:
            # the standby may not have it, and a failover would undo it
            raise NotAnswered(f'the server warns: {self._warnings[0]}')
        found: T = job.result[0]
        return found

    def _explained(self, error: BaseException, asked: bool) -> BaseException:
        if not isinstance(error, self._psycopg.Error):
            return error
        found = _rejection(error)
        if not isinstance(found, Rejected):
            self.close()
        if asked or isinstance(found, Rejected):
            return found
        return NotAsked(_one_line(error))


def _require_schema(asking: Transaction) -> None:
    ((version, oldest),) = asking.ask('SELECT version, oldest FROM interlock.schema')
    if oldest > migrations.VERSION:
        raise Rejected(
            f'the schema of the database has version {version}, but this Interlock '
            f'knows only {migrations.VERSION}',
            UPGRADE,
        )
    elif version < migrations.VERSION:
        raise Rejected(
            f'the schema of the database has version {version}, but this Interlock '
            f'needs {migrations.VERSION}',
            MIGRATE,
        )


def migrate(
    service: str, timeout: float, last: int = migrations.VERSION
) -> tuple[int, int]:
    """Create or upgrade the schema; the version before and after."""
    database = Database(service, timeout, checked=False)
    try:
        return database.transaction(lambda asking: _migrate(asking, last))
    finally:
        database.close()


def _migrate(asking: Transaction, last: int) -> tuple[int, int]:
    # one after another, wherever they run
    asking.ask("SELECT pg_advisory_xact_lock(hashtext('interlock'))")
    ((there,),) = asking.ask("SELECT to_regclass('interlock.schema') IS NOT NULL")
    before = asking.ask('SELECT version FROM interlock.schema')[0][0] if there else 0
    if before > migrations.VERSION:
        raise Rejected(
            f'the schema of the database has version {before}, but this Interlock '
            f'knows only {migrations.VERSION}',
            UPGRADE,
        )
    for statements in migrations.after(before, last):
        asking.ask(statements)
    oldest = min(migrations.OLDEST, last)
    asking.ask('UPDATE interlock.schema SET version = %s, oldest = %s', last, oldest)
    return before, last


def only(rows: Sequence[Row]) -> Row:
    (row,) = rows
    return row
