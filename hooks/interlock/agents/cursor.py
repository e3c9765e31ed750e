"""Cursor, according to its documentation; not tested with the real client.

It needs an answer to every event, or it reports an error.
"""

from __future__ import annotations

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, BLOCK, CONTEXT, DENY, NOTHING, PLAIN, SAY
from interlock.guard.event import Fields

FILE = {'path': 'file_path', 'target_file': 'file_path'}
DELETE = 'Delete'
ALLOWED = '{"permission": "allow"}'
SAID = {'user_message': 'TEXT', 'agent_message': 'TEXT'}


class Cursor(Adapter):
    name = 'cursor'
    title = 'Cursor (untried)'

    events = {
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
    fields = {'conversation_id': 'session_id', 'tool_output': 'tool_response'}
    tools = {
        'Shell': (kinds.SHELL, {'working_directory': 'directory', 'cwd': 'directory'}),
        'Write': (kinds.WRITE, {**FILE, 'contents': 'content'}),
        'Edit': (
            kinds.EDIT,
            {**FILE, 'old_str': 'old_string', 'new_str': 'new_string'},
        ),
        'Task': (kinds.AGENT, {}),
        'Read': ('Read', FILE),
    }
    mcp = 'MCP:'

    silence = ALLOWED
    form = 'own'
    honours_exit = False
    answers = {
        **dict.fromkeys((NOTHING, SAY, PLAIN), '{}'),
        DENY: {'permission': DENY, **SAID},
        ASK: {'permission': ASK, **SAID},
        BLOCK: {'followup_message': 'TEXT'},
        CONTEXT: {'additional_context': 'TEXT'},
    }

    tells_session = False
    marks = ('CURSOR_AGENT',)
    projects = ('CURSOR_PROJECT_DIR',)
    variables = ('CURSOR_TRACE_ID', 'CURSOR_VERSION')
    prefixes = ('CURSOR_',)
    programs = {'cursor-agent': ('', '')}
    settings = '.cursor/hooks.json'
    files = {'.cursor/hooks.json': 'flat'}
    users = ('', '.cursor', ('hooks.json',))
    head = {'version': 1}
    # without it, a failing hook lets the call pass
    closing = {'failClosed': True}
    # only this process is an agent: a person works in the editor too
    processes = ('cursor-agent',)
    packages = ('cursor-agent',)

    def adjusted(self, kind: str, data: Fields) -> Fields:
        roots = data.get('workspace_roots')
        given = data.get('tool_input')
        if 'cwd' not in data and isinstance(roots, list) and roots:
            data = {**data, 'cwd': roots[0]}
        if data.get('tool_name') == DELETE and isinstance(given, dict):
            path = given.get('file_path') or given.get('path')
            patch = f'*** Begin Patch\n*** Delete File: {path or ""}\n*** End Patch'
            data = {**data, 'tool_name': kinds.PATCH, 'tool_input': {'patch': patch}}
        return data


ADAPTER = Cursor()
