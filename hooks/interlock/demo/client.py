"""Tool calls of an agent, sent as the client sends them."""

from __future__ import annotations

import json
from pathlib import Path

from interlock.demo.attempts import BRIEF, CODE
from interlock.git.run_command import feed
from interlock.model.quick_typing import Any, Mapping, NamedTuple

# for the answer of a guard
SECONDS = 60
SETTINGS = Path('.claude', 'settings.local.json')


class Call(NamedTuple):
    what: str
    tool: str
    given: Mapping[str, str]
    # the code that refuses it, '' for a call that must be let through
    refused_by: str


def calls(top: Path) -> list[Call]:
    return [
        Call(
            'an agent rewrites a sealed contract',
            'Write',
            {'file_path': str(top / BRIEF), 'content': '# Mine\n'},
            'CON006',
        ),
        Call(
            'an agent skips the hooks',
            'Bash',
            {'command': 'git commit -anm "quick fix"'},
            'CLD001',
        ),
        Call(
            'an agent removes a hook',
            'Bash',
            {'command': 'rm .git/hooks/pre-commit'},
            'CLD003',
        ),
        Call(
            'an agent writes code, and a message about --no-verify',
            'Write',
            {'file_path': str(top / CODE), 'content': '// no --no-verify\n'},
            '',
        ),
    ]


def _handler(top: Path) -> dict[str, Any]:
    settings = json.loads((top / SETTINGS).read_text(encoding='UTF-8'))
    groups = settings['hooks']['PreToolUse']
    handler: dict[str, Any] = groups[0]['hooks'][0]
    return handler


def send(top: Path, environ: Mapping[str, str], call: Call) -> tuple[int, str]:
    """Runs what the settings name; its exit code and what the agent sees."""
    handler = _handler(top)
    event = {
        'hook_event_name': 'PreToolUse',
        'cwd': str(top),
        'session_id': 'demo',
        'tool_name': call.tool,
        'tool_input': call.given,
    }
    words = (
        [handler['command'], *handler['args']]
        if 'args' in handler
        # a shell reads a command whose arguments do not stand beside it
        else ['sh', '-c', handler['command']]
    )
    answered = feed(
        words,
        json.dumps(event).encode(),
        str(top),
        {**environ, 'CLAUDECODE': '1'},
        SECONDS,
    )
    if not answered.out.strip():
        return answered.code, ''
    answer = json.loads(answered.out)['hookSpecificOutput']
    return answered.code, str(answer['permissionDecisionReason'])
