"""The files of a task, as they are now and as an earlier attempt left them."""

from __future__ import annotations

import os
import stat

from interlock.documents import timestamps
from interlock.documents.tasks import approvals
from interlock.documents.tasks import todo as documents
from interlock.documents.tasks.approvals import CHANGES
from interlock.documents.tasks.lock import Lock
from interlock.documents.tasks.todo import Todo, TodoEntry
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.model import quick_hash
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Callable, Sequence
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal
from interlock.workflow.reading.item_paths import is_path_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.trail import TrailFile


def _blob(path: str) -> Blob | None:
    """The file as a blob, None if there is none."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        raise Unreadable(f'cannot be read: {e.strerror}') from None
    if not stat.S_ISREG(status.st_mode):
        # reading a pipe would block
        raise Unreadable('is not a file')
    elif status.st_size > MAX_BLOB:
        return Blob('', status.st_size, None)
    try:
        data = read(path) or b''
    except Refusal as e:
        raise Unreadable(e.message.removeprefix(f'{path} ')) from None
    return Blob('', len(data), data)


def todo_list(space: Workspace) -> Todo:
    """The todo list; without a file, an empty one."""
    try:
        blob = _blob(os.path.join(space.main, space.protocol.todo))
    except Unreadable as e:
        return Todo({}, e)
    return documents.parse(blob) if blob else Todo({})


def update_trail(
    space: Workspace,
    task: str,
    session: str,
    write: Callable[[TrailFile], bytes],
    wait: float,
) -> None:
    """Write the audit trail, which others may write at the same time."""
    from interlock.operations.tasks.trail import TrailFile

    journal, now = Journal(space.state), timestamps.now()
    path = space.path(space.protocol.files.trail, task)
    with journal.locked(wait):
        data = read(path)
        new = write(TrailFile(path, data, task, session, now))
        journal.write({path: (data, new)})


def checksum(entry: TodoEntry) -> str:
    """The checksum that shows whether an entry changed."""
    return quick_hash.sha256(entry.text.encode(errors='replace')).hexdigest()


def plan_checksum(space: Workspace, task: str) -> str:
    """The checksum of a task's plan as it is now, '' without a plan."""
    path = space.path(space.protocol.files.plan, task)
    # reading a pipe would block
    data = read(path) if os.path.isfile(path) else None
    return '' if data is None else quick_hash.sha256(data).hexdigest()


def has_mark(space: Workspace, task: str, lock: Lock, of: str) -> bool:
    """Whether a flag or the checkpoint claims an approval, on record or not."""
    point = approvals.checkpoint(lock.get('checkpoint'))
    if of == CHANGES and point is not None and point.approved:
        return True
    return any(os.path.lexists(path) for path in _flags(space, task, of))


def _of_agents(space: Workspace, pattern: str, task: str) -> list[str]:
    """The files of one pattern, of every agent that ever took part."""
    import glob

    parts = space.path(pattern, task, '*').split('*')
    return sorted(glob.glob('*'.join(map(glob.escape, parts))))


def _flags(space: Workspace, task: str, of: str = '') -> list[str]:
    """The files that stand for approvals, of one thing or of all."""
    return [
        os.path.join(space.folder(task), name)
        for what, names in space.protocol.flags.items()
        if of in ('', what)
        for name in names
    ]


def _files(space: Workspace, task: str) -> list[str]:
    """All files: plan, reports, status files, trail, copy of the state, flags."""
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


def shared_files(space: Workspace, task: str, agents: Sequence[str]) -> list[str]:
    """The files that are in no commit: plan, trail, flags, and what agents report."""
    files = space.protocol.files
    return [
        space.path(files.plan, task),
        space.path(files.trail, task),
        *_flags(space, task),
        *(
            space.path(pattern, task, agent)
            for agent in agents
            if is_path_name(agent)
            for pattern in (files.status, files.report)
        ),
    ]


def free_name_beside(path: str, number: int) -> str:
    """A free name beside a file, which nothing reads."""
    stem, suffix = os.path.splitext(path)
    while os.path.lexists(f'{stem}-{number}{suffix}'):
        number += 1
    return f'{stem}-{number}{suffix}'


def earlier_files(space: Workspace, task: str, number: int) -> dict[str, str]:
    """path -> its new name, for every file of an earlier attempt."""
    return {path: free_name_beside(path, number) for path in _files(space, task)}


def early_flags(space: Workspace, task: str) -> dict[str, str]:
    """Like `earlier_files`, for flags: a task that has not begun has no approvals."""
    return {
        path: free_name_beside(path, 0)
        for path in _flags(space, task)
        if os.path.lexists(path)
    }
