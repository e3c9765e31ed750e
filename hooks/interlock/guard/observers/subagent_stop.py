"""SubagentStop: what an agent leaves undone is said once, then it may go."""

from __future__ import annotations

from collections.abc import Callable

from interlock.guard import said_once
from interlock.guard.best_effort import quietly
from interlock.guard.context import Scene
from interlock.guard.project_paths import stage_agent
from interlock.guard.reply import BLOCK, SILENCE, Answer


def _is_told(scene: Scene) -> bool:
    return scene.event.data.get('stop_hook_active') is True or (
        not said_once.first_time(scene, 'agent', scene.event.agent_id)
    )


def _said(scene: Scene, faults: str, close: Callable[[], None]) -> str:
    if faults and not _is_told(scene):
        return faults
    close()
    return ''


def _of_stage(scene: Scene, agent: str) -> str:
    from interlock.guard import agent_runs
    from interlock.guard.observers import stage_agent_end

    run = stage_agent_end.which(scene, agent)
    return (
        ''
        if run is None
        else _said(
            scene,
            stage_agent_end.faults(scene, run),
            lambda: agent_runs.end(scene, run),
        )
    )


def _of_task(scene: Scene, agent: str) -> str:
    from interlock.guard.observers import task_agent_end

    ending = task_agent_end.which(scene, agent)
    if ending is None:
        return ''
    faults = task_agent_end.faults(scene, ending)
    return _said(
        scene,
        faults,
        lambda: quietly(
            scene, lambda: task_agent_end.close(scene, ending, bool(faults))
        ),
    )


def _track(scene: Scene) -> None:
    from interlock.state.state_hooks import on_subagent_stop

    on_subagent_stop(scene.event.data, scene.event.environ)


def handle(scene: Scene) -> Answer:
    # the client runs agents of its own, to summarise for instance
    agent = scene.event.agent_type
    if not agent:
        return SILENCE
    faults = ''
    stage = stage_agent(scene.raw, agent) if agent.strip() else ''
    if stage:
        faults = _of_stage(scene, stage)
    elif scene.has_tasks and scene.event.session:
        faults = _of_task(scene, agent)
    if faults:
        return Answer(BLOCK, faults)
    quietly(scene, lambda: _track(scene))
    return SILENCE
