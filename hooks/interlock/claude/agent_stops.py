"""SubagentStop: what an agent leaves undone is said once, then it may go."""
from __future__ import annotations

from collections.abc import Callable

from interlock.claude import told
from interlock.claude.answer import Answer
from interlock.claude.answer import BLOCK
from interlock.claude.answer import SILENCE
from interlock.claude.launcher import with_site
from interlock.claude.places import stage_agent
from interlock.claude.scene import Scene
from interlock.claude.tracking import quietly


def _is_told(scene: Scene) -> bool:
    return scene.event.data.get('stop_hook_active') is True or (
        not told.first_time(scene, 'agent', scene.event.agent_id)
    )


def _said(scene: Scene, faults: str, close: Callable[[], None]) -> str:
    if faults and not _is_told(scene):
        return faults
    close()
    return ''


def _of_stage(scene: Scene, agent: str) -> str:
    from interlock.claude import runs
    from interlock.claude import stage_ends

    run = stage_ends.which(scene, agent)
    return '' if run is None else _said(
        scene, stage_ends.faults(scene, run), lambda: runs.end(scene, run),
    )


def _of_task(scene: Scene, agent: str) -> str:
    from interlock.claude import task_ends

    ending = task_ends.which(scene, agent)
    if ending is None:
        return ''
    faults = task_ends.faults(scene, ending)
    return _said(scene, faults, lambda: quietly(
        scene, lambda: task_ends.close(scene, ending, bool(faults)),
    ))


def _track(scene: Scene) -> None:
    from interlock.world.sessions import stopping
    stopping(scene.event.data, scene.event.environ)


def handle(scene: Scene) -> Answer:
    # the client runs agents of its own, to summarise for instance
    agent = scene.event.agent_type
    if not agent:
        return SILENCE
    faults = ''
    with_site()
    stage = stage_agent(scene.raw, agent) if agent.strip() else ''
    if stage:
        faults = _of_stage(scene, stage)
    elif scene.has_tasks and scene.event.session:
        faults = _of_task(scene, agent)
    if faults:
        return Answer(BLOCK, faults)
    quietly(scene, lambda: _track(scene))
    return SILENCE
