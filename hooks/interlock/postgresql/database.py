"""Questions to PostgreSQL, each with a deadline of our own.

A stopped server, or a network that drops packets, keeps libpq waiting whatever
its timeouts. So a thread asks, and the caller stops waiting at the deadline. A
question is never cancelled: a commit whose wait for the standby is cancelled
still counts as made.

The statements use no session state and are not prepared, so a pooler may give
each transaction another connection.
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
# the server closed the connection without telling the outcome
CONNECTION_LOST = ('08', '57P')
MIGRATE = 'interlock lock migrate-schema'
UPGRADE = "pip install --upgrade 'interlock-hooks[postgresql]'"
# the errors of a server without our schema
NO_SCHEMA = frozenset({'3F000', '42P01', '42883', '42703'})


class DatabaseError(Exception):
    """`why` is one line without a password."""

    def __init__(self, why: str, hint: str = '') -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint


class NotAsked(DatabaseError):
    """The question was not sent, so it has changed nothing."""


class NotAnswered(DatabaseError):
    """The question was sent, and its outcome is unknown."""


class Rejected(DatabaseError):
    """The server answered with an error and has changed nothing."""


class Transaction:
    """Runs the statements of one transaction: all of them take effect, or none."""

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
    """A question in a thread that the caller may abandon."""

    def __init__(self, connect: Callable[[], None], work: Callable[[], Any]) -> None:
        self._connect = connect
        self._work = work
        self._guard = threading.Lock()
        # set once the caller stops waiting
        self._end: Callable[[], None] | None = None
        self._ended = False
        self.asked = False
        self.result: list[Any] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _begin(self) -> bool:
        """Whether the caller still waits: only then is the question sent."""
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
        """Stop waiting for the thread; `end` is called when it ends. Returns
        whether the question was sent."""
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
        # whether this version must know the schema
        self._checked = checked
        self._connection: Connection[Row] | None = None
        self._warnings: list[str] = []

    @property
    def wait(self) -> int:
        """Milliseconds that a question may wait for a row: the server must
        refuse it before our own deadline."""
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
        # a command asks while it runs, and does not announce its end
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
        """Run one statement as a transaction of its own."""
        return self._within_deadline(lambda: self._asking().ask(statement, *values))

    def transaction(self, work: Work[T]) -> T:
        """Run several statements; each holds its locks until the end."""

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
            # the thread keeps the connection, so it is not used again
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
    """Create or upgrade the schema; returns the version before and after."""
    database = Database(service, timeout, checked=False)
    try:
        return database.transaction(lambda asking: _migrate(asking, last))
    finally:
        database.close()


def _migrate(asking: Transaction, last: int) -> tuple[int, int]:
    # one migration at a time, wherever they run
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
