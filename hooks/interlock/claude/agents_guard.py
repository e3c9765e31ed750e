"""PreToolUse of the tool that starts agents: may this one start now?"""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import SILENCE
from interlock.claude.launcher import with_site
from interlock.claude.places import stage_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def handle(scene: Scene) -> Answer:
    # an agent of a plugin is known by its own name
    agent = scene.event.given('subagent_type').rpartition(':')[2]
    objection = None
    with_site()
    stage = stage_agent(scene.raw, agent) if agent.strip() else ''
    if stage:
        from interlock.claude import stage_starts
        objection = stage_starts.judge(scene, stage)
    elif agent.strip() and scene.has_tasks:
        from interlock.claude import task_starts
        objection = task_starts.judge(scene, agent)
    return objection.answer() if objection else SILENCE
