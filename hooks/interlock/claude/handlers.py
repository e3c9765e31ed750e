"""Which module answers which event; only that one is imported."""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import SILENCE
from interlock.claude.event import CONFIG_CHANGE
from interlock.claude.event import FAILED_TOOL
from interlock.claude.event import POST_TOOL
from interlock.claude.event import PRE_COMPACT
from interlock.claude.event import PRE_TOOL
from interlock.claude.event import PROMPT
from interlock.claude.event import SESSION_END
from interlock.claude.event import SESSION_START
from interlock.claude.event import STOP
from interlock.claude.event import SUBAGENT_STOP
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.claude.scene import Scene

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
        from interlock.claude import files_guard
        return files_guard.handle(scene)
    elif tool in SHELLS:
        from interlock.claude import shell_guard
        return shell_guard.handle(scene)
    elif tool in AGENTS:
        from interlock.claude import agents_guard
        return agents_guard.handle(scene)
    elif tool.startswith(MCP):
        from interlock.claude import mcp_guard
        return mcp_guard.handle(scene)
    return SILENCE


def _after_tool(scene: Scene) -> Answer:
    from interlock.claude import used
    return used.handle(scene)


def _after_failure(scene: Scene) -> Answer:
    if scene.event.tool not in SHELLS:
        return SILENCE
    from interlock.claude import ran
    return ran.failed(scene)


def _prompted(scene: Scene) -> Answer:
    from interlock.claude import prompts
    return prompts.handle(scene)


def _started(scene: Scene) -> Answer:
    from interlock.claude import starts
    return starts.handle(scene)


def _stopped(scene: Scene) -> Answer:
    from interlock.claude import stops
    return stops.handle(scene)


def _agent_stopped(scene: Scene) -> Answer:
    from interlock.claude import agent_stops
    return agent_stops.handle(scene)


def _compacting(scene: Scene) -> Answer:
    from interlock.claude import compacts
    return compacts.handle(scene)


def _ended(scene: Scene) -> Answer:
    from interlock.claude import ends
    return ends.handle(scene)


def _configured(scene: Scene) -> Answer:
    from interlock.claude import config_guard
    return config_guard.handle(scene)


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
