"""PreToolUse of the tool that starts agents: may this one start now?"""

from __future__ import annotations

from interlock.guard.project_paths import stage_agent
from interlock.guard.reply import SILENCE, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


def handle(scene: Scene) -> Answer:
    # an agent of a plugin is known by its own name
    agent = scene.event.given('subagent_type').rpartition(':')[2]
    objection = None
    stage = stage_agent(scene.raw, agent) if agent.strip() else ''
    if stage:
        from interlock.guard.guards import stage_agent_start

        objection = stage_agent_start.judge(scene, stage)
    elif agent.strip() and scene.has_tasks:
        from interlock.guard.guards import task_agent_start

        objection = task_agent_start.judge(scene, agent)
    return objection.answer() if objection else SILENCE
