"""The process itself: what it reads, how it answers, how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import GUARDS
from tests.conftest import Repo
from tests.guard.asking import COMMAND, Reply, ask, send, use

OBSERVERS = [name for name in HANDLERS if name not in GUARDS]
EACH_GUARD = pytest.mark.parametrize('name', GUARDS)
EACH_OBSERVER = pytest.mark.parametrize('name', OBSERVERS)

BAD_INPUT = [
    pytest.param(b'', id='empty'),
    pytest.param(b'{', id='cut off'),
    pytest.param(b'[]', id='a list'),
    pytest.param(b'null', id='null'),
    pytest.param(b'{} {}', id='two objects'),
    pytest.param(b'\xff\xfe', id='no UTF-8'),
    pytest.param(b'[' * 200_000, id='deep'),
    pytest.param(b'{"hook_event_name": "Notification"}', id='another event'),
]


def is_refused(name: str, reply: Reply) -> bool:
    wanted = 'block' if name == 'ConfigChange' else 'deny'
    return (reply.code, reply.decision, reply.err) == (
        2,
        wanted,
        reply.reason,
    ) and 'interlock doctor' in reply.reason


@EACH_GUARD
@pytest.mark.parametrize('raw', BAD_INPUT)
def test_a_guard_refuses_what_it_cannot_read(name: str, raw: bytes) -> None:
    assert is_refused(name, send(name, raw))


@EACH_OBSERVER
@pytest.mark.parametrize('raw', BAD_INPUT)
def test_an_observer_never_holds_up(name: str, raw: bytes) -> None:
    assert send(name, raw).is_silent


@pytest.mark.parametrize('raw', [b'', b'{}', b'{"cwd": "/"}'])
def test_a_call_for_no_event_is_refused(raw: bytes) -> None:
    assert is_refused('PreToolUse', send('', raw))


def test_the_event_may_be_named_by_the_client_alone(project: Repo) -> None:
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    raw = json.dumps(
        {
            'hook_event_name': 'PreToolUse',
            'cwd': str(project.path),
            'tool_name': 'Write',
            'tool_input': {'file_path': str(hook), 'content': ''},
        }
    ).encode()
    assert send('', raw).decision == 'deny'


def test_an_unknown_event_is_let_through(project: Repo) -> None:
    assert ask('Notification', project.path).is_silent


@EACH_GUARD
def test_where_no_workflow_is_nothing_is_said(name: str, tmp_path: Path) -> None:
    reply = ask(
        name,
        tmp_path,
        tool_name='Write',
        tool_input={'file_path': str(tmp_path / 'task.json'), 'content': ''},
    )
    assert reply.is_silent


@pytest.mark.parametrize(
    'given',
    [
        pytest.param({}, id='nothing'),
        pytest.param({'file_path': None}, id='null'),
        pytest.param({'file_path': 3}, id='a number'),
        pytest.param({'file_path': ''}, id='an empty path'),
    ],
)
def test_a_tool_that_names_no_file_is_refused(
    given: dict[str, Any], project: Repo
) -> None:
    for tool in ('Write', 'Edit', 'NotebookEdit'):
        reply = use(tool, project.path, **given)
        assert 'names no file' in reply.reason


def test_a_directory_that_was_deleted(project: Repo) -> None:
    gone = project.path / 'gone' / 'further'
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    reply = use('Write', gone, file_path=str(hook), content='')
    assert reply.decision == 'deny'


def test_an_event_without_a_directory(project: Repo) -> None:
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    raw = json.dumps(
        {
            'hook_event_name': 'PreToolUse',
            'tool_name': 'Write',
            'tool_input': {'file_path': str(hook), 'content': ''},
        }
    ).encode()
    reply = send('PreToolUse', raw, cwd=project.path)
    assert reply.decision == 'deny'
    elsewhere = {'CLAUDE_PROJECT_DIR': str(project.path)}
    assert send('PreToolUse', raw, elsewhere, Path('/')).decision == 'deny'


def test_large_content_is_read(project: Repo) -> None:
    brief = project.path / 'plugins/Bravo/.ideas/creative-brief.md'
    reply = use('Write', project.path, file_path=str(brief), content='x' * 20_000_000)
    assert reply.decision == 'deny'
    other = project.path / 'notes.md'
    reply = use('Write', project.path, file_path=str(other), content='x' * 20_000_000)
    assert reply.is_silent


def test_a_workflow_that_makes_no_sense(project: Repo) -> None:
    workflow = project.path / '.interlock.yaml'
    workflow.write_text('version: [\n')
    note = project.path / 'notes.md'
    reply = use('Write', project.path, file_path=str(note), content='')
    assert reply.decision == 'deny'
    assert reply.reason.startswith('CLD014')
    # it can be repaired, if the user wants it
    repaired = use('Write', project.path, file_path=str(workflow), content='version: 1')
    assert repaired.decision == 'ask'
    away = project.path.parent / 'elsewhere.md'
    assert use('Write', project.path, file_path=str(away), content='').is_silent


def test_the_last_answer_is_remembered(project: Repo) -> None:
    note = project.path / 'notes.md'
    use('Write', project.path, file_path=str(note), content='')
    kept = project.path / '.git' / 'interlock' / 'claude' / 'PreToolUse'
    moment, _, answer = kept.read_text().strip().partition(' ')
    assert abs(int(moment) - time.time()) < 60
    assert answer == 'nothing'


def test_a_failure_of_an_observer_is_logged(project: Repo) -> None:
    (project.path / '.interlock.yaml').write_text('version: [\n')
    assert ask('Stop', project.path).is_silent
    log = project.path / '.git' / 'interlock' / 'claude' / 'failures.log'
    assert 'Stop' in log.read_text()


def test_a_client_that_hangs_is_refused_in_time() -> None:
    """Nothing comes on standard input, and nobody closes it."""
    source = (
        'import sys; from interlock.agents.respond import main; '
        'from interlock.guard import event; '
        'event.PATIENCE[""] = 0.2; sys.exit(main(["claude", "PreToolUse"]))'
    )
    process = subprocess.Popen(
        (COMMAND[0], '-c', source),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.wait(timeout=30) == 2
    assert process.stdout is not None and process.stdin is not None
    assert b'took too long' in process.stdout.read()
    process.stdin.close()
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()


def test_a_reader_that_went_away_changes_no_exit_code(project: Repo) -> None:
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    raw = json.dumps(
        {
            'hook_event_name': 'PreToolUse',
            'tool_name': 'Write',
            'cwd': str(project.path),
            'tool_input': {'file_path': str(hook), 'content': ''},
        }
    ).encode()
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(
        (*COMMAND, 'PreToolUse'),
        input=raw,
        stdout=written,
        stderr=subprocess.DEVNULL,
        timeout=60,
    )
    os.close(written)
    assert done.returncode == 2
