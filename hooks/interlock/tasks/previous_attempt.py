"""What an earlier attempt at a task left: it is kept, and counts no more."""

from __future__ import annotations

import glob
import os

from interlock.tasks.task_layout import Workspace


def _of_agents(space: Workspace, pattern: str, task: str) -> list[str]:
    """A file of every agent that there ever was."""
    parts = space.path(pattern, task, '*').split('*')
    return sorted(glob.glob('*'.join(map(glob.escape, parts))))


def _flags(space: Workspace, task: str) -> list[str]:
    folder = space.folder(task)
    return [
        os.path.join(folder, name)
        for names in space.protocol.flags.values()
        for name in names
    ]


def _files(space: Workspace, task: str) -> list[str]:
    """Plan, reports, status files, trail, copy of the state, approvals."""
    spec = space.protocol
    found = [
        space.path(pattern, task)
        for pattern in (spec.files.plan, spec.files.trail, spec.files.mirror)
    ]
    found += _flags(space, task)
    for pattern in (
        spec.files.status,
        spec.files.report,
        *spec.older.get('report', ()),
    ):
        found += _of_agents(space, pattern, task)
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def _aside(path: str, number: int) -> str:
    """A name beside it, where nothing asks for it any more."""
    stem, suffix = os.path.splitext(path)
    while os.path.lexists(f'{stem}-{number}{suffix}'):
        number += 1
    return f'{stem}-{number}{suffix}'


def aside(space: Workspace, task: str, number: int) -> dict[str, str]:
    """path -> its name from now on, for all that an attempt left."""
    return {path: _aside(path, number) for path in _files(space, task)}


def approvals(space: Workspace, task: str) -> dict[str, str]:
    """As `aside`, of flags alone: nobody approved what had not begun."""
    return {
        path: _aside(path, 0) for path in _flags(space, task) if os.path.lexists(path)
    }
