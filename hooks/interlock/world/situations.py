"""A task as whoever wants to work on it finds it."""
from __future__ import annotations

import hashlib
import os

from interlock.documents import todo as documents
from interlock.documents.todo import Entry
from interlock.documents.todo import Todo
from interlock.model.actor import Actor
from interlock.model.change import Blob
from interlock.workflow.selection import Situation
from interlock.world import holding
from interlock.world.files import read
from interlock.world.workspace import Workspace


def situation(space: Workspace, name: str, actor: Actor) -> Situation:
    lock = holding.held(space, name)
    code = space.code(name)
    return Situation(
        name, lock is not None,
        lock is not None and lock.is_held_by(actor.session),
        lock is not None and bool(lock.holder),
        os.path.isdir(code), code,
        holding.described(
            lock, actor, holding.ended(space, name, lock),
        ) if lock else '',
        lock.lock.state if lock else '',
    )


def todo(space: Workspace) -> Todo:
    """The list of tasks; an empty one where there is none."""
    data = read(os.path.join(space.main, space.protocol.todo))
    if data is None:
        return Todo({})
    return documents.parse(Blob('', len(data), data))


def checksum(entry: Entry) -> str:
    """By which a change of an entry shows."""
    return hashlib.sha256(entry.text.encode(errors='replace')).hexdigest()
