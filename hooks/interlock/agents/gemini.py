"""Gemini CLI: it has names of its own, and the decision is a top-level field."""

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

# our commands that commit nothing
QUIET = frozenset(
    'status check explain lock present gate transition verify-state'.split()
)
# how many characters of a script are read
LONGEST = 65536
# the client puts the output of hooks at the session start before the first prompt
CONTEXT_OPENS = '<hook_context>'
CONTEXT_ENDS = '</hook_context>\n\n'
# its shells set `core.hooksPath` to nothing, so that git would run no hooks;
# the client rejects a command with a substitution
HOOKS_ON = (
    'for key in GIT_CONFIG_KEY_{0..31}; do if [ "${!key}" = core.hooksPath ]; '
    'then export "$key=interlock.ignored"; fi; done\n'
)
# this variable takes precedence, whether it is right or wrong
TOLD = 'GIT_CONFIG_PARAMETERS'
TOLD_OFF = f'unset {TOLD}\n'


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
        'run_shell_command': (
            kinds.SHELL,
            {'is_background': 'run_in_background', 'dir_path': 'directory'},
        ),
        'write_file': (kinds.WRITE, {}),
        'replace': (kinds.EDIT, {'allow_multiple': 'replace_all'}),
        'invoke_agent': (kinds.AGENT, {'agent_name': 'subagent_type'}),
        'read_file': ('Read', {}),
    }
    mcp = 'mcp_'

    # a question makes it hang if no user is there to answer
    asks = False
    answers = {DENY: {'decision': DENY, 'reason': 'TEXT'}}
    lenient = False

    # a shell is told that an agent acts, but not in which session
    tells_session = False
    marks = ('GEMINI_CLI',)
    projects = ('GEMINI_PROJECT_DIR',)
    variables = ('GEMINI_SESSION_ID',)
    prefixes = ('GEMINI_',)
    programs = {'gemini': ('', '')}
    settings = '.gemini/settings.json'
    files = {
        '.gemini/settings.json': 'grouped',
        '.gemini/trustedFolders.json': 'text',
        '.gemini/.env': 'env',
    }
    env_file = '.gemini/.env'
    users = ('', '.gemini', ('settings.json', 'trustedFolders.json'))
    # the second one lists hooks by their commands
    off = {'hooksConfig.enabled': False, 'hooksConfig.disabled': True}
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
        if 'tool_response' in data:
            from interlock.agents.responses import with_exit_code

            data = with_exit_code(data)
        return data

    def output(self, called: str, event: Event | None, decision: Decision) -> Output:
        if event and not decision.kind and event.kind == kinds.PRE_TOOL:
            command = event.text('given_command')
            if event.tool == kinds.SHELL and _may_run_hooks(event):
                told = event.environ.get(TOLD, '').lower()
                first = TOLD_OFF if 'hookspath' in told or 'include' in told else ''
                if not first or not _finds_hooks(event):
                    return Output(_changed(called, f'{first}{HOOKS_ON}{command}'))
        return super().output(called, event, decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        """Use the exit code only if there is no output, as the client does."""
        return super().decision_in(out, '' if out else err, code)


def _finds_hooks(event: Event) -> bool:
    """Whether git is told of the hooks wherever a command may commit."""
    from interlock.guard.context import Context

    context, told = Context(event), event.environ[TOLD]
    committing = filter(_may_commit, event.effects)
    places = {getattr(each, 'directory', context.directory) for each in committing}
    return all(
        context.finds_hooks(told, place) for place in places or {context.directory}
    )


def _may_run_hooks(event: Event) -> bool:
    """Whether a command may run hooks. The client tells its agent about a changed
    command, so commands that neither commit nor push stay unchanged."""
    if not event.effects:
        from interlock.guard.shell.everyday_git import WRITES, everyday_git

        command = event.command or ''
        return 'commit' in command and everyday_git(command) == WRITES
    return any(map(_may_commit, event.effects))


def _may_commit(effect: Effect) -> bool:
    """Whether it may commit: git, our commands, release tools, code that names git."""
    from interlock.guard.shell.effects import Git, Runs, Unknown
    from interlock.guard.shell.hook_skipping import is_committing
    from interlock.guard.shell.programs.git import UNHOOKED, is_known
    from interlock.guard.shell.programs.interpreters import is_interpreter

    if isinstance(effect, Git):
        name = effect.subcommand
        known = name in UNHOOKED or (name != 'push' and is_known(name))
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
    """The text of a script, '' if it cannot be read."""
    try:
        with open(os.path.join(effect.directory, name), encoding='UTF-8') as f:
            return f.read(LONGEST)
    except (OSError, ValueError):
        return ''


def _changed(called: str, command: str) -> str:
    """An answer that changes the command."""
    from interlock.agents.forms import EVENT, SPECIFIC, as_json

    inner = {'hookEventName': EVENT, 'tool_input': {'command': command}}
    return as_json({SPECIFIC: inner}, {EVENT: called})


ADAPTER = Gemini()
