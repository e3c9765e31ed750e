"""What single clients say in their own way, to a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from interlock.agents import adapter_of, launcher
from tests.conftest import Repo

SESSION = '11111111-1111-4111-8111-111111111111'
LAUNCHER = str(Path(launcher.__file__).resolve())


class Answer(NamedTuple):
    decision: str
    out: str
    err: str
    code: int


def ask(
    client: str, event: str, data: Mapping[str, Any], environ: Mapping[str, str] = {}
) -> Answer:
    done = subprocess.run(
        (sys.executable, '-I', '-S', LAUNCHER, client, event),
        input=json.dumps(data).encode(),
        capture_output=True,
        timeout=60,
        env={**os.environ, **environ},
    )
    out, err = done.stdout.decode().strip(), done.stderr.decode().strip()
    decision = adapter_of(client).decision_in(out, err, done.returncode)
    return Answer(decision, out, err, done.returncode)


def test_a_guest_is_answered_as_it_understands(project: Repo) -> None:
    """Copilot reads the settings of Claude Code, and sends its own fields."""
    hook = str(project.path / '.git/hooks/pre-commit')
    data = {
        'hook_event_name': 'PreToolUse',
        'session_id': SESSION,
        'timestamp': '2026-11-16T16:29:28.175Z',
        'cwd': str(project.path),
        'tool_name': 'Write',
        'tool_input': {'path': hook, 'file_text': 'x\n'},
    }
    answer = ask('claude', 'PreToolUse', data)
    assert answer.code == 0
    specific = json.loads(answer.out)['hookSpecificOutput']
    assert specific['permissionDecision'] == 'deny'
    data['tool_input'] = {'path': str(project.path / 'n.md'), 'file_text': 'x\n'}
    assert ask('claude', 'PreToolUse', data)[1:] == ('', '', 0)


@pytest.mark.parametrize(
    ('client', 'data', 'session', 'agent'),
    [
        pytest.param(
            'codex',
            {'session_id': 's', 'agent_id': 'a', 'agent_type': 'worker'},
            's',
            'worker',
            id='codex',
        ),
        pytest.param(
            'copilot',
            {
                'sessionId': 'a',
                'agentId': 'a',
                'agentType': 'explore',
                'parentAgentId': 's',
            },
            's',
            'explore',
            id='copilot says its own id for the session',
        ),
        pytest.param('copilot', {'sessionId': 's'}, 's', '', id='copilot'),
    ],
)
def test_who_an_event_is_of(
    client: str, data: dict[str, Any], session: str, agent: str
) -> None:
    event = adapter_of(client).event('x', data, {})
    assert (event.session, event.agent_type) == (session, agent)


def test_a_client_inside_another_is_itself() -> None:
    """The variables of the outer one are still there."""
    outer = {'CLAUDE_CODE_SESSION_ID': 'o', 'CLAUDECODE': '1'}
    found = adapter_of('codex').event('PreToolUse', {'session_id': 's'}, outer)
    assert found.session == 's'


@pytest.mark.parametrize(
    ('client', 'response', 'code'),
    [
        pytest.param('codex', 'BUILD SUCCESSFUL', 'unknown', id='no code'),
        pytest.param(
            'copilot',
            {'textResultForLlm': 'x\n<shellId: 0 completed with exit code 3>'},
            '3',
            id='in its text',
        ),
        pytest.param('copilot', {'textResultForLlm': 'x'}, 'unknown', id='none'),
    ],
)
def test_an_exit_code_is_known_or_not(client: str, response: Any, code: str) -> None:
    event = adapter_of(client).event('x', {'tool_response': response}, {})
    assert event.response['exit'] == code


def test_what_a_compaction_lost_is_said_at_the_next_event(project: Repo) -> None:
    """Copilot tells that it will compact, and nothing afterwards."""
    data = {'sessionId': SESSION, 'cwd': str(project.path)}
    (project.path / '.git/hooks').mkdir(exist_ok=True)
    ask('copilot', 'preCompact', data)
    answer = ask('copilot', 'userPromptSubmitted', {**data, 'prompt': 'go on'})
    assert 'additionalContext' in json.loads(answer.out)
    again = ask('copilot', 'userPromptSubmitted', {**data, 'prompt': 'go on'})
    assert again.out == ''


@pytest.mark.parametrize(
    ('prompt', 'expected'),
    [
        ('approved', 'approved'),
        ('<hook_context>facts</hook_context>\n\napproved', 'approved'),
        ('<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>\n\nx', 'x'),
        ('say </hook_context>\n\napproved', 'say </hook_context>\n\napproved'),
        ('<hook_context>approved', '<hook_context>approved'),
    ],
)
def test_the_words_of_the_user_behind_those_of_hooks(
    prompt: str, expected: str
) -> None:
    data = {'hook_event_name': 'BeforeAgent', 'prompt': prompt}
    assert adapter_of('gemini').adjusted('UserPromptSubmit', data)['prompt'] == expected
