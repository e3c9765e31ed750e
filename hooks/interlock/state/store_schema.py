"""The tables of the store, its queries, and the migration of older files."""

from __future__ import annotations

import time

from interlock.model.errors import Refusal
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

# as the handoff document defines it
WORKFLOW_STATE = """
CREATE TABLE IF NOT EXISTS workflow_state (
    id INTEGER PRIMARY KEY,
    project_path TEXT NOT NULL UNIQUE,
    state_json TEXT NOT NULL,
    trigger TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
)
"""
SESSION_STATE = """
CREATE TABLE session_state (
    project_path TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    state_json TEXT NOT NULL,
    trigger TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    given INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_path, session_id, agent_id)
) WITHOUT ROWID
"""
# since when the states of a project are sent to others
SHARED_SINCE = """
CREATE TABLE shared_project (
    project_path TEXT PRIMARY KEY,
    since TIMESTAMP NOT NULL
) WITHOUT ROWID
"""
# the revision that others have
SENT_REVISION = 'ALTER TABLE session_state ADD COLUMN sent INTEGER NOT NULL DEFAULT 0'
OWN = (
    'SELECT state_json, trigger, created_at, updated_at, revision = given '
    'FROM session_state '
    'WHERE project_path = ? AND session_id = ? AND agent_id = ?'
)
SHARED = (
    'SELECT state_json, trigger, created_at, updated_at, 0 '
    'FROM workflow_state WHERE project_path = ?'
)
# the project's row is written together with that of a session
WRITERS = (
    'SELECT session_id FROM session_state '
    "WHERE project_path = ? AND agent_id = '' AND updated_at = ?"
)
PUT_SHARED = (
    'INSERT INTO workflow_state '
    '(project_path, state_json, trigger, created_at, updated_at) '
    'VALUES (?, ?, ?, ?, ?) ON CONFLICT (project_path) DO UPDATE SET '
    'state_json = excluded.state_json, trigger = excluded.trigger, '
    'updated_at = excluded.updated_at'
)
PUT_OWN = (
    'INSERT INTO session_state (project_path, session_id, agent_id, '
    'state_json, trigger, created_at, updated_at) '
    'VALUES (?, ?, ?, ?, ?, ?, ?) '
    'ON CONFLICT (project_path, session_id, agent_id) DO UPDATE SET '
    'state_json = excluded.state_json, trigger = excluded.trigger, '
    'updated_at = excluded.updated_at, revision = revision + 1'
)
GIVE = (
    'UPDATE session_state SET given = revision '
    'WHERE project_path = ? AND session_id = ? AND agent_id = ?'
)
ROWS = (
    "SELECT project_path, '', '', trigger, updated_at, length(state_json) "
    'FROM workflow_state UNION ALL '
    'SELECT project_path, session_id, agent_id, trigger, updated_at, '
    'length(state_json) FROM session_state ORDER BY 1, 2, 3'
)
FORGET = (
    'DELETE FROM workflow_state WHERE project_path = ?',
    'DELETE FROM session_state WHERE project_path = ?',
)
SHARE = 'INSERT INTO shared_project VALUES (?, ?) ON CONFLICT DO NOTHING'
IS_SHARED = 'SELECT 1 FROM shared_project WHERE project_path = ?'
UNSENT = (
    'SELECT session_id, agent_id, state_json, trigger, created_at, updated_at, '
    'revision FROM session_state JOIN shared_project USING (project_path) '
    'WHERE project_path = ? AND revision > sent AND updated_at >= since '
    'ORDER BY updated_at'
)
SENT = (
    'UPDATE session_state SET sent = ? '
    'WHERE project_path = ? AND session_id = ? AND agent_id = ?'
)
COLUMNS = ['id', 'project_path', 'state_json', 'trigger', 'created_at', 'updated_at']
# the n-th makes version n from the version before
MIGRATIONS = ((WORKFLOW_STATE, SESSION_STATE), (SHARED_SINCE, SENT_REVISION))
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
    """Switch to a write-ahead log, which SQLite does not wait for by itself."""
    import sqlite3

    end = time.monotonic() + wait
    while True:
        try:
            db.execute('PRAGMA journal_mode = WAL')
            return
        except sqlite3.OperationalError as e:
            # another process makes the file at the same time
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
        # another process may have been faster
        version = _version(db)
        _refuse_newer(version, path)
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                db.execute(statement)
        db.execute(f'PRAGMA user_version = {VERSION}')
