"""PreToolUse of the tool that starts agents: whether this agent may start now."""

from __future__ import annotations

from interlock.guard.context import Context
from interlock.guard.decision import Decision


def handle(context: Context) -> Decision | None:
    # an agent of a plugin is known by its own name, without the plugin's
    agent = context.event.given('subagent_type').rpartition(':')[2]
    stage = context.stage_agent(agent)
    if stage:
        from interlock.guard import stage_agents

        return stage_agents.judge_start(context, stage)
    elif agent.strip() and context.has_tasks:
        from interlock.guard import task_agents

        return task_agents.judge_start(context, agent)
    return None
