"""Qwen Code: it uses our names of events, and has tools of its own."""

from __future__ import annotations

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds
from interlock.guard.event import Fields


class Qwen(Adapter):
    name = 'qwen'
    title = 'Qwen Code'

    events = {kind: kind for kind in kinds.KINDS if kind != kinds.CONFIG_CHANGE}
    tools = {
        'run_shell_command': (
            kinds.SHELL,
            {'is_background': 'run_in_background', 'directory': 'directory'},
        ),
        'monitor': (kinds.SHELL, {'directory': 'directory'}),
        'write_file': (kinds.WRITE, {}),
        'edit': (kinds.EDIT, {}),
        'notebook_edit': (kinds.NOTEBOOK, {}),
        'agent': (kinds.AGENT, {}),
        'read_file': ('Read', {}),
    }

    sessions = ('QWEN_CODE_SESSION_ID',)
    agents = ('QWEN_CODE_AGENT_ID',)
    marks = ('QWEN_CODE',)
    projects = ('QWEN_PROJECT_DIR',)
    prefixes = ('QWEN_',)
    programs = {'qwen': ('', '--bare --safe-mode')}
    settings = '.qwen/settings.json'
    files = {'.qwen/settings.json': 'grouped'}
    users = ('', '.qwen', ('settings.json',))
    off = {'disableAllHooks': True}
    # its timeouts are milliseconds
    unit = 1000
    processes = ('qwen',)
    packages = ('@qwen-code/qwen-code',)

    def adjusted(self, kind: str, data: Fields) -> Fields:
        if kind == kinds.PROMPT:
            # `prompt` may hold the result of a tool
            data = {**data, 'prompt': data.get('submitted_prompt', '')}
        if 'tool_response' in data:
            from interlock.agents.responses import with_exit_code

            data = with_exit_code(data)
        return data


ADAPTER = Qwen()
