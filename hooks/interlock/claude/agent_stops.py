"""SubagentStop: what an agent leaves undone is said once, then it may go."""
from __future__ import annotations

from interlock.claude import told
from interlock.claude.answer import Answer
from interlock.claude.answer import BLOCK
from interlock.claude.answer import SILENCE
from interlock.claude.launcher import with_site
from interlock.claude.places import stage_agents
from interlock.claude.scene import Scene
from interlock.claude.tracking import quietly


def _is_told(scene: Scene) -> bool:
    return scene.event.data.get('stop_hook_active') is True or (
        not told.first_time(scene, 'agent', scene.event.agent_id)
    )


def _of_stage(scene: Scene, agent: str) -> str:
    from interlock.claude import runs
    from interlock.claude import stage_ends

    run = stage_ends.which(scene, agent)
    if run is None:
        return ''
    faults = stage_ends.faults(scene, run)
    if faults and not _is_told(scene):
        return faults
    runs.end(scene, run)
    return ''


def _of_task(scene: Scene, agent: str) -> str:
    from interlock.claude import task_ends

    ending = task_ends.which(scene, agent)
    if ending is None:
        return ''
    faults = task_ends.faults(scene, ending)
    if faults and not _is_told(scene):
        return faults
    quietly(scene, lambda: task_ends.close(scene, ending, bool(faults)))
    return ''


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
    if agent in stage_agents(scene.raw):
        faults = _of_stage(scene, agent)
    elif scene.has_tasks and scene.event.session:
        faults = _of_task(scene, agent)
    if faults:
        return Answer(BLOCK, faults)
    quietly(scene, lambda: _track(scene))
    return SILENCE
