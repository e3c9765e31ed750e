"""Which module answers which event; only that one is imported."""

from __future__ import annotations

from interlock.guard import event as events
from interlock.guard.decision import SILENCE, Decision
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Context

FILE_TOOLS = ('Edit', 'Write', 'NotebookEdit')
SHELLS = ('Bash', 'PowerShell')
# the second is the name that older clients use
AGENTS = ('Agent', 'Task')
MCP = 'mcp__'

# tools -> the module that judges them before they run
GUARDS = (
    (FILE_TOOLS, 'guards.file_writes'),
    (SHELLS, 'guards.shell_commands'),
    (AGENTS, 'guards.agent_start'),
)
# each module has a function `handle`
HANDLERS = {
    events.PRE_TOOL: '',
    events.POST_TOOL: 'observers.after_tool',
    events.FAILED_TOOL: 'observers.after_tool',
    events.PROMPT: 'observers.prompt',
    events.SESSION_START: 'observers.session_start',
    events.STOP: 'observers.stop',
    events.SUBAGENT_STOP: 'observers.subagent_stop',
    events.PRE_COMPACT: 'observers.pre_compact',
    events.SESSION_END: 'observers.session_end',
    events.CONFIG_CHANGE: 'guards.config_change',
}


def _guard(tool: str) -> str:
    if not tool:
        raise Refusal('the input does not name the tool')
    elif tool.startswith(MCP):
        return 'guards.mcp_tools'
    return next((module for tools, module in GUARDS if tool in tools), '')


def answer(context: Context) -> Decision:
    name, tool = context.event.name, context.event.tool
    module = HANDLERS.get(name, '') or (_guard(tool) if name == events.PRE_TOOL else '')
    if not module:
        return SILENCE
    imported = __import__(f'interlock.guard.{module}', fromlist=['handle'])
    found: Decision | None = imported.handle(context)
    return found or SILENCE
