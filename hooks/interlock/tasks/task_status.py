"""A task as whoever wants to work on it finds it."""

from __future__ import annotations

import hashlib
import os
import stat

from interlock.documents.tasks import approvals
from interlock.documents.tasks import todo as documents
from interlock.documents.tasks.approvals import CHANGES
from interlock.documents.tasks.lock import Lock
from interlock.documents.tasks.todo import Entry, Todo
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.model.actor import Actor
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import locks_of
from interlock.tasks.task_layout import Workspace
from interlock.workflow.reading.task_selection import (
    INIT,
    Decision,
    Situation,
    decide,
    unlisted,
)


def situation(space: Workspace, name: str, actor: Actor) -> Situation:
    lock = lock_holders.held(space, name)
    code = space.code(name)
    return Situation(
        name,
        lock is not None,
        lock is not None and lock.is_held_by(actor.session),
        lock is not None and bool(lock.holder),
        os.path.isdir(code),
        code,
        lock_holders.described(lock, actor, task_notes.ended(space, name, lock))
        if lock
        else '',
        lock.lock.state if lock else '',
        actor.session,
    )


def _blob(path: str) -> Blob | None:
    """None where nothing is there."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        raise Unreadable(f'cannot be looked at: {e.strerror}') from None
    if not stat.S_ISREG(status.st_mode):
        # a pipe would be waited for
        raise Unreadable('is no file')
    elif status.st_size > MAX_BLOB:
        return Blob('', status.st_size, None)
    try:
        data = read(path) or b''
    except Refusal as e:
        raise Unreadable(e.message.removeprefix(f'{path} ')) from None
    return Blob('', len(data), data)


def todo(space: Workspace) -> Todo:
    """The list of tasks; an empty one where there is none."""
    try:
        blob = _blob(os.path.join(space.main, space.protocol.todo))
    except Unreadable as e:
        return Todo({}, e)
    return documents.parse(blob) if blob else Todo({})


def decided(space: Workspace, name: str, actor: Actor) -> Decision:
    """May the actor work on a task? Nobody begins what is not listed."""
    decision = decide(situation(space, name, actor))
    path = os.path.join(space.main, space.protocol.todo)
    if decision.action != INIT or not os.path.lexists(path):
        return decision
    found = todo(space)
    if found.problem is not None:
        # which is said where it is read
        return decision
    begun = bool(locks_of(space).last_generation(name))
    return unlisted(name, found, space.protocol, begun) or decision


def checksum(entry: Entry) -> str:
    """By which a change of an entry shows."""
    return hashlib.sha256(entry.text.encode(errors='replace')).hexdigest()


def plan_checksum(space: Workspace, task: str) -> str:
    """Of the plan of a task as it is now, '' where there is none."""
    path = space.path(space.protocol.files.plan, task)
    # a pipe would be waited for
    data = read(path) if os.path.isfile(path) else None
    return '' if data is None else hashlib.sha256(data).hexdigest()


def is_marked(space: Workspace, task: str, lock: Lock, of: str) -> bool:
    """Something stands for the approval, although no record backs it."""
    point = approvals.checkpoint(lock.get('checkpoint'))
    if of == CHANGES and point is not None and point.approved:
        return True
    folder = space.folder(task)
    return any(
        os.path.lexists(os.path.join(folder, name))
        for name in space.protocol.flags.get(of, ())
    )
