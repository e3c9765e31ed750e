"""The statements of `store.sql`, and the migration of older files."""

from __future__ import annotations

import os
import time

from interlock.model.errors import Refusal
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

COLUMNS = ['id', 'project_path', 'state_json', 'trigger', 'created_at', 'updated_at']


def _statements() -> dict[str, str]:
    """The statements by name."""
    path = os.path.join(os.path.dirname(__file__), 'store.sql')
    with open(path, encoding='UTF-8') as f:
        parts = [part.partition('\n') for part in f.read().split('\n-- ')[1:]]
    return {head.partition(':')[0]: text for head, _, text in parts}


SQL = _statements()
# the n-th migration makes version n from the version before
MIGRATIONS = [
    text.strip().rstrip(';').split(';')
    for name, text in SQL.items()
    if name.startswith('migration ')
]
VERSION = len(MIGRATIONS)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Exclusive from the first read to the last write, or rolled back."""
    db.execute('BEGIN IMMEDIATE')
    try:
        yield
        db.execute('COMMIT')
    except BaseException:
        # a full disk has already rolled it back
        if db.in_transaction:
            db.execute('ROLLBACK')
        raise


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute('PRAGMA user_version').fetchone()[0]
    return version


def _refuse_newer(version: int, path: str) -> None:
    if version > VERSION:
        raise Refusal(
            f'STA007 {path} has version {version}; this Interlock knows '
            f'{VERSION} and leaves it alone',
            'pip install --upgrade interlock-hooks',
        )


def _refuse_other_columns(db: sqlite3.Connection, path: str) -> None:
    rows = db.execute('PRAGMA table_info(workflow_state)').fetchall()
    if rows and [row[1] for row in rows] != COLUMNS:
        raise Refusal(
            f'STA006 the table workflow_state of {path} does not have the '
            f'columns of a store of states; nothing was changed',
            'export INTERLOCK_STORE=/another/path',
        )


def _log_ahead(db: sqlite3.Connection, wait: float) -> None:
    """Switch to a write-ahead log; SQLite itself does not wait for this."""
    from _sqlite3 import OperationalError

    end = time.monotonic() + wait
    while True:
        try:
            db.execute('PRAGMA journal_mode = WAL')
            return
        except OperationalError as e:
            # another process is creating the file at the same time
            if 'locked' not in str(e) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def migrate(db: sqlite3.Connection, path: str, wait: float) -> None:
    """Create or upgrade the tables, in one transaction."""
    _refuse_newer(_version(db), path)
    db.execute('PRAGMA synchronous = NORMAL')
    if _version(db) == VERSION:
        return
    _refuse_other_columns(db, path)
    _log_ahead(db, wait)
    with transaction(db):
        # another process may have migrated first
        version = _version(db)
        _refuse_newer(version, path)
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                db.execute(statement)
        db.execute(f'PRAGMA user_version = {VERSION}')
