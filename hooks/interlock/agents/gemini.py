"""Gemini CLI: names of its own, and an answer that decides at the top."""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import DENY, Decision
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# what starts no hook of git; anything else may, a script or `make` among them
PLAIN_PROGRAMS = frozenset(
    """ls cat head tail grep rg wc diff stat file test [ cd pwd echo printf which cut
    tr sort uniq date true false basename dirname realpath mkdir touch cp mv rm jq tree
    du df ps sleep seq tee column nl od cmp comm paste uname whoami id chmod ln readlink
    sha256sum md5sum""".split()
)
PLAIN_VERBS = {
    'git': frozenset(
        """status diff log show add rev-parse ls-files blame branch fetch remote tag
        describe ls-tree cat-file rev-list shortlog grep stash restore reset rm
        mv""".split()
    ),
    'interlock': frozenset(
        'status check explain lock present gate transition verify-state'.split()
    ),
}
# what hooks said at the start of the session stands in front of its first prompt
CONTEXT_OPENS = '<hook_context>'
CONTEXT_ENDS = '</hook_context>\n\n'
_APART = str.maketrans(dict.fromkeys(';&|', '\n'))
# its shells set `core.hooksPath` to nothing, and git would run no hook at all;
# it refuses a command with a substitution
HOOKS_ON = (
    'for key in GIT_CONFIG_KEY_{0..31}; do if [ "${!key}" = core.hooksPath ]; '
    'then export "$key=interlock.ignored"; fi; done\n'
)


class Gemini(Adapter):
    name = 'gemini'
    title = 'Gemini CLI'

    # not `PreCompress`, which comes before every call of the model
    events = {
        'SessionStart': kinds.SESSION_START,
        'BeforeAgent': kinds.PROMPT,
        'BeforeTool': kinds.PRE_TOOL,
        'AfterTool': kinds.POST_TOOL,
        'AfterAgent': kinds.STOP,
        'SessionEnd': kinds.SESSION_END,
    }
    tools = {
        'run_shell_command': (kinds.SHELL, {'is_background': 'run_in_background'}),
        'write_file': (kinds.WRITE, {}),
        'replace': (kinds.EDIT, {'allow_multiple': 'replace_all'}),
        'invoke_agent': (kinds.AGENT, {'agent_name': 'subagent_type'}),
        'read_file': ('Read', {}),
    }
    mcp = 'mcp_'

    # a question makes it hang where nobody is there to answer
    asks = False
    answers = {DENY: {'decision': DENY, 'reason': 'TEXT'}}
    lenient = False

    # a shell is told that an agent acts, and not for which session
    tells_session = False
    marks = ('GEMINI_CLI',)
    projects = ('GEMINI_PROJECT_DIR',)
    variables = ('GEMINI_SESSION_ID',)
    prefixes = ('GEMINI_',)
    programs = {'gemini': ('', '')}
    settings = '.gemini/settings.json'
    files = {'.gemini/settings.json': 'grouped', '.gemini/trustedFolders.json': 'text'}
    users = ('', '.gemini', ('settings.json', 'trustedFolders.json'))
    off = {'hooksConfig.enabled': False}
    # its timeouts are milliseconds
    unit = 1000
    trust = (
        'Gemini runs the hooks of a folder that the user trusts: start gemini here '
        'and trust the folder'
    )
    trusted_in = 'trustedFolders.json'
    # users may switch the question off
    needs_trust = False
    processes = ('gemini',)
    packages = ('@google/gemini-cli',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        prompt = data.get('prompt')
        if kind == kinds.PROMPT and isinstance(prompt, str):
            if prompt.startswith(CONTEXT_OPENS):
                data = {**data, 'prompt': prompt.rpartition(CONTEXT_ENDS)[2]}
        given = data.get('tool_input')
        if isinstance(given, dict):
            data = {**data, 'given_command': given.get('command')}
        if data.get('tool_name') == kinds.SHELL or 'tool_response' in data:
            from interlock.agents.responses import in_directory, with_exit_code

            data = with_exit_code(in_directory(data, 'dir_path'))
        return data

    def output(self, called: str, event: Event | None, decision: Decision) -> Output:
        if event and not decision.kind and event.kind == kinds.PRE_TOOL:
            command = event.text('given_command')
            if event.tool == kinds.SHELL and _may_run_hooks(command):
                return Output(_with_hooks(called, command))
        return super().output(called, event, decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        """It reads the output first, and takes an exit code for an answer only
        where there is none."""
        return super().decision_in(out, '' if out else err, code)


def _may_run_hooks(command: str) -> bool:
    """The client tells its agent of a command that was changed, so what is
    plain stays as it is."""
    return (
        '`' in command
        or '$(' in command
        or any(
            words[0] not in PLAIN_PROGRAMS
            and not PLAIN_VERBS.get(words[0], frozenset()).intersection(words[1:2])
            for words in map(str.split, command.translate(_APART).split('\n'))
            if words
        )
    )


def _with_hooks(called: str, command: str) -> str:
    """The command, with the hooks of git as the repository has them."""
    from interlock.agents.forms import EVENT, SPECIFIC, as_json

    given = {'command': f'{HOOKS_ON}{command}'}
    inner = {'hookEventName': EVENT, 'tool_input': given}
    return as_json({SPECIFIC: inner}, {EVENT: called})


ADAPTER = Gemini()
