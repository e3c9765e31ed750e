"""Which module answers which event; only that one is imported."""

from __future__ import annotations

from interlock.guard.event import (
    CONFIG_CHANGE,
    FAILED_TOOL,
    POST_TOOL,
    PRE_COMPACT,
    PRE_TOOL,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
)
from interlock.guard.reply import SILENCE, Answer
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.guard.context import Scene

FILE_TOOLS = ('Edit', 'Write', 'NotebookEdit')
SHELLS = ('Bash', 'PowerShell')
# the second is the name that older clients use
AGENTS = ('Agent', 'Task')
MCP = 'mcp__'


def _before_tool(scene: Scene) -> Answer:
    tool = scene.event.tool
    if not tool:
        raise Refusal('the client does not say which tool is used')
    elif tool in FILE_TOOLS:
        from interlock.guard.guards import file_tools

        return file_tools.handle(scene)
    elif tool in SHELLS:
        from interlock.guard.guards import shell_commands

        return shell_commands.handle(scene)
    elif tool in AGENTS:
        from interlock.guard.guards import agent_start

        return agent_start.handle(scene)
    elif tool.startswith(MCP):
        from interlock.guard.guards import mcp_tools

        return mcp_tools.handle(scene)
    return SILENCE


def _after_tool(scene: Scene) -> Answer:
    from interlock.guard.observers import after_tool

    return after_tool.handle(scene)


def _after_failure(scene: Scene) -> Answer:
    if scene.event.tool not in SHELLS:
        return SILENCE
    from interlock.guard.observers import after_shell

    return after_shell.failed(scene)


def _prompted(scene: Scene) -> Answer:
    from interlock.guard.observers import prompt

    return prompt.handle(scene)


def _started(scene: Scene) -> Answer:
    from interlock.guard.observers import session_start

    return session_start.handle(scene)


def _stopped(scene: Scene) -> Answer:
    from interlock.guard.observers import stop

    return stop.handle(scene)


def _agent_stopped(scene: Scene) -> Answer:
    from interlock.guard.observers import subagent_stop

    return subagent_stop.handle(scene)


def _compacting(scene: Scene) -> Answer:
    from interlock.guard.observers import pre_compact

    return pre_compact.handle(scene)


def _ended(scene: Scene) -> Answer:
    from interlock.guard.observers import session_end

    return session_end.handle(scene)


def _configured(scene: Scene) -> Answer:
    from interlock.guard.guards import config_change

    return config_change.handle(scene)


HANDLERS: dict[str, Callable[[Scene], Answer]] = {
    PRE_TOOL: _before_tool,
    POST_TOOL: _after_tool,
    FAILED_TOOL: _after_failure,
    PROMPT: _prompted,
    SESSION_START: _started,
    STOP: _stopped,
    SUBAGENT_STOP: _agent_stopped,
    PRE_COMPACT: _compacting,
    SESSION_END: _ended,
    CONFIG_CHANGE: _configured,
}
