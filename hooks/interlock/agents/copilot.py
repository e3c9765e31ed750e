"""GitHub Copilot CLI: it has names of its own, and a flat answer.

It also reads the settings of Claude Code, and then uses that client's names.
"""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, DENY, Decision
from interlock.guard.event import Event, Fields

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
CREATE = (kinds.WRITE, {'path': 'file_path', 'file_text': 'content'})
EDIT = (
    kinds.EDIT,
    {'path': 'file_path', 'old_str': 'old_string', 'new_str': 'new_string'},
)
START = (kinds.AGENT, {'agent_type': 'subagent_type'})
PATCH_BEGINS = '*** Begin Patch'
EXIT = 'exit code '


class Copilot(Adapter):
    name = 'copilot'
    title = 'GitHub Copilot CLI'

    # called through the other client's settings, it uses that client's names
    events = {**OWN_EVENTS, **{kind: kind for kind in OWN_EVENTS.values()}}
    wired = tuple(OWN_EVENTS)
    names_events = False
    fields = {
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
    # the second name of each is used through the other client's settings
    tools = {
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
    same_tools = ()

    form = 'flat'
    # exit code 2 refuses, but the agent does not see stderr
    reads_errors = False

    resumes = False

    # in an agent's shell, the variable names an unknown session
    tells_session = False
    marks = ('COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID')
    variables = ('COPILOT_HOME', 'COPILOT_CLI_BINARY_VERSION')
    prefixes = ('COPILOT_',)
    programs = {'copilot': ('--config-dir', '')}
    settings = '.github/hooks/interlock.json'
    files = {
        **dict.fromkeys(('.github/hooks/*.json', '.copilot/hooks/*.json'), 'flat'),
        '.github/copilot/settings.json': 'flat',
        '.github/copilot/settings.local.json': 'flat',
        '.copilot/settings.json': 'flat',
        '.copilot/config.json': 'text',
    }
    users = ('COPILOT_HOME', '.copilot', ('settings.json', 'config.json'))
    off = {'disableAllHooks': True}
    waits = 'timeoutSec'
    head = {'version': 1}
    trust = (
        'Copilot runs the hooks of a folder that the user trusts: start copilot '
        'here and trust the folder'
    )
    trusted_in = 'config.json'
    processes = ('copilot',)
    packages = ('@github/copilot',)

    def adjusted(self, kind: str, data: Fields) -> Fields:
        if data.get('agent_id') and data.get('parent_agent_id'):
            # events of a subagent carry the subagent's own id
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
        if called[:1].isupper() and decision.kind in (DENY, ASK):
            from interlock.agents.forms import FORMS, rendered

            return rendered(FORMS['nested'], called, decision)
        return super().answer(called, event, decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        return super().decision_in(out, err or 'refused without a reason', code)


def _response(response: Fields) -> Fields:
    """A failed command counts as a success; its text holds the exit code."""
    text = response.get('textResultForLlm') or response.get('text_result_for_llm')
    text = text if isinstance(text, str) else ''
    code = text.rpartition(EXIT)[2].partition('>')[0].strip()
    return {'stdout': text, 'exit': code if code.isdigit() else 'unknown'}


ADAPTER = Copilot()
