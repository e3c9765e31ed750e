"""Each client's own events, to a real process, and its own answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from interlock.agents import launcher
from interlock.agents.registered import ADAPTERS, adapter
from interlock.agents.wiring import called, sent, tool_call, tools_of
from interlock.guard import event as kinds
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
    decision = adapter(client).decision_in(out, err, done.returncode)
    return Answer(decision, out, err, done.returncode)


def use(client: str, tool: str, cwd: Path, given: Mapping[str, str]) -> Answer:
    """A tool of the client, with fields by our names."""
    found = adapter(client)
    names = next(names for theirs, _, names in tools_of(found) if theirs == tool)
    fields = {'session_id': SESSION, 'cwd': str(cwd), **tool_call(tool, names, given)}
    event = called(found, kinds.PRE_TOOL)
    return ask(client, event, sent(found, event, fields))


def harmful(top: Path, tool: str) -> list[Mapping[str, str]]:
    """What each tool must not do, whatever its client."""
    hook, brief = '.git/hooks/pre-commit', 'plugins/Bravo/.ideas/creative-brief.md'
    paths = [hook, brief, '../x/../' + top.name + '/' + brief, str(top / hook)]
    if tool == kinds.WRITE:
        return [{'file_path': path, 'content': 'x\n'} for path in paths]
    elif tool == kinds.EDIT:
        edit = {'old_string': 'Bravo', 'new_string': 'Bravissimo'}
        return [{'file_path': path, **edit} for path in (brief, str(top / brief))]
    elif tool == kinds.PATCH:
        return [
            {
                'patch': f'*** Begin Patch\n*** Add File: n.txt\n+n\n'
                f'*** {verb} File: {path}\n{more}*** End Patch\n'
            }
            for path in paths
            for verb, more in (('Delete', ''), ('Add', '+x\n'))
        ]
    elif tool == kinds.SHELL:
        return [
            {'command': command}
            for command in (
                'git commit --no-verify -m x',
                f'echo x > {hook}',
                'git config core.hooksPath /tmp/x',
            )
        ]
    return []


def harmless(tool: str) -> list[Mapping[str, str]]:
    patch = '*** Begin Patch\n*** Add File: n.txt\n+n\n*** End Patch\n'
    return {
        kinds.WRITE: [{'file_path': 'notes.md', 'content': 'x\n'}],
        kinds.EDIT: [{'file_path': 'n.md', 'old_string': '', 'new_string': 'x'}],
        kinds.PATCH: [{'patch': patch}],
        kinds.SHELL: [{'command': 'ls -la'}, {'command': 'git status'}],
    }.get(tool, [])


@pytest.mark.parametrize('client', ADAPTERS)
def test_each_tool_is_guarded(client: str, project: Repo) -> None:
    for tool, ours, _ in tools_of(adapter(client)):
        for given in harmful(project.path, ours):
            answer = use(client, tool, project.path, given)
            assert answer.decision == 'deny', (tool, given, answer)
            assert 'C' in answer.out, 'the model reads the rule'


@pytest.mark.parametrize('client', ADAPTERS)
def test_what_breaks_nothing_passes_in_silence(client: str, project: Repo) -> None:
    silence = adapter(client).silence
    for tool, ours, _ in tools_of(adapter(client)):
        for given in harmless(ours):
            answer = use(client, tool, project.path, given)
            assert (answer.out, answer.err, answer.code) == (silence, '', 0), tool


@pytest.mark.parametrize('client', ADAPTERS)
def test_the_workflow_is_asked_about_or_refused(client: str, project: Repo) -> None:
    for tool, ours, _ in tools_of(adapter(client)):
        if ours == kinds.WRITE:
            given = {'file_path': '.interlock.yaml', 'content': 'version: 1\n'}
            answer = use(client, tool, project.path, given)
            assert answer.decision == ('ask' if adapter(client).asks else 'deny')


BAD = [
    pytest.param(b'', id='empty'),
    pytest.param(b'{', id='cut off'),
    pytest.param(b'[]', id='a list'),
    pytest.param(b'null', id='null'),
    pytest.param(b'\xff\xfe', id='no UTF-8'),
]


@pytest.mark.parametrize('raw', BAD)
@pytest.mark.parametrize('client', ADAPTERS)
def test_a_guard_refuses_what_it_cannot_read(client: str, raw: bytes) -> None:
    found = adapter(client)
    for kind in (kinds.PRE_TOOL, kinds.STOP):
        done = subprocess.run(
            (sys.executable, '-I', '-S', LAUNCHER, client, called(found, kind)),
            input=raw,
            capture_output=True,
            timeout=60,
        )
        out, err = done.stdout.decode().strip(), done.stderr.decode()
        decision = found.decision_in(out, err, done.returncode)
        if kind == kinds.STOP:
            assert (out, err, done.returncode) == ('', '', 0)
        else:
            assert decision == 'deny' and 'interlock doctor' in out


@pytest.mark.parametrize('client', ADAPTERS)
@pytest.mark.parametrize(
    'fields',
    [
        pytest.param({}, id='no tool'),
        pytest.param({'tool_name': None}, id='a tool that is null'),
        pytest.param({'tool_name': 'Write', 'tool_input': {}}, id='no file'),
        pytest.param({'tool_name': 'Write', 'tool_input': 3}, id='a number'),
        pytest.param(
            {'tool_name': 'later_writer', 'tool_input': {'path': '.git/hooks/x'}},
            id="another version's name of a tool",
        ),
        pytest.param(
            {
                'tool_name': 'later_shell',
                'tool_input': {'command': 'git push --no-verify'},
            },
            id="another version's name of a shell",
        ),
    ],
)
def test_what_an_event_does_not_say_is_refused(
    client: str, fields: Mapping[str, Any], project: Repo
) -> None:
    found = adapter(client)
    event = called(found, kinds.PRE_TOOL)
    data = sent(found, event, {'cwd': str(project.path), **fields})
    assert ask(client, event, data).decision == 'deny'


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
    event = adapter(client).event('x', data, {})
    assert (event.session, event.agent_type) == (session, agent)


def test_a_client_inside_another_is_itself() -> None:
    """The variables of the outer one are still there."""
    outer = {'CLAUDE_CODE_SESSION_ID': 'o', 'CLAUDECODE': '1'}
    found = adapter('codex').event('PreToolUse', {'session_id': 's'}, outer)
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
    event = adapter(client).event('x', {'tool_response': response}, {})
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
