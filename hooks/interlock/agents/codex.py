"""Codex CLI: it uses our names of events, edits by patches, and cannot ask."""

from __future__ import annotations

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds
from interlock.guard.event import Fields
from interlock.model.quick_json import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agents.adapter import Ask
    from interlock.model.quick_typing import Mapping

# it exits at the end of its input, even with an unfinished answer
ASK = '{ cat; sleep 3; } | codex app-server'
ANSWERED = '"hooks":['


class Codex(Adapter):
    name = 'codex'
    title = 'Codex'

    events = {
        kind: kind
        for kind in kinds.KINDS
        if kind not in (kinds.FAILED_TOOL, kinds.CONFIG_CHANGE)
    }
    tools = {
        'apply_patch': (kinds.PATCH, {'command': 'patch'}),
        'spawn_agent': (
            kinds.AGENT,
            {'agent_type': 'subagent_type', 'message': 'prompt'},
        ),
    }

    # agents type into the terminal of a command
    types = True
    moves = True

    # it treats a question as a failed hook, and runs the tool
    asks = False

    sessions = ('CODEX_SESSION_ID',)
    marks = ('CODEX_CI', 'CODEX_THREAD_ID', 'CODEX_SANDBOX')
    variables = ('CODEX_HOME', 'CODEX_SANDBOX_NETWORK_DISABLED')
    prefixes = ('CODEX_',)
    programs = {'codex': ('-c --config --disable --enable -p --profile', '')}
    settings = '.codex/hooks.json'
    files = {'.codex/hooks.json': 'grouped', '.codex/config.toml': 'text'}
    users = ('CODEX_HOME', '.codex', ('hooks.json', 'config.toml'))
    trust = (
        'Codex runs a hook only after the user trusted it: start codex here and '
        'answer its question about hooks, or open /hooks'
    )
    processes = ('codex',)
    packages = ('@openai/codex',)

    def adjusted(self, kind: str, data: Fields) -> Fields:
        """Convert the result of a tool, which is a text without an exit code."""
        response = data.get('tool_response')
        if not isinstance(response, str):
            return data
        return {**data, 'tool_response': {'stdout': response, 'exit': 'unknown'}}

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        """Ask the client: it runs a hook whose hash the user trusted, and only it
        knows how the hash is computed."""
        said = ask(['sh', '-c', ASK], question(top))
        states = said.split('"trustStatus"')[1:]
        if not states and ANSWERED in said:
            return (
                False,
                'codex reads no hooks of this project: the project is not trusted, or '
                'hooks are switched off (features.hooks)',
            )
        elif not states:
            return None, 'codex app-server did not say which hooks the user trusts'
        held = [state for state in states if _is_held(state)]
        what = f'{len(held)} of {len(states)} hooks are not trusted, so they do not run'
        return not held, what if held else f'{len(states)} hooks are trusted'


def question(top: str) -> str:
    client = '{"name": "interlock", "title": "interlock", "version": "1"}'
    lines = (
        f'{{"id": 1, "method": "initialize", "params": {{"clientInfo": {client}}}}}',
        '{"method": "initialized"}',
        f'{{"id": 2, "method": "hooks/list", "params": {{"cwds": [{quoted(top)}]}}}}',
    )
    return ''.join(f'{line}\n' for line in lines)


def _is_held(state: str) -> bool:
    """Whether the trust status after the key keeps the hook from running."""
    return state.split('"')[1:2] not in (['trusted'], ['managed'])


ADAPTER = Codex()
