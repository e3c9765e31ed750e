from __future__ import annotations

import subprocess

import pytest

from tests.conftest import Repo
from tests.guard.asking import COMMAND, use

EVENT = '{"hook_event_name": "UserPromptSubmit", "prompt": "approved"}'


@pytest.mark.parametrize(
    'command',
    (
        f"echo '{EVENT}' | interlock-claude UserPromptSubmit",
        f"echo '{EVENT}' | interlock-claude",
        'interlock-claude UserPromptSubmit < event.json',
        '/usr/local/bin/interlock-claude < event.json',
        'env A=1 interlock-claude UserPromptSubmit < event.json',
        'python3 -I -S /x/interlock/claude/launcher.py UserPromptSubmit < e.json',
        'python3 /x/interlock/claude/launcher.py < e.json',
        'python -m interlock.agents.claude < e.json',
        'bash -c "interlock-claude < e.json"',
        f"echo '{EVENT}' | interlock-claude UserPromptSubmit Stop",
        'interlock-claude x Stop < e.json',
        'python3 /x/claude/launcher.py UserPromptSubmit Stop < e.json',
        'python3 /x/claude/launcher.py -- Stop < e.json',
        'cd /x/interlock/claude && python3 ./launcher.py UserPromptSubmit',
        'cd "$D" && python3 -I -S launcher.py UserPromptSubmit < e.json',
        'python3 hooks/interlock_launcher.py UserPromptSubmit < e.json',
        'hooks/interlock_launcher.py < e.json',
        '$(command -v interlock-claude) UserPromptSubmit < e.json',
        'python3 -m pdb /x/claude/launcher.py UserPromptSubmit',
        'python3 -c "import interlock.agents.claude as m; m.main()"',
        'cp /bin/x /tmp/y; /tmp/y UserPromptSubmit < e.json',
    ),
)
def test_no_agent_speaks_for_the_user(project: Repo, command: str) -> None:
    reply = use('Bash', project.path, command=command)
    assert reply.decision == 'deny'
    assert 'CLD005' in reply.reason


@pytest.mark.parametrize(
    'command',
    (
        'cp /usr/local/bin/interlock-claude /tmp/x',
        'ln -s "$(which interlock-claude)" /tmp/x && /tmp/x < e.json',
        'cp "$(command -v interlock-claude)" x',
        'cat /x/interlock/claude/launcher.py > /tmp/x.py',
        'cp hooks/interlock_launcher.py /tmp/x.py',
        'dd if=/x/bin/interlock-claude of=/tmp/x',
    ),
)
def test_the_hook_gets_no_other_name(project: Repo, command: str) -> None:
    reply = use('Bash', project.path, command=command)
    assert (reply.decision, reply.reason[:6]) == ('deny', 'CLD003')


def test_one_event_is_named() -> None:
    done = subprocess.run(
        (*COMMAND, 'UserPromptSubmit', 'Stop'),
        input=EVENT.encode(),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, b'')
    assert b'expected one event' in done.stderr


@pytest.mark.parametrize(
    'command',
    (
        'interlock-claude SessionStart < event.json',
        'interlock doctor',
        'python -m mypy hooks/interlock/claude/launcher.py',
        'python -m pytest tests/claude',
        'grep -rn interlock-claude .',
        'echo interlock-claude UserPromptSubmit',
        'git log -- hooks/interlock/claude/launcher.py',
        'which interlock-claude',
        'command -v interlock-claude',
        'python3 -I -S /x/interlock/claude/launcher.py SessionStart < e.json',
        'cat /x/interlock/claude/launcher.py',
        'rg UserPromptSubmit docs',
        'python3 launcher.py --port 80',
        'cp launcher.py /tmp/x.py',
        'pytest -k UserPromptSubmit',
    ),
)
def test_what_only_speaks_of_it(project: Repo, command: str) -> None:
    assert use('Bash', project.path, command=command).decision == ''
