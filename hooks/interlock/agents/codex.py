"""Codex CLI: the names of events that are used here, patches, no question."""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.agents.forms import nested
from interlock.guard import event as kinds
from interlock.guard.decision import PLAIN, Decision
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Tools

EVENTS = {
    kind: kind
    for kind in (
        kinds.SESSION_START,
        kinds.PROMPT,
        kinds.PRE_TOOL,
        kinds.POST_TOOL,
        kinds.SUBAGENT_STOP,
        kinds.STOP,
        kinds.PRE_COMPACT,
        kinds.SESSION_END,
    )
}
TOOLS: Tools = {
    'apply_patch': (kinds.PATCH, {'command': 'patch'}),
    'spawn_agent': (kinds.AGENT, {'agent_type': 'subagent_type', 'message': 'prompt'}),
}


class Codex(Adapter):
    name = 'codex'
    title = 'Codex'

    events = EVENTS
    tools = TOOLS

    # it takes a question for a failed hook, and runs the tool
    asks = False

    sessions = ('CODEX_SESSION_ID',)
    marks = ('CODEX_CI', 'CODEX_THREAD_ID', 'CODEX_SANDBOX')
    variables = ('CODEX_HOME', 'CODEX_SANDBOX_NETWORK_DISABLED')
    prefixes = ('CODEX_',)
    processes = ('codex',)
    packages = ('@openai/codex',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """What a tool returned is a text, without an exit code."""
        response = data.get('tool_response')
        if not isinstance(response, str):
            return data
        return {**data, 'tool_response': {'stdout': response, 'exit': 'unknown'}}

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        # plain text is an answer to some events only
        return nested(called, decision) if decision.kind != PLAIN else Output()


ADAPTER = Codex()
