"""Who acts, by the processes above us, whatever the environment says."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.agents import ADAPTERS, adapter_of
from interlock.files import actor, client_process, process
from interlock.model.clients import UNNAMED
from tests.terminals import log_in

# what a process of its own says about itself, in an empty environment
SAYS = """
import json, sys
sys.path.insert(0, sys.argv[2])
from interlock.files.actor import actor
from interlock.files.login import has_terminal
who = actor({}, sys.argv[1])
print(json.dumps([who.session, who.automated, has_terminal()]))
"""
SOURCE = str(Path(process.__file__).parents[2])


def says(state: Path, *before: str, name: str = 'bash') -> Any:
    """As a command of a shell that a program of some name started."""
    words = [*before, sys.executable, '-I', '-c', SAYS, str(state), SOURCE]
    script = 'exec -a "$0" bash -c \'"$@"; exit $?\' x "$@"'
    done = subprocess.run(
        ('bash', '-c', script, name, *words),
        capture_output=True,
        text=True,
        check=True,
        env={'PATH': os.environ['PATH']},
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ('name', 'automated'),
    [
        *((each, True) for n in ADAPTERS for each in adapter_of(n).processes),
        ('/opt/x/codex', True),
        ('/usr/lib/node_modules/@github/copilot/index.js', True),
        ('bash', False),
        ('codexless', False),
        ('/home/claude/bin/zsh', False),
    ],
)
@pytest.mark.parametrize('before', [(), ('env', '-i'), ('setsid', '--wait')])
def test_a_client_above_us_is_seen(
    name: str, automated: bool, before: tuple[str, ...], tmp_path: Path
) -> None:
    assert says(tmp_path, *before, name=name)[:2] == ['', automated]


def test_a_process_that_was_recorded_is_its_session(tmp_path: Path) -> None:
    client_process.record(str(tmp_path), 'x 1')
    recorded = tmp_path / 'interlock' / 'processes' / str(process.session_process())
    assert recorded.read_text().split(' ', 1)[1] == 'x 1\n'
    assert says(tmp_path, 'env', '-i')[:2] == ['x 1', True]
    client_process.record(str(tmp_path), 'y')
    assert says(tmp_path)[0] == 'y'
    # another process has its number now
    recorded.write_text('0 z\n')
    assert says(tmp_path)[:2] == ['', False]
    client_process.forget_ended(str(tmp_path))
    assert not recorded.exists()


@pytest.mark.parametrize('name', ADAPTERS)
def test_the_variables_of_every_client_are_known(name: str) -> None:
    found = adapter_of(name)
    for variable in found.sessions:
        assert actor.actor({variable: 's-1'}).session == 's-1'
    for variable in (*found.marks, *found.sessions):
        assert not actor.actor({variable: '1x'}).is_human


def test_a_client_that_another_one_started(tmp_path: Path) -> None:
    """Two sessions are named: the process says which is the nearer."""
    names = {n for each in ADAPTERS for n in adapter_of(each).sessions[:1]}
    both = {name: f's-{at}' for at, name in enumerate(sorted(names)[:2])}
    assert actor.actor(both, str(tmp_path)).is_anonymous
    client_process.record(str(tmp_path), 's-1')
    assert actor.actor(both, str(tmp_path)).session == 's-1'
    assert actor.actor({**both, 'INTERLOCK_SESSION': 'o'}).session == 'o'


@pytest.mark.parametrize('mark', UNNAMED)
def test_a_client_that_names_no_session_inside_one_that_does(
    mark: str, tmp_path: Path
) -> None:
    environ = {'CODEX_SESSION_ID': 'outer', mark: '1'}
    assert actor.actor(environ, str(tmp_path)).is_anonymous
    client_process.record(str(tmp_path), 'inner')
    assert actor.actor(environ, str(tmp_path)).session == 'inner'


@pytest.mark.parametrize(
    ('name', 'session'),
    [
        pytest.param('bash', 'outer', id='no client between'),
        pytest.param('copilot', '', id='a client that nobody recorded'),
    ],
)
def test_the_nearest_client_decides(name: str, session: str, tmp_path: Path) -> None:
    """The session of its parent is not its own."""
    client_process.record(str(tmp_path), 'outer')
    assert says(tmp_path, name=name)[:2] == [session, True]


STARTED = """
import sys
sys.path.insert(0, sys.argv[1])
from interlock.files.client_process import is_started_by_agent
print(is_started_by_agent())
"""


@pytest.mark.parametrize(
    ('names', 'environ', 'expected'),
    [
        pytest.param(['claude'], {}, False, id='a client'),
        pytest.param(['codex', 'codex'], {}, False, id='one of two processes'),
        pytest.param(['codex', 'bash', 'codex'], {}, True, id='in its own shell'),
        pytest.param(['codex', 'bash', 'qwen'], {}, True, id='in that of another'),
        pytest.param(['codex', 'x', 'y', 'claude', 'claude'], {}, True, id='far above'),
        pytest.param(['claude'], {'CLAUDECODE': '1'}, True, id='with its mark'),
        pytest.param(['qwen', 'qwen'], {'CODEX_CI': '1'}, True, id='of another'),
        pytest.param(['bash'], {}, False, id='no client'),
        pytest.param(['claude'], {'INTERLOCK_SESSION': 'x'}, False, id='a name'),
    ],
)
def test_a_client_that_an_agent_started(
    names: list[str], environ: dict[str, str], expected: bool
) -> None:
    words = [sys.executable, '-I', '-c', STARTED, SOURCE]
    for name in reversed(names):
        # each waits for the next one
        words = [
            'bash',
            '-c',
            f'exec -a {name} bash -c \'"$@"; exit\' x "$@"',
            'x',
            *words,
        ]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=True,
        env={'PATH': os.environ['PATH'], **environ},
    )
    assert done.stdout == f'{expected}\n'


@pytest.mark.parametrize(
    ('before', 'expected'),
    [
        pytest.param((), True, id='a login'),
        pytest.param(('env', '-i'), True, id='an empty environment'),
        pytest.param(('setsid', '--wait'), False, id='a session of its own'),
    ],
)
def test_a_terminal_of_ones_own(
    before: tuple[str, ...], expected: bool, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    words = [*before, sys.executable, '-I', '-c', SAYS, str(tmp_path), SOURCE]
    done = subprocess.run(
        ('sh', '-c', '"$@"; exit $?', 'sh', *words),
        stdin=theirs,
        stdout=subprocess.PIPE,
        preexec_fn=log_in,
        check=True,
    )
    os.close(ours)
    os.close(theirs)
    assert json.loads(done.stdout)[2] is expected
