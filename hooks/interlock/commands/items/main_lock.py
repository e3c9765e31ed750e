"""The lock of the main worktree, for as long as we write there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from interlock.commands.items.project import Project
from interlock.tasks import lock_holders


@contextlib.contextmanager
def main_lock(here: Project, config: str) -> Iterator[None]:
    """Taken and given back, where the workflow has such a lock.

    A session that holds it already keeps it; a person needs none.
    """
    if not any(kind.protocol for kind in here.workflow.kinds):
        yield
        return
    # most projects have no tasks
    from interlock.commands.tasks.lock import end_own, take
    from interlock.commands.tasks.workspace import looked_at

    at = looked_at(config)
    main = at.space.protocol.main
    place = at.space.place(here.top)
    found = lock_holders.held(at.space, main.name)
    if (
        at.actor.is_human
        or place is None
        or place.task
        or (found is not None and found.is_held_by(at.actor.session))
    ):
        yield
        return
    lock_holders.require_session(at.actor)
    # a commit is the first of the operations that it is taken for
    take(at, main.name, main.operations[0])
    try:
        yield
    finally:
        end_own(at, main.name)
