"""The trail of a task is written by many, at the same time too."""

from __future__ import annotations

from collections.abc import Callable

from interlock.files import atomic_files
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal


def update(
    space: Workspace, task: str, make: Callable[[str, bytes | None], bytes], wait: float
) -> None:
    """`make` gets the path of the trail, and what it holds (None: none)."""
    journal = Journal(space.state)
    path = space.path(space.protocol.files.trail, task)
    with journal.locked(wait):
        data = atomic_files.read(path)
        journal.write({path: (data, make(path, data))})
