"""Which files of the project an event is about."""

from __future__ import annotations

import contextlib
import os

from interlock.git.git_paths import base, common_dir, top_of
from interlock.guard.event import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from interlock.git.repository import Repository
    from interlock.guard.context import Scene


def top(scene: Scene) -> str:
    """The worktree that the session is in, if it is one of the project."""
    own = top_of(scene.directory)
    if own and (not scene.top or common_dir(own) == scene.state):
        return own
    return scene.top or scene.base


@contextlib.contextmanager
def repository(scene: Scene, directory: str = '') -> Iterator[Repository]:
    """Of the session or a directory, whatever the variables of git say."""
    from interlock.git.repository import Repository
    from interlock.git.worktrees import LOCAL

    environ = {
        name: value for name, value in scene.event.environ.items() if name not in LOCAL
    }
    found = Repository(environ, directory or top(scene))
    try:
        yield found
    finally:
        found.close()


def stage_agent(raw: Any, given: str) -> str:
    """The agent of a stage that is meant, '' if it is none."""
    return next(
        (
            state['agent']
            for kind in raw['items'].values()
            for state in (kind.get('states') or {}).values()
            if state and state.get('agent') and (fold(state['agent']) == fold(given))
        ),
        '',
    )


def near_tasks(scene: Scene, *paths: str) -> bool:
    """Whether one of some paths lies where tasks may be."""
    start = base(scene.file)
    roots = [
        os.path.realpath(os.path.join(start, each['tasks'])) + os.sep
        for each in scene.raw['roots']
    ]
    return any(os.path.realpath(path).startswith(tuple(roots)) for path in paths)
