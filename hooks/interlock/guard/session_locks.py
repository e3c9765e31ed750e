"""The tasks that a session holds."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.files import atomic_files
from interlock.guard.context import Scene
from interlock.guard.event import fold
from interlock.model.errors import Refusal
from interlock.operations.tasks.trail import File
from interlock.tasks import audit_trail, lock_holders
from interlock.tasks.lock_files import Held
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# seconds that a hook waits for a command that writes
WAIT = 2.0


def may_name(data: bytes | None, session: str) -> bool:
    """Whether a lock may be the session's; without parsing thousands."""
    return data is None or b'\\' in data or session.encode() in data


def _others(space: Workspace, name: str, session: str) -> bool:
    try:
        data = atomic_files.read(space.lock(name))
    except Refusal:
        return False
    return data is not None and not may_name(data, session)


def held(scene: Scene) -> list[tuple[str, Held]]:
    """The tasks whose locks the session holds, that of its place first."""
    space, session = scene.space, scene.event.session
    here = space.task_of(scene.directory)
    found = []
    for name in sorted(space.names(), key=lambda name: name != here):
        if session and not _others(space, name, session):
            lock = lock_holders.held(space, name)
            if lock is not None and lock.is_held_by(session):
                found.append((name, lock))
    return found


def near(scene: Scene, *paths: str) -> tuple[str, Held] | None:
    """The first task above some paths, if the session holds it."""
    for path in paths:
        name = scene.space.task_of(path)
        lock = lock_holders.held(scene.space, name) if name else None
        if lock is not None:
            return (name, lock) if lock.is_held_by(scene.event.session) else (None)
    return None


def required(lock: Held, agent: str, space: Workspace) -> str:
    """The name by which a lock lists an agent, '' if it does not."""
    own = fold(agent)
    return next(
        (
            name
            for name in lock.lock.agents
            if own in map(fold, names_of(name, space.protocol))
        ),
        '',
    )


def log(space: Workspace, task: str, write: Callable[[File], bytes]) -> None:
    """Writes the trail of a task."""
    audit_trail.update(space, task, lambda path, data: write(File(path, data)), WAIT)


def working_dir(space: Workspace, task: str, agent: str, other: str) -> str:
    """Where an agent of a task works."""
    code = space.path(space.protocol.files.agent_code, task, agent)
    return code if os.path.isdir(code) else shown(other)
