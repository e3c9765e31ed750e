"""Qwen Code: the names of events that are used here, tools of its own."""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import DENY, PLAIN, Decision
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
        kinds.FAILED_TOOL,
        kinds.SUBAGENT_STOP,
        kinds.STOP,
        kinds.PRE_COMPACT,
        kinds.SESSION_END,
    )
}
TOOLS: Tools = {
    'run_shell_command': (kinds.SHELL, {'is_background': 'run_in_background'}),
    'monitor': (kinds.SHELL, {}),
    'write_file': (kinds.WRITE, {}),
    'edit': (kinds.EDIT, {}),
    'notebook_edit': (kinds.NOTEBOOK, {}),
    'agent': (kinds.AGENT, {}),
    'read_file': ('Read', {}),
}
MATCHERS = {event: ('',) for event in EVENTS}
FILES = {'.qwen/settings.json': 'grouped'}
OFF = {'disableAllHooks': True}
PROGRAMS = {'qwen': ('', '')}


class Qwen(Adapter):
    name = 'qwen'
    title = 'Qwen Code'

    events = EVENTS
    tools = TOOLS

    sessions = ('QWEN_CODE_SESSION_ID',)
    agents = ('QWEN_CODE_AGENT_ID',)
    marks = ('QWEN_CODE',)
    projects = ('QWEN_PROJECT_DIR',)
    prefixes = ('QWEN_',)
    programs = PROGRAMS
    settings = '.qwen/settings.json'
    files = FILES
    users = ('', '.qwen', ('settings.json',))
    off = OFF
    matchers = MATCHERS
    # its timeouts are milliseconds
    unit = 1000
    processes = ('qwen',)
    packages = ('@qwen-code/qwen-code',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if kind == kinds.PROMPT:
            # `prompt` may be the result of a tool
            data = {**data, 'prompt': data.get('submitted_prompt', '')}
        if data.get('tool_name') == kinds.SHELL or 'tool_response' in data:
            from interlock.agents.responses import in_directory, with_exit_code

            data = with_exit_code(in_directory(data, 'directory'))
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        from interlock.agents.forms import nested

        return nested(called, decision) if decision.kind != PLAIN else Output()

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import REFUSED, in_nested

        if code == REFUSED and err:
            return DENY
        return in_nested(out) if not code else ''


ADAPTER = Qwen()
