"""OpenCode: a plugin in its process (`opencode.js`) asks us about each event.

The plugin sends events under our names. It continues only if the answer says
so: a missing or truncated answer is a refusal.
"""

from __future__ import annotations

import os

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, BLOCK, CONTEXT, DENY, NOTHING, PLAIN, SAY

NAMES = {'filePath': 'file_path', 'oldString': 'old_string', 'newString': 'new_string'}
# a placeholder for the command that starts us
COMMAND = 'INTERLOCK_COMMAND'
ALLOWED = '{"decision": "allow"}'


class OpenCode(Adapter):
    name = 'opencode'
    title = 'OpenCode'

    events = {
        kind: kind
        for kind in (
            *(kinds.SESSION_START, kinds.PROMPT, kinds.PRE_TOOL, kinds.POST_TOOL),
            kinds.PRE_COMPACT,
        )
    }
    tools = {
        'bash': (kinds.SHELL, {'workdir': 'directory'}),
        'write': (kinds.WRITE, NAMES),
        'edit': (kinds.EDIT, {**NAMES, 'replaceAll': 'replace_all'}),
        'apply_patch': (kinds.PATCH, {'patchText': 'patch'}),
        'task': (kinds.AGENT, {}),
        'read': ('Read', NAMES),
    }

    # a plugin cannot ask the user
    asks = False
    silence = ALLOWED
    form = 'own'
    honours_exit = False
    answers = {
        **dict.fromkeys((NOTHING, ASK, BLOCK, SAY, PLAIN), ALLOWED),
        DENY: {'decision': DENY, 'reason': 'TEXT'},
        CONTEXT: {'decision': 'allow', 'context': 'TEXT'},
    }

    # the plugin sets it in every shell
    sessions = ('OPENCODE_SESSION_ID',)
    marks = ('OPENCODE',)
    variables = ('OPENCODE_PID', 'OPENCODE_PURE', 'OPENCODE_CONFIG')
    prefixes = ('OPENCODE',)
    programs = {'opencode': ('', '--pure')}
    settings = '.opencode/plugin/interlock.js'
    files = dict.fromkeys(
        (
            *('.opencode/plugin/*.js', '.opencode/plugin/*.ts'),
            *('.opencode/plugins/*.js', '.opencode/plugins/*.ts'),
            *('opencode.json', 'opencode.jsonc', '.opencode/opencode.json'),
        ),
        'text',
    )
    users = ('OPENCODE_CONFIG_DIR', '.config/opencode', ('opencode.json',))
    processes = ('opencode',)
    packages = ('opencode-ai',)

    def source(self, command: list[str]) -> str:
        return plugin(command)


ADAPTER = OpenCode()


def plugin(command: list[str]) -> str:
    """The text of the plugin, for the command that starts us."""
    import json

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'opencode.js')
    with open(path, encoding='UTF-8') as f:
        return f.read().replace(COMMAND, json.dumps(command))
