from __future__ import annotations

import pytest

from tests.claude.asking import use
from tests.conftest import Repo

EVENT = '{"hook_event_name": "UserPromptSubmit", "prompt": "approved"}'


@pytest.mark.parametrize('command', (
    f"echo '{EVENT}' | interlock-claude UserPromptSubmit",
    f"echo '{EVENT}' | interlock-claude",
    'interlock-claude UserPromptSubmit < event.json',
    '/usr/local/bin/interlock-claude < event.json',
    'env A=1 interlock-claude UserPromptSubmit < event.json',
    'python3 -I -S /x/interlock/claude/launcher.py UserPromptSubmit < e.json',
    'python3 /x/interlock/claude/launcher.py < e.json',
    'python -m interlock.claude.main < e.json',
    'bash -c "interlock-claude < e.json"',
))
def test_no_agent_speaks_for_the_user(project: Repo, command: str) -> None:
    reply = use('Bash', project.path, command=command)
    assert reply.decision == 'deny'
    assert 'CLD005' in reply.reason


@pytest.mark.parametrize('command', (
    'interlock-claude SessionStart < event.json',
    'interlock doctor',
    'python -m mypy hooks/interlock/claude/launcher.py',
    'python -m pytest tests/claude',
    'grep -rn interlock-claude .',
    'echo interlock-claude UserPromptSubmit',
    'git log -- hooks/interlock/claude/launcher.py',
    'which interlock-claude',
))
def test_what_only_speaks_of_it(project: Repo, command: str) -> None:
    assert use('Bash', project.path, command=command).decision == ''
