from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interlock.guard.decision import LIMIT
from tests.conftest import Interlock, Repo
from tests.guard.asking import SESSION, ask, send

TODOS = [
    {'content': f'Bake number {n}', 'status': 'pending', 'activeForm': 'x'}
    for n in range(100)
]


def transcript(repo: Repo) -> Path:
    """A session that asked for something, and wrote what is to be done."""
    lines = [
        {
            'type': 'user',
            'message': {'role': 'user', 'content': 'Bake a bread, très bon'},
            'timestamp': '2026-01-02T03:04:05Z',
        },
        {
            'type': 'assistant',
            'message': {
                'role': 'assistant',
                'content': [
                    {
                        'type': 'tool_use',
                        'id': 't',
                        'name': 'TodoWrite',
                        'input': {'todos': TODOS},
                    }
                ],
            },
            'timestamp': '2026-01-02T03:04:06Z',
        },
    ]
    path = repo.path / 'transcript.jsonl'
    path.write_text('\n'.join(map(json.dumps, lines)), encoding='UTF-8')
    return path


def compact(
    repo: Repo, path: Path | str = '', trigger: str = 'auto', **more: str
) -> str:
    """What is printed: plain text, as the client takes it here."""
    event = {
        'session_id': SESSION,
        'transcript_path': str(path),
        'cwd': str(repo.path),
        'hook_event_name': 'PreCompact',
        'trigger': trigger,
        'custom_instructions': None,
        **more,
    }
    reply = send('PreCompact', json.dumps(event).encode())
    assert (reply.code, reply.err) == (0, '')
    assert len(reply.out) <= LIMIT
    return reply.out


@pytest.mark.parametrize('trigger', ('auto', 'manual'))
def test_the_state_is_saved_and_comes_back(
    project: Repo, interlock: Interlock, trigger: str
) -> None:
    text = compact(project, transcript(project), trigger)
    assert 'Keep: open todo pending: "Bake number 0"' in text
    assert all(line.startswith(('Keep: ', '(', '…')) for line in text.splitlines())
    saved = json.loads(interlock('state', 'show', '--format', 'json').out)
    state = saved['state']
    assert state['compaction_count'] == 1
    assert len(state['todos']['explicit']) == len(TODOS)
    reply = ask('SessionStart', project.path, source='compact')
    assert reply.context.startswith('<workflow-recovery>')
    assert 'Bake number 0' in reply.context


def test_a_project_that_is_not_ours_is_left_alone(repo: Repo) -> None:
    assert compact(repo) == ''


def test_a_store_that_cannot_be_had_never_blocks(
    project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.path / 'file').write_text('')
    monkeypatch.setenv('INTERLOCK_STORE', f'{project.path}/file/db')
    text = compact(project, transcript(project))
    assert 'was not saved' in text
    assert 'Bake number 0' in text, 'the essentials go inline'


def test_a_store_that_is_damaged_never_blocks(
    project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.path / 'db').write_bytes(b'no database' * 1000)
    monkeypatch.setenv('INTERLOCK_STORE', f'{project.path}/db')
    assert 'was not saved' in compact(project, transcript(project))
    reply = ask('SessionStart', project.path, source='compact')
    assert 'cannot be loaded' in reply.context
    assert 'In progress (1)' in reply.context


@pytest.mark.parametrize(
    'raw',
    (
        b'',
        b'{',
        b'[]',
        b'null',
        b'{"hook_event_name": "Stop"}',
        b'\xff\xfe',
        b'{"hook_event_name": "PreCompact"}',
        b'{"hook_event_name": "PreCompact", "cwd": "/nowhere/at/all"}',
        b'{"hook_event_name": "PreCompact", "cwd": 7, "transcript_path": []}',
    ),
)
@pytest.mark.parametrize(
    'name', ('PreCompact', 'SessionStart', 'SessionEnd', 'UserPromptSubmit')
)
def test_bad_input_never_blocks(project: Repo, name: str, raw: bytes) -> None:
    reply = send(name, raw.replace(b'PreCompact', name.encode()))
    assert (reply.code, reply.err) == (0, '')


@pytest.mark.parametrize('raw', (b'', b'{', b'[]', b'null', b'\xff\xfe', b'{}'))
def test_what_is_known_goes_inline_though_the_event_says_nothing(
    project: Repo, raw: bytes
) -> None:
    compact(project, transcript(project))
    reply = send('PreCompact', raw)
    assert (reply.code, reply.err) == (0, '')
    assert 'Keep: open todo pending: "Bake number 0"' in reply.out
    log = project.path / '.git' / 'interlock' / 'claude' / 'failures.log'
    assert 'PreCompact the input is empty' in log.read_text()


def test_an_agent_has_a_state_of_its_own(project: Repo) -> None:
    path = transcript(project)
    folder = path.parent / 'transcript' / 'subagents'
    os.makedirs(folder)
    path.rename(folder / 'agent-a1.jsonl')
    compact(project, path, agent_id='a1', agent_type='dsp-agent')
    reply = ask('SessionStart', project.path, source='compact')
    assert 'Bake number' not in reply.context
    reply = ask('SessionStart', project.path, source='compact', agent_id='a1')
    assert 'Bake number 0' in reply.context
    assert 'Under way' not in reply.context
