"""Tool calls of an agent, sent as the client sends them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from demo.attempts import BRIEF, CODE

SETTINGS = Path('.claude', 'settings.json')


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
    process = subprocess.run(
        [handler['command'], *handler['args']],
        input=json.dumps(event),
        cwd=top,
        env={**environ, 'CLAUDECODE': '1'},
        text=True,
        capture_output=True,
        check=False,
    )
    if not process.stdout.strip():
        return process.returncode, ''
    answer = json.loads(process.stdout)['hookSpecificOutput']
    return process.returncode, str(answer['permissionDecisionReason'])
