"""GitHub Copilot CLI: names of its own, and a flat answer.

It reads the settings of Claude Code too, and then names events as that does.
"""

from __future__ import annotations

import os

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, DENY, Decision
from interlock.guard.event import Event
from interlock.model.quick_json import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Ask, Tools
    from interlock.model.quick_typing import Mapping

OWN_EVENTS = {
    'sessionStart': kinds.SESSION_START,
    'userPromptSubmitted': kinds.PROMPT,
    'preToolUse': kinds.PRE_TOOL,
    'postToolUse': kinds.POST_TOOL,
    'postToolUseFailure': kinds.FAILED_TOOL,
    'agentStop': kinds.STOP,
    'subagentStop': kinds.SUBAGENT_STOP,
    'preCompact': kinds.PRE_COMPACT,
    'sessionEnd': kinds.SESSION_END,
}
FIELDS = {
    'sessionId': 'session_id',
    'agentId': 'agent_id',
    'agentType': 'agent_type',
    'parentAgentId': 'parent_agent_id',
    'transcriptPath': 'transcript_path',
    'toolName': 'tool_name',
    'toolArgs': 'tool_input',
    'toolInput': 'tool_input',
    'toolResult': 'tool_response',
    'tool_result': 'tool_response',
}
CREATE = (kinds.WRITE, {'path': 'file_path', 'file_text': 'content'})
EDIT = (
    kinds.EDIT,
    {'path': 'file_path', 'old_str': 'old_string', 'new_str': 'new_string'},
)
START = (kinds.AGENT, {'agent_type': 'subagent_type'})
# the second name of each: through the settings of the other client
TOOLS: Tools = {
    'bash': (kinds.SHELL, {}),
    'powershell': (kinds.POWERSHELL, {}),
    'create': CREATE,
    'Write': CREATE,
    'edit': EDIT,
    'Edit': EDIT,
    'task': START,
    'Agent': START,
    'apply_patch': (kinds.PATCH, {}),
    'view': ('Read', {'path': 'file_path'}),
}
PATCH_BEGINS = '*** Begin Patch'
EXIT = 'exit code '
# through the settings of the other client it uses the names of that one
EVENTS = {**OWN_EVENTS, **{kind: kind for kind in OWN_EVENTS.values()}}
MATCHERS = {event: ('',) for event in OWN_EVENTS}
FILES = {
    '.github/hooks/*.json': 'flat',
    '.github/copilot/settings.json': 'flat',
    '.github/copilot/settings.local.json': 'flat',
    '.copilot/hooks/*.json': 'flat',
    '.copilot/settings.json': 'flat',
    '.copilot/config.json': 'text',
}
OFF = {'disableAllHooks': True}
HEAD = {'version': 1}
PROGRAMS = {'copilot': ('--config-dir', '')}


class Copilot(Adapter):
    name = 'copilot'
    title = 'GitHub Copilot CLI'

    events = EVENTS
    names_events = False
    fields = FIELDS
    tools = TOOLS
    same_tools = ()

    # exit 2 refuses, and the agent is not told what stderr says
    reads_errors = False

    resumes = False

    # in the shell of an agent the variable names an unknown session
    tells_session = False
    marks = ('COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID')
    variables = ('COPILOT_HOME', 'COPILOT_CLI_BINARY_VERSION')
    prefixes = ('COPILOT_',)
    programs = PROGRAMS
    settings = '.github/hooks/interlock.json'
    files = FILES
    users = ('COPILOT_HOME', '.copilot', ('settings.json', 'config.json'))
    off = OFF
    matchers = MATCHERS
    waits = 'timeoutSec'
    head = HEAD
    trust = (
        'Copilot runs the hooks of a folder that the user trusts: start copilot '
        'here and trust the folder'
    )
    processes = ('copilot',)
    packages = ('@github/copilot',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if data.get('agent_id') and data.get('parent_agent_id'):
            # an agent's events carry its own id
            data = {**data, 'session_id': data['parent_agent_id']}
        given = data.get('tool_input')
        if isinstance(given, str):
            is_patch = given.lstrip().startswith(PATCH_BEGINS)
            tool = kinds.PATCH if is_patch else data.get('tool_name')
            data = {**data, 'tool_name': tool, 'tool_input': {'patch': given}}
        response = data.get('tool_response')
        if isinstance(response, dict):
            data = {**data, 'tool_response': _response(response)}
        if data.get('source') == 'new':
            data = {**data, 'source': 'startup'}
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        from interlock.agents.forms import flat, nested

        if called[:1].isupper() and decision.kind in (DENY, ASK):
            return nested(called, decision)
        return flat(decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import REFUSED, in_flat

        return DENY if code == REFUSED else in_flat(out) if not code else ''

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        home = environ.get('COPILOT_HOME') or os.path.join(
            environ.get('HOME') or os.path.expanduser('~'), '.copilot'
        )
        try:
            with open(os.path.join(home, 'config.json'), encoding='UTF-8') as f:
                text = f.read()
        except (OSError, ValueError):
            return False, f'{home}/config.json trusts no folder yet'
        real = os.path.realpath(top)
        trusted = any(quoted(each) in text for each in (top, real))
        is_named = 'trusted' in text and trusted
        what = f'{home}/config.json {"names" if is_named else "does not name"} {top}'
        return is_named, what


def _response(response: dict[str, Any]) -> dict[str, Any]:
    """A command that fails counts as a success; its text says the code."""
    text = response.get('textResultForLlm') or response.get('text_result_for_llm')
    text = text if isinstance(text, str) else ''
    code = text.rpartition(EXIT)[2].partition('>')[0].strip()
    return {'stdout': text, 'exit': code if code.isdigit() else 'unknown'}


ADAPTER = Copilot()
