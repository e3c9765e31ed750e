"""Gemini CLI: names of its own, and an answer that decides at the top."""

from __future__ import annotations

import os

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import DENY, Decision
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.guard.shell.effects import Effect, Runs

# commands of git that change something and start no hook of ours
HOOKLESS = frozenset(
    'add checkout switch restore reset rm mv clean init gc update-index'.split()
)
# commands of ours that commit nothing
QUIET = frozenset(
    'status check explain lock present gate transition verify-state'.split()
)
# characters of a script that are read
LONGEST = 65536
# what hooks said at the start of the session stands in front of its first prompt
CONTEXT_OPENS = '<hook_context>'
CONTEXT_ENDS = '</hook_context>\n\n'
# its shells set `core.hooksPath` to nothing, and git would run no hook at all;
# it refuses a command with a substitution
HOOKS_ON = (
    'for key in GIT_CONFIG_KEY_{0..31}; do if [ "${!key}" = core.hooksPath ]; '
    'then export "$key=interlock.ignored"; fi; done\n'
)


# the user may have told git of them, which counts more
TOLD = 'GIT_CONFIG_PARAMETERS'
HOOKS_PATH = "'core.hooksPath'='"


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
            is_shell = event.tool == kinds.SHELL and not _are_on(event)
            if is_shell and _may_run_hooks(event):
                return Output(_with_hooks(called, command))
        return super().output(called, event, decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        """It reads the output first, and takes an exit code for an answer only
        where there is none."""
        return super().decision_in(out, '' if out else err, code)


def _are_on(event: Event) -> bool:
    """Whether the environment of the session names the hooks of the repository."""
    told = event.environ.get(TOLD, '')
    if HOOKS_PATH not in told:
        return False
    from interlock.files.atomic_files import read
    from interlock.guard.context import Context

    folder = told.rpartition(HOOKS_PATH)[2].partition("'")[0]
    hooks = os.path.join(Context(event).state, 'hooks')
    own = read(os.path.join(hooks, 'pre-commit')) or b''
    return os.path.realpath(folder) == os.path.realpath(hooks) and b'interlock' in own


def _may_run_hooks(event: Event) -> bool:
    """The client tells its agent of a command that was changed, so all that
    commits and pushes nothing stays as it is."""
    if not event.effects:
        from interlock.guard.shell.everyday_git import WRITES, everyday_git

        command = event.command or ''
        return 'commit' in command and everyday_git(command) == WRITES
    return any(map(_may_commit, event.effects))


def _may_commit(effect: Effect) -> bool:
    """git, a command of ours, a tool that makes releases, or code that names git."""
    from interlock.guard.shell.effects import Git, Runs, Unknown
    from interlock.guard.shell.hook_skipping import is_committing
    from interlock.guard.shell.programs.git import is_known
    from interlock.guard.shell.programs.interpreters import is_interpreter

    if isinstance(effect, Git):
        name = effect.subcommand
        known = name in HOOKLESS or (name != 'push' and is_known(name))
        return effect.commits or not known
    elif not isinstance(effect, Runs):
        return isinstance(effect, Unknown)
    words = effect.args
    if effect.program == 'interlock':
        return not QUIET.intersection(words[:1])
    elif is_interpreter(effect.program):
        return any('git' in word or 'git' in _text(effect, word) for word in words)
    return any(map(is_committing, (effect.program, *words[:2])))


def _text(effect: Runs, name: str) -> str:
    """Of a script, '' if it is none."""
    try:
        with open(os.path.join(effect.directory, name), encoding='UTF-8') as f:
            return f.read(LONGEST)
    except (OSError, ValueError):
        return ''


def _with_hooks(called: str, command: str) -> str:
    """The command, with the hooks of git as the repository has them."""
    from interlock.agents.forms import EVENT, SPECIFIC, as_json

    given = {'command': f'{HOOKS_ON}{command}'}
    inner = {'hookEventName': EVENT, 'tool_input': given}
    return as_json({SPECIFIC: inner}, {EVENT: called})


ADAPTER = Gemini()
