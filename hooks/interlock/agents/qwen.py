"""Qwen Code: the names of events that are used here, tools of its own."""

from __future__ import annotations

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Qwen(Adapter):
    name = 'qwen'
    title = 'Qwen Code'

    events = {kind: kind for kind in kinds.KINDS if kind != kinds.CONFIG_CHANGE}
    tools = {
        'run_shell_command': (kinds.SHELL, {'is_background': 'run_in_background'}),
        'monitor': (kinds.SHELL, {}),
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

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if kind == kinds.PROMPT:
            # `prompt` may be the result of a tool
            data = {**data, 'prompt': data.get('submitted_prompt', '')}
        if data.get('tool_name') == kinds.SHELL or 'tool_response' in data:
            from interlock.agents.responses import in_directory, with_exit_code

            data = with_exit_code(in_directory(data, 'directory'))
        return data


ADAPTER = Qwen()
