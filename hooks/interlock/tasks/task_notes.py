"""Short notes about tasks that none of their own files may hold."""

from __future__ import annotations

import os

from interlock.files import atomic_files, records
from interlock.tasks.engines.register import Register
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_layout import Workspace

# the entry of the todo list that the task began with
TODO = 'todo'
# when the session that holds the lock ended
ENDED = 'ended'
# what the user told a session to do with an abandoned task
CONSENT = 'consent'
CLEAN = 'clean'
ADOPT = 'adopt'


def write_note(space: Workspace, task: str, what: str, text: str) -> None:
    path = Register(space.state).file(task, what)
    records.save_bytes(path, f'{text}\n'.encode())


def read_note(space: Workspace, task: str, what: str) -> str:
    data = atomic_files.read(Register(space.state).file(task, what)) or b''
    return data.decode(errors='replace').strip()


def remove_note(space: Workspace, task: str, what: str) -> None:
    Register(space.state).forget(task, what)


def note_end(space: Workspace, task: str, session: str) -> None:
    """Record that a session has ended; its lock stays."""
    # imported here, because a session that starts writes no note
    from interlock.documents import timestamps

    write_note(space, task, ENDED, f'{timestamps.now()} {session}')


def session_end_time(space: Workspace, task: str, lock: Held) -> str:
    """When the session that holds a lock ended, '' if it has not."""
    at, _, session = read_note(space, task, ENDED).partition(' ')
    return at if lock.is_held_by(session) else ''


def may_decide(space: Workspace, task: str, deed: str) -> bool:
    """Whether the task is abandoned, so that the user decides about it."""
    has_worktree = os.path.isdir(space.code(task))
    if locks_of(space).get(task) is None:
        return has_worktree
    return deed == CLEAN and not has_worktree


def record_consent(space: Workspace, task: str, deed: str, session: str) -> None:
    write_note(space, task, CONSENT, f'{deed} {session}')


def has_consent(space: Workspace, task: str, deed: str, session: str) -> bool:
    return bool(session) and read_note(space, task, CONSENT) == f'{deed} {session}'
