"""Which module answers which event. Only that module is imported."""

from __future__ import annotations

from interlock.guard import event as events
from interlock.guard.context import Context
from interlock.guard.decision import SILENCE, Decision
from interlock.model.errors import Refusal

FILE_TOOLS = (*events.FILE_FIELDS, events.PATCH)
SHELLS = (events.SHELL, events.POWERSHELL)
MCP = 'mcp__'

# tools -> the module that judges them before they run
GUARDS = (
    (FILE_TOOLS, 'guards.file_writes'),
    (SHELLS, 'guards.shell_commands'),
    ((events.AGENT,), 'guards.agent_start'),
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


def _guard(event: events.Event) -> str:
    tool = event.tool
    if not tool:
        raise Refusal('the input does not name the tool')
    for tools, module in GUARDS:
        if tool in tools:
            return module
    return 'guards.mcp_tools'


def is_ours(context: Context) -> bool:
    """Whether we know the event, and a workflow governs the place where it happens."""
    kind = context.event.kind
    is_silenced = context.is_bare and kind not in events.GUARDS
    return kind in HANDLERS and bool(context.file) and not is_silenced


def answer(context: Context) -> Decision:
    event = context.event
    module = HANDLERS[event.kind]
    if event.kind == events.PRE_TOOL:
        module = _guard(event)
    imported = __import__(f'interlock.guard.{module}', fromlist=['handle'])
    found: Decision | None = imported.handle(context)
    return found or SILENCE
