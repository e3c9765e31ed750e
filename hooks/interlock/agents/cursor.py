"""Cursor, as its documentation describes it; untried on the real client.

An answer is needed where others stay silent, or the client reports an error.
"""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, BLOCK, CONTEXT, DENY, Decision, cut
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Tools

EVENTS = {
    'sessionStart': kinds.SESSION_START,
    'beforeSubmitPrompt': kinds.PROMPT,
    'preToolUse': kinds.PRE_TOOL,
    'postToolUse': kinds.POST_TOOL,
    'postToolUseFailure': kinds.FAILED_TOOL,
    'subagentStop': kinds.SUBAGENT_STOP,
    'stop': kinds.STOP,
    'preCompact': kinds.PRE_COMPACT,
    'sessionEnd': kinds.SESSION_END,
}
FIELDS = {'conversation_id': 'session_id', 'tool_output': 'tool_response'}
FILE = {'path': 'file_path', 'target_file': 'file_path'}
DELETE = 'Delete'
TOOLS: Tools = {
    'Shell': (kinds.SHELL, {}),
    'Write': (kinds.WRITE, {**FILE, 'contents': 'content'}),
    'Edit': (kinds.EDIT, {**FILE, 'old_str': 'old_string', 'new_str': 'new_string'}),
    'Task': (kinds.AGENT, {}),
    'Read': ('Read', FILE),
}
MATCHERS = {event: ('',) for event in EVENTS}
FILES = {'.cursor/hooks.json': 'flat'}
HEAD = {'version': 1}
# without it a hook that fails lets the call pass
CLOSING = {'failClosed': True}
PROGRAMS = {'cursor-agent': ('', '')}
ALLOWED = '{"permission": "allow"}'


class Cursor(Adapter):
    name = 'cursor'
    title = 'Cursor (untried)'

    events = EVENTS
    fields = FIELDS
    tools = TOOLS
    mcp = 'MCP:'

    silence = ALLOWED

    tells_session = False
    marks = ('CURSOR_AGENT',)
    projects = ('CURSOR_PROJECT_DIR',)
    variables = ('CURSOR_TRACE_ID', 'CURSOR_VERSION')
    prefixes = ('CURSOR_',)
    programs = PROGRAMS
    settings = '.cursor/hooks.json'
    files = FILES
    users = ('', '.cursor', ('hooks.json',))
    matchers = MATCHERS
    head = HEAD
    closing = CLOSING
    # a person works in the editor too
    processes = ('cursor-agent',)
    packages = ('cursor-agent',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        roots = data.get('workspace_roots')
        given = data.get('tool_input')
        if 'cwd' not in data and isinstance(roots, list) and roots:
            data = {**data, 'cwd': roots[0]}
        if data.get('tool_name') == DELETE and isinstance(given, dict):
            path = given.get('file_path') or given.get('path')
            patch = f'*** Begin Patch\n*** Delete File: {path or ""}\n*** End Patch'
            data = {**data, 'tool_name': kinds.PATCH, 'tool_input': {'patch': patch}}
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        from interlock.agents.forms import json_object

        text, kind = cut(decision.text, decision.limit), decision.kind
        if kind in (DENY, ASK):
            said = {'user_message': text, 'agent_message': text}
            return Output(json_object(permission=kind, **said))
        elif kind == BLOCK:
            return Output(json_object(followup_message=text))
        elif kind == CONTEXT:
            return Output(json_object(additional_context=text))
        return Output('{}')

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import text_in

        found = '' if code else text_in(out, 'permission')
        return found if found in (DENY, ASK) else ''


ADAPTER = Cursor()
