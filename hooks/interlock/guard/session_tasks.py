"""The tasks that a session holds."""

from __future__ import annotations

from interlock.guard.context import Context
from interlock.guard.event import fold
from interlock.model.quick_typing import Any, Callable, Mapping
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.trail import File

# seconds that a hook waits for a command that writes
WAIT = 2.0


def held_tasks(context: Context) -> list[tuple[str, Held]]:
    """The tasks whose locks the session holds, the one it is in first."""
    here = context.space.task_of(context.directory)
    found = lock_holders.of_session(context.space, context.event.session)
    return sorted(found, key=lambda each: each[0] != here)


def task_above(context: Context, *paths: str) -> tuple[str, Held] | None:
    """The first task above some paths, if the session holds it."""
    for path in paths:
        name = context.space.task_of(path)
        lock = lock_holders.held(context.space, name) if name else None
        if lock is not None:
            return (name, lock) if lock.is_held_by(context.event.session) else None
    return None


def listed_name(lock: Held, agent: str, space: Workspace) -> str:
    """The name by which a lock lists an agent, '' if it does not."""
    own, protocol = fold(agent), space.protocol
    names = lock.lock.agents
    found = (name for name in names if own in map(fold, names_of(name, protocol)))
    return next(found, '')


def update_trail(space: Workspace, task: str, write: Callable[[File], bytes]) -> None:
    from interlock.operations.tasks.trail import File
    from interlock.tasks import task_files

    task_files.update_trail(
        space, task, lambda path, data: write(File(path, data)), WAIT
    )


def add_to_trail(
    space: Workspace, task: str, held: Held, part: str, entry: Mapping[str, Any]
) -> None:
    from interlock.documents import timestamps
    from interlock.operations.tasks.trail import with_entry

    session, now = held.lock.session, timestamps.now()
    update_trail(
        space, task, lambda file: with_entry(file, part, entry, task, session, now)
    )
