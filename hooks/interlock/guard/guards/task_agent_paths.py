"""An agent of a task has its place: whose files are whose."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.guard import session_locks
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.event import fold
from interlock.guard.file_write import Write, is_below
from interlock.workflow.language.protocol import names_of


def _listing(scene: Scene, path: str) -> tuple[str, str] | None:
    """The task that a path is in, and its name for the acting agent."""
    found = session_locks.near(scene, path)
    name = found and session_locks.required(
        found[1], scene.event.agent_type, scene.space
    )
    return (found[0], name) if found and name else None


def acting(scene: Scene, path: str) -> tuple[str, str] | None:
    """The task that the acting agent works for, and its name there."""
    agent = scene.event.agent_type
    if not agent:
        return None
    # rarely is it another task of the session
    near = _listing(scene, scene.directory) or _listing(scene, path)
    return near or next(
        (
            (task, name)
            for task, held in session_locks.held(scene)
            if (name := session_locks.required(held, agent, scene.space))
        ),
        None,
    )


def _folders(scene: Scene, task: str, agent: str) -> list[str]:
    space, files = scene.space, scene.space.protocol.files
    return [
        os.path.realpath(os.path.dirname(space.path(pattern, task, agent)))
        for pattern in (files.agent_code, files.status)
    ]


def _reports(scene: Scene, task: str, agent: str) -> list[str]:
    space, protocol = scene.space, scene.space.protocol
    patterns = (protocol.files.report, *protocol.older.get('report', ()))
    return [os.path.realpath(space.path(pattern, task, agent)) for pattern in patterns]


def _is_ours(scene: Scene, path: str) -> bool:
    space = scene.space
    folders = {space.main, space.tasks, scene.base, scene.top} - {''}
    return any(is_below(path, os.path.realpath(each)) for each in folders) or bool(
        space.linked(path)
    )


def of_agent(scene: Scene, path: str) -> Objection | None:
    """An agent of a task writes in its own place, and its own report."""
    found = acting(scene, path) if _is_ours(scene, path) else None
    if found is None:
        return None
    folders = _folders(scene, *found)
    if any(is_below(path, each) for each in folders) or (
        path in _reports(scene, *found)
    ):
        return None
    return Objection(
        'CLD008',
        f'{shown(found[1])} works in {folders[0]} and writes its report; '
        f'{path} is neither',
        f'write below {folders[0]}',
    )


def _of_status(scene: Scene, write: Write, task: str) -> Iterator[str]:
    """The agent whose status file would be written."""
    pattern = scene.space.protocol.files.status
    head, _, tail = scene.space.path(pattern, task, '*').partition('*')
    head = os.path.realpath(head) + os.sep
    for path in write.places:
        if path.startswith(head) and path.endswith(tail):
            agent = path[len(head) : len(path) - len(tail)]
            if agent and os.sep not in agent:
                yield agent


def of_status(scene: Scene, write: Write, task: str) -> Objection | None:
    """What an agent says of itself is said by nobody else: gates read it."""
    own, protocol = fold(scene.event.agent_type), scene.space.protocol
    for agent in _of_status(scene, write, task):
        if own not in map(fold, names_of(agent, protocol)):
            return Objection(
                'CLD008',
                f'the status of {shown(agent)} is what {shown(agent)} says '
                f'of itself; nobody else writes it',
                f'start {shown(agent)} and let it say so',
            )
    return None
