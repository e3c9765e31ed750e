"""What the user told a session to do with an abandoned task, once."""

from __future__ import annotations

import os

from interlock.tasks import lock_holders
from interlock.tasks.lock_files import Register
from interlock.tasks.task_layout import Workspace

CLEAN = 'clean'
ADOPT = 'adopt'
NOTE = 'consent'


def is_open(space: Workspace, task: str, deed: str) -> bool:
    """Whether there is something that the user may decide about."""
    lock = lock_holders.held(space, task)
    has_worktree = os.path.isdir(space.code(task))
    if lock is None:
        return has_worktree
    return deed == CLEAN and not has_worktree


def give(space: Workspace, task: str, deed: str, session: str) -> None:
    Register(space.state).note(task, NOTE, f'{deed} {session}')


def is_given(space: Workspace, task: str, deed: str, session: str) -> bool:
    said = Register(space.state).noted(task, NOTE)
    return bool(session) and said == f'{deed} {session}'


def use(space: Workspace, task: str) -> None:
    """It counts once."""
    Register(space.state).forget(task, NOTE)
