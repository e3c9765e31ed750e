"""The files of a task that go with its lock to another machine.

Plan, audit trail, reports, status files and flags lie beside the lock and in no
commit. Their text goes to the engine with each change of the lock, if they changed.
A session that adopts the task elsewhere gets them back. Only file names that the
workflow defines are written: the record comes from another machine.
"""

from __future__ import annotations

import json
import os

from interlock.documents.tasks.lock import Lock
from interlock.files import atomic_files
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Sequence
from interlock.tasks import task_files
from interlock.tasks.task_layout import Workspace

# larger files stay behind, as do binary ones
MAX_FILE = 256 * 1024


def _places(space: Workspace, task: str, lock: Lock) -> dict[str, str]:
    """name -> path, of all files that the task may have."""
    folder = space.folder(task)
    paths = task_files.shared_files(space, task, lock.agents)
    return {os.path.relpath(path, folder): path for path in paths}


def _text(path: str) -> str | None:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_FILE:
            return None
        return (atomic_files.read(path) or b'').decode()
    except (OSError, UnicodeDecodeError, Refusal):
        return None


def pack(space: Workspace, task: str, lock: Lock) -> str:
    """The current files as text, '' if there are none."""
    places = sorted(_places(space, task, lock).items())
    found = {name: _text(path) for name, path in places}
    kept = {name: text for name, text in found.items() if text is not None}
    return json.dumps(kept, ensure_ascii=False) if kept else ''


def unpack(
    space: Workspace, task: str, lock: Lock, files: str, is_newer: bool
) -> Sequence[str]:
    """Write the files that are missing here; return the names of all written files.

    `is_newer`: they also replace existing files, which are kept under another name.
    """
    try:
        given = dict(json.loads(files)) if files else {}
    except (ValueError, TypeError):
        given = {}
    written = []
    for name, path in _places(space, task, lock).items():
        new = given.get(name)
        old = atomic_files.read(path) if os.path.isfile(path) else None
        if not isinstance(new, str) or (old is None and os.path.lexists(path)):
            continue
        data = new.encode(errors='replace')
        if old == data or (old is not None and not is_newer):
            continue
        if old is not None:
            os.rename(path, task_files.free_name_beside(path, 1))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_files.replace(path, None, data)
        written.append(name)
    return written
