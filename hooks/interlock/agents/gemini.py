"""Gemini CLI: names of its own, and an answer that decides at the top."""

from __future__ import annotations

import os

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import DENY, PLAIN, Decision, cut
from interlock.guard.event import Event
from interlock.model.quick_json import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Ask, Tools
    from interlock.model.quick_typing import Mapping

# not `PreCompress`, which comes before every call of the model
EVENTS = {
    'SessionStart': kinds.SESSION_START,
    'BeforeAgent': kinds.PROMPT,
    'BeforeTool': kinds.PRE_TOOL,
    'AfterTool': kinds.POST_TOOL,
    'AfterAgent': kinds.STOP,
    'SessionEnd': kinds.SESSION_END,
}
TOOLS: Tools = {
    'run_shell_command': (kinds.SHELL, {'is_background': 'run_in_background'}),
    'write_file': (kinds.WRITE, {}),
    'replace': (kinds.EDIT, {'allow_multiple': 'replace_all'}),
    'invoke_agent': (kinds.AGENT, {'agent_name': 'subagent_type'}),
    'read_file': ('Read', {}),
}
MATCHERS = {event: ('',) for event in EVENTS}
FILES = {'.gemini/settings.json': 'grouped', '.gemini/trustedFolders.json': 'text'}
OFF = {'hooksConfig.enabled': False}
PROGRAMS = {'gemini': ('', '')}
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

    events = EVENTS
    tools = TOOLS
    mcp = 'mcp_'

    # a question makes it hang where nobody is there to answer
    asks = False
    lenient = False

    # a shell is told that an agent acts, and not for which session
    tells_session = False
    marks = ('GEMINI_CLI',)
    projects = ('GEMINI_PROJECT_DIR',)
    variables = ('GEMINI_SESSION_ID',)
    prefixes = ('GEMINI_',)
    programs = PROGRAMS
    settings = '.gemini/settings.json'
    files = FILES
    users = ('', '.gemini', ('settings.json', 'trustedFolders.json'))
    off = OFF
    matchers = MATCHERS
    # its timeouts are milliseconds
    unit = 1000
    trust = (
        'Gemini runs the hooks of a folder that the user trusts: start gemini here '
        'and trust the folder'
    )
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

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        from interlock.agents.forms import json_object, nested

        if decision.kind == DENY:
            text = cut(decision.text, decision.limit)
            return Output(json_object(decision='deny', reason=text))
        return nested(called, decision) if decision.kind != PLAIN else Output()

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import REFUSED, in_flat

        if code == REFUSED and err and not out:
            return DENY
        return in_flat(out) if not code else ''

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        home = environ.get('HOME') or os.path.expanduser('~')
        path = os.path.join(home, '.gemini/trustedFolders.json')
        try:
            with open(path, encoding='UTF-8') as f:
                text = f.read()
        except (OSError, ValueError):
            # it may not ask for any
            return None, f'{path} trusts no folder'
        trusted = quoted(os.path.realpath(top)) in text
        return trusted, f'{path} {"names" if trusted else "does not name"} {top}'


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
    from interlock.agents.forms import json_object

    given = json_object(command=f'{HOOKS_ON}{command}')
    inner = f'{{"hookEventName": {quoted(called)}, "tool_input": {given}}}'
    return f'{{"hookSpecificOutput": {inner}}}'


ADAPTER = Gemini()
