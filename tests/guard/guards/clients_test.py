"""Commands that start another client, or a program to type into."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.guard.context import Context
from interlock.guard.decision import Decision
from interlock.guard.event import Event
from interlock.guard.guards import shell_commands
from tests.conftest import Interlock, Repo


def judged(command: str, top: Path, client: str) -> Decision | None:
    data = {
        'cwd': str(top),
        'tool_name': 'Bash',
        'tool_input': {'command': command},
        'session_id': 's',
    }
    return shell_commands.handle(Context(Event('PreToolUse', data, {}, client=client)))


@pytest.mark.parametrize(
    ('command', 'client', 'asks'),
    [
        pytest.param('codex exec "do it"', 'claude', True, id='another client'),
        pytest.param('cd /tmp && copilot -p x', 'codex', True, id='after cd'),
        pytest.param('npx codex exec x', 'claude', True, id='by npx'),
        pytest.param('claude -p x', 'gemini', True, id='claude'),
        pytest.param('codex --version', 'claude', False, id='its version'),
        pytest.param('codex login', 'claude', False, id='its login'),
        pytest.param('codex exec x', 'codex', False, id='the same client'),
        pytest.param(
            'codex exec -c features.hooks=false x', 'codex', True, id='without hooks'
        ),
        pytest.param('echo codex', 'claude', False, id='its name'),
    ],
)
def test_a_client_that_nothing_guards_is_asked_about(
    command: str, client: str, asks: bool, project: Repo
) -> None:
    found = judged(command, project.path, client)
    assert (found is not None and found.asks) is asks


def test_a_client_that_is_wired_here_may_be_started(
    project: Repo, interlock: Interlock
) -> None:
    assert judged('codex exec x', project.path, 'claude') is not None
    interlock('init', '--agent', 'codex')
    assert judged('codex exec x', project.path, 'claude') is None


@pytest.mark.parametrize(
    ('command', 'asks'),
    [
        ('bash', True),
        ('bash -l', True),
        ('env -i zsh', True),
        ('python3', True),
        ('python3 -i', True),
        ('lazygit', True),
        ('psql', True),
        ('psql -c "select 1" app', False),
        ('bash x.sh', False),
        ('bash -c ls', False),
        ('python3 -m pytest', False),
        ('python3 --version', False),
        ('echo ls | sh', False),
        ('sh <<E\nls\nE', False),
    ],
)
def test_a_shell_that_is_typed_into_is_seen_by_nobody(
    command: str, asks: bool, project: Repo
) -> None:
    found = judged(command, project.path, 'codex')
    assert (found is not None and found.asks) is asks
    # other clients tell of all that an agent types
    assert judged(command, project.path, 'copilot') is None
