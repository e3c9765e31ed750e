"""The agents of stages that a session has started, and for what.

The end of an agent does not say what it was asked to do, so that is kept when
it starts. One file per session, which only grows: agents run side by side.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from interlock.files import records
from interlock.guard.context import Scene
from interlock.guard.hook_log import folder
from interlock.guard.said_once import digest
from interlock.model.state import State

FOLDER = 'runs'


class Run(NamedTuple):
    agent: str
    item: str
    state: State


def _file(scene: Scene) -> str:
    name = f'{digest(scene.event.session)}.jsonl'
    return os.path.join(folder(scene.state), FOLDER, name)


def _add(scene: Scene, what: str, run: Run) -> None:
    records.append(_file(scene), [what, run.agent, run.item, *run.state])


def begin(scene: Scene, run: Run) -> None:
    _add(scene, 'begin', run)


def end(scene: Scene, run: Run) -> None:
    _add(scene, 'end', run)


def _parse(line: Any) -> tuple[str, Run]:
    what, agent, item, name, phase = line
    return str(what), Run(agent, item, State(name, phase))


def running(scene: Scene, agent: str) -> list[Run]:
    """What an agent is at, by the session; the newest last."""
    found: list[Run] = []
    for what, run in records.entries(_file(scene), _parse):
        if run.agent != agent:
            continue
        found = [each for each in found if each.item != run.item]
        if what == 'begin':
            found.append(run)
    return found
