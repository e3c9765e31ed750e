"""SubagentStop: tells an agent once what it left undone; then it may stop."""

from __future__ import annotations

from interlock.guard.context import Context
from interlock.guard.decision import BLOCK, Decision
from interlock.guard.hook_log import quietly
from interlock.guard.session_files import first_time, record_run
from interlock.model.quick_typing import Callable


def _blocked(
    context: Context, missing: str, close: Callable[[], None]
) -> Decision | None:
    again = context.event.data.get('stop_hook_active') is True
    if missing and not again and first_time(context, 'agent', context.event.agent_id):
        return Decision(BLOCK, missing)
    close()
    return None


def _of_stage(context: Context, agent: str) -> Decision | None:
    from interlock.guard import stage_agents

    run = stage_agents.ending_run(context, agent)
    if run is None:
        return None
    missing = stage_agents.missing_work(context, run)
    return _blocked(context, missing, lambda: record_run(context, 'end', run))


def _of_task(context: Context, agent: str) -> Decision | None:
    from interlock.guard import task_agents

    end = task_agents.ending(context, agent)
    if end is None:
        return None
    missing = task_agents.missing_work(context, end)

    def close() -> None:
        quietly(context, lambda: task_agents.close(context, end, bool(missing)))

    return _blocked(context, missing, close)


def _track(context: Context) -> None:
    from interlock.state.state_hooks import on_subagent_stop

    on_subagent_stop(context.event.data, context.event.environ)


def handle(context: Context) -> Decision | None:
    # the client runs agents of its own, for example to summarise
    agent, found = context.event.agent_type, None
    if not agent:
        return None
    stage = context.stage_agent(agent)
    if stage:
        found = _of_stage(context, stage)
    elif context.has_tasks and context.event.session:
        found = _of_task(context, agent)
    if found is None:
        quietly(context, lambda: _track(context))
    return found
