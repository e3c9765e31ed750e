"""The tasks that a session holds."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.guard.context import Scene
from interlock.guard.event import fold
from interlock.operations.tasks.trail import File
from interlock.tasks import lock_holders, task_files
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# seconds that a hook waits for a command that writes
WAIT = 2.0


def held(scene: Scene) -> list[tuple[str, Held]]:
    """The tasks whose locks the session holds, that of its place first."""
    here = scene.space.task_of(scene.directory)
    found = lock_holders.of_session(scene.space, scene.event.session)
    return sorted(found, key=lambda each: each[0] != here)


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
    task_files.update_trail(
        space, task, lambda path, data: write(File(path, data)), WAIT
    )


def working_dir(space: Workspace, task: str, agent: str, other: str) -> str:
    """Where an agent of a task works."""
    code = space.path(space.protocol.files.agent_code, task, agent)
    return code if os.path.isdir(code) else shown(other)
