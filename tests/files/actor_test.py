from __future__ import annotations

import os
import subprocess
import sys

import pytest

from interlock.files import actor, process
from interlock.model import session_env
from interlock.model.errors import Denied
from tests import spaces


@pytest.mark.parametrize(
    ('environ', 'expected', 'human', 'anonymous'),
    (
        pytest.param({}, '', True, False, id='a person'),
        pytest.param(
            {'INTERLOCK_SESSION': 'a', 'CLAUDE_CODE_SESSION_ID': 'b'},
            'a',
            False,
            False,
            id='ours first',
        ),
        pytest.param(
            {'CLAUDE_CODE_SESSION_ID': 'b', 'CLAUDECODE': '1'},
            'b',
            False,
            False,
            id="the client's",
        ),
        pytest.param(
            {'INTERLOCK_SESSION': '', 'CLAUDE_CODE_SESSION_ID': 'b'},
            'b',
            False,
            False,
            id='an empty one does not count',
        ),
        pytest.param(
            {'INTERLOCK_SESSION': ' \t', 'CLAUDECODE': '1'},
            '',
            False,
            True,
            id='nor does a blank one',
        ),
        pytest.param({'CLAUDECODE': '1'}, '', False, True, id='anonymous'),
        pytest.param(
            {'INTERLOCK_SESSION': 'null', 'CLAUDE_CODE_SESSION_ID': 'b'},
            'b',
            False,
            False,
            id='an id that names nobody does not count',
        ),
        pytest.param(
            {'INTERLOCK_SESSION': 'null'},
            '',
            False,
            True,
            id='a caller that names one is not a person',
        ),
        pytest.param(
            {'INTERLOCK_SESSION': ' \t'},
            '',
            True,
            False,
            id='blanks are said by nobody',
        ),
        pytest.param({'CLAUDECODE': ''}, '', True, False, id='not set'),
        pytest.param(
            {'INTERLOCK_SESSION': 'é $(x); "y"'},
            'é $(x); "y"',
            False,
            False,
            id='any characters',
        ),
    ),
)
def test_who_acts(
    environ: dict[str, str], expected: str, human: bool, anonymous: bool
) -> None:
    who = actor.actor(environ)
    assert who.session == expected
    assert who.is_human is human
    assert who.is_anonymous is anonymous
    assert who.host == os.uname().nodename


@pytest.mark.parametrize(
    'value',
    (
        '',
        ' ',
        '\t\n',
        '\xa0',
        '\u200b',
        'null',
        'NULL',
        ' null ',
        '"null"',
        "'null'",
        '(null)',
        '<null>',
        'undefined',
        'Undefined',
        'None',
        'none',
        'nil',
        '<nil>',
        'NaN',
        'N/A',
        'false',
        'unknown',
        '[object Object]',
        '{}',
        '[]',
        '""',
        '-',
        '0',
        '00000000-0000-0000-0000-000000000000',
        '$CLAUDE_CODE_SESSION_ID',
        '${SESSION_ID}',
        '%SESSION%',
        'ID',
        None,
        False,
        0,
        7,
        [],
        {},
    ),
)
def test_what_names_nobody(value: object) -> None:
    assert session_env.identity(value) == ''


@pytest.mark.parametrize(
    ('value', 'expected'),
    (
        (' a ', 'a'),
        ('nullable-1', 'nullable-1'),
        ('none-of-it', 'none-of-it'),
        ('$(x) 1', '$(x) 1'),
        ('10', '10'),
        ('"x"', '"x"'),
        ('é', 'é'),
        (
            '0b7a0000-0000-4000-8000-000000000000',
            '0b7a0000-0000-4000-8000-000000000000',
        ),
        (spaces.SESSION, spaces.SESSION),
        (spaces.OTHER, spaces.OTHER),
    ),
)
def test_what_names_a_session(value: str, expected: str) -> None:
    assert session_env.identity(value) == expected


def test_a_person_sits_at_a_terminal() -> None:
    with pytest.raises(Denied, match='there is no terminal here'):
        actor.require_person(actor.actor({}), 'é', 'x')
    with pytest.raises(Denied, match='not an agent'):
        actor.require_person(actor.actor({'CLAUDECODE': '1'}), 'é', 'x')


def test_a_person_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('LOGNAME', 'zoë')
    assert actor.user() == 'zoë'


def test_a_process_runs_until_it_ends() -> None:
    child = subprocess.Popen((sys.executable, '-c', 'input()'), stdin=subprocess.PIPE)
    start = process.start_time(child.pid)
    assert process.is_alive(child.pid, start) is True
    assert process.is_alive(child.pid, f'{start}0') is False
    assert process.is_alive(child.pid, '') is None
    child.communicate(b'\n')
    assert process.is_alive(child.pid, start) is False
    assert process.start_time(child.pid) == ''


@pytest.mark.parametrize('pid', (0, -1, 10**30))
def test_a_number_that_is_not_a_process(pid: int) -> None:
    assert process.is_alive(pid, '1') in {None, False}


def test_shells_between_a_session_and_a_command_are_left_out() -> None:
    program = (
        'from interlock.files.process import session_process;print(session_process())'
    )
    out = subprocess.run(
        ('sh', '-c', f'sh -c \'{sys.executable} -c "{program}"; :\'; :'),
        capture_output=True,
        text=True,
        check=True,
        env=spaces.environment(),
    ).stdout
    assert int(out) == os.getpid()
