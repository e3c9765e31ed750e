"""Short notes about tasks that none of their files may hold."""

from __future__ import annotations

import os

from interlock.documents import timestamps
from interlock.files import atomic_files, records
from interlock.tasks.engines.register import folder
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


def _file(space: Workspace, task: str, what: str) -> str:
    return os.path.join(folder(space.state), f'{task}.{what}')


def note(space: Workspace, task: str, what: str, text: str) -> None:
    records.save_bytes(_file(space, task, what), f'{text}\n'.encode())


def noted(space: Workspace, task: str, what: str) -> str:
    data = atomic_files.read(_file(space, task, what)) or b''
    return data.decode(errors='replace').strip()


def forget(space: Workspace, task: str, what: str) -> None:
    atomic_files.remove(_file(space, task, what))


def note_end(space: Workspace, task: str, session: str) -> None:
    """Record that a session has ended; its lock stays."""
    note(space, task, ENDED, f'{timestamps.now()} {session}')


def ended(space: Workspace, task: str, lock: Held) -> str:
    """When the session that holds a lock ended, '' if it has not."""
    at, _, session = noted(space, task, ENDED).partition(' ')
    return at if lock.is_held_by(session) else ''


def may_decide(space: Workspace, task: str, deed: str) -> bool:
    """Whether the task is abandoned, so that the user decides about it."""
    has_worktree = os.path.isdir(space.code(task))
    if locks_of(space).get(task) is None:
        return has_worktree
    return deed == CLEAN and not has_worktree


def consent(space: Workspace, task: str, deed: str, session: str) -> None:
    note(space, task, CONSENT, f'{deed} {session}')


def has_consent(space: Workspace, task: str, deed: str, session: str) -> bool:
    return bool(session) and noted(space, task, CONSENT) == f'{deed} {session}'
