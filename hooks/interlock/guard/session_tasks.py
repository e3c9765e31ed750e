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
    from interlock.operations.tasks.trail import TrailFile

# how many seconds a hook waits for a command that writes
WAIT = 2.0


def held_tasks(context: Context) -> list[tuple[str, Held]]:
    """The tasks whose locks the session holds; the one it is in comes first."""
    here = context.space.task_of(context.directory)
    found = lock_holders.of_session(context.space, context.event.session)
    return sorted(found, key=lambda each: each[0] != here)


def task_above(context: Context, *paths: str) -> tuple[str, Held] | None:
    """The first task that contains one of the paths, if the session holds it."""
    for path in paths:
        name = context.space.task_of(path)
        lock = lock_holders.lock_of(context.space, name) if name else None
        if lock is not None:
            return (name, lock) if lock.is_held_by(context.event.session) else None
    return None


def listed_name(lock: Held, agent: str, space: Workspace) -> str:
    """The name under which a lock lists an agent, '' if it does not."""
    own, protocol = fold(agent), space.protocol
    names = lock.lock.agents
    found = (name for name in names if own in map(fold, names_of(name, protocol)))
    return next(found, '')


def update_trail(
    space: Workspace, task: str, held: Held, write: Callable[[TrailFile], bytes]
) -> None:
    from interlock.tasks import task_files

    task_files.update_trail(space, task, held.lock.session, write, WAIT)


def add_to_trail(
    space: Workspace, task: str, held: Held, part: str, entry: Mapping[str, Any]
) -> None:
    update_trail(space, task, held, lambda trail: trail.with_entry(part, entry))
