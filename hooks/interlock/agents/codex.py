"""Codex CLI: the names of events that are used here, patches, no question."""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import DENY, PLAIN, Decision
from interlock.guard.event import Event
from interlock.model.quick_json import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Ask, Tools
    from interlock.model.quick_typing import Mapping

EVENTS = {
    kind: kind
    for kind in (
        kinds.SESSION_START,
        kinds.PROMPT,
        kinds.PRE_TOOL,
        kinds.POST_TOOL,
        kinds.SUBAGENT_STOP,
        kinds.STOP,
        kinds.PRE_COMPACT,
        kinds.SESSION_END,
    )
}
TOOLS: Tools = {
    'apply_patch': (kinds.PATCH, {'command': 'patch'}),
    'spawn_agent': (kinds.AGENT, {'agent_type': 'subagent_type', 'message': 'prompt'}),
}
MATCHERS = {event: ('',) for event in EVENTS}
FILES = {'.codex/hooks.json': 'grouped', '.codex/config.toml': 'text'}
# it ends with its input, and does not finish what it was asked
ASK = '{ cat; sleep 3; } | codex app-server'
ANSWERED = '"hooks":['
PROGRAMS = {'codex': ('-c --config --disable --enable -p --profile', '')}


class Codex(Adapter):
    name = 'codex'
    title = 'Codex'

    events = EVENTS
    tools = TOOLS

    # into the terminal of a command
    types = True
    moves = True

    # it takes a question for a failed hook, and runs the tool
    asks = False

    sessions = ('CODEX_SESSION_ID',)
    marks = ('CODEX_CI', 'CODEX_THREAD_ID', 'CODEX_SANDBOX')
    variables = ('CODEX_HOME', 'CODEX_SANDBOX_NETWORK_DISABLED')
    prefixes = ('CODEX_',)
    programs = PROGRAMS
    settings = '.codex/hooks.json'
    files = FILES
    users = ('CODEX_HOME', '.codex', ('hooks.json', 'config.toml'))
    matchers = MATCHERS
    trust = (
        'Codex runs a hook only after the user trusted it: start codex here and '
        'answer its question about hooks, or open /hooks'
    )
    processes = ('codex',)
    packages = ('@openai/codex',)

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """What a tool returned is a text, without an exit code."""
        response = data.get('tool_response')
        if not isinstance(response, str):
            return data
        return {**data, 'tool_response': {'stdout': response, 'exit': 'unknown'}}

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        from interlock.agents.forms import nested

        # plain text is an answer to some events only
        return nested(called, decision) if decision.kind != PLAIN else Output()

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import REFUSED, in_nested

        if code == REFUSED and err:
            return DENY
        return in_nested(out) if not code else ''

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        """It runs a hook whose hash the user trusted, and it alone knows how
        that is made."""
        said = ask(['sh', '-c', ASK], _question(top))
        states = said.split('"trustStatus"')[1:]
        if not states and ANSWERED in said:
            return (
                False,
                'it does not trust this project, so it reads none of its hooks',
            )
        elif not states:
            return None, 'codex app-server does not list the hooks that it trusts'
        held = [state for state in states if _is_held(state)]
        what = f'{len(held)} of {len(states)} hooks are not trusted, so they do not run'
        return not held, what if held else f'{len(states)} hooks are trusted'


def _question(top: str) -> str:
    client = '{"name": "interlock", "title": "interlock", "version": "1"}'
    lines = (
        f'{{"id": 1, "method": "initialize", "params": {{"clientInfo": {client}}}}}',
        '{"method": "initialized"}',
        f'{{"id": 2, "method": "hooks/list", "params": {{"cwds": [{quoted(top)}]}}}}',
    )
    return ''.join(f'{line}\n' for line in lines)


def _is_held(state: str) -> bool:
    """Whether the value that follows the key is not one that runs."""
    return state.split('"')[1:2] not in (['trusted'], ['managed'])


ADAPTER = Codex()
