from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.state.recovery_text import WHOLE
from tests import forked
from tests.conftest import Interlock, Repo
from tests.state.states import OTHER, SESSION, whole


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('INTERLOCK_STORE', f'sqlite:///{tmp_path}/état.db')
    return tmp_path / 'état.db'


def answer(interlock: Interlock, *args: str) -> Any:
    result = interlock('state', *args)
    assert result.code == 0, result.err
    return json.loads(result.out)


def piped(data: bytes, *args: str) -> subprocess.CompletedProcess[bytes]:
    return forked.piped('state', *args, data=data)


def test_a_state_goes_in_and_comes_back(repo: Repo, interlock: Interlock) -> None:
    saved = answer(interlock, 'save', json.dumps(whole()), '--trigger', 'checkpoint')
    assert saved == {
        'project': os.path.realpath(repo.path),
        'trigger': 'checkpoint',
        'replaced_session': None,
    }
    found = answer(interlock, 'load')
    assert found['found'] is True
    assert found['state'] == whole()
    assert found['trigger'] == 'checkpoint'
    assert found['age_hours'] < 1
    shown = answer(interlock, 'show', '--format', 'json')
    assert shown['state'] == whole()


def test_a_state_is_read_from_standard_input(repo: Repo) -> None:
    process = piped(json.dumps(whole()).encode(), 'save')
    assert process.returncode == 0, process.stderr
    process = piped('{"goals": {"ultimate": "größer"}}'.encode(), 'update')
    assert process.returncode == 0, process.stderr
    state = json.loads(piped(b'', 'load').stdout)['state']
    assert state['goals'] == {**whole()['goals'], 'ultimate': 'größer'}


@pytest.mark.parametrize(
    ('data', 'code', 'sentence'),
    (
        pytest.param(b'', 1, 'STA001', id='nothing'),
        pytest.param(b'{"mode": ', 1, 'STA001', id='half of it'),
        pytest.param(b'[]', 1, 'STA001 a state is a mapping', id='a list'),
        pytest.param(b'[' * 99999, 1, 'STA001', id='too deep to be read'),
        pytest.param(
            b'{"mode": "auto", "mode": "manual"}',
            1,
            'it has the key "mode" twice',
            id='a key twice',
        ),
        pytest.param(b'{"gools": 1}', 1, 'did you mean `goals`?', id='key'),
        pytest.param(b'{"mode": 1}', 1, 'STA003', id='a wrong value'),
        pytest.param(
            '{"é": 1}'.encode('latin-1'), 2, 'not UTF-8', id='another encoding'
        ),
        pytest.param(b'"' + b'x' * 8 * 1024 * 1024 + b'"', 2, 'STA004', id='huge'),
        pytest.param(
            b'{"todos": {"implicit": ["' + b'x' * (1 << 20) + b'"]}}',
            1,
            'STA004',
            id='more than 1 MiB',
        ),
        pytest.param(
            b'{"todos": {"explicit": [{"content": "Bash(\'x\')"}]}}',
            1,
            'STA005',
            id='a dangerous call',
        ),
    ),
)
@pytest.mark.parametrize('command', ('save', 'update'))
def test_bad_input_is_refused_with_a_sentence(
    repo: Repo,
    interlock: Interlock,
    command: str,
    data: bytes,
    code: int,
    sentence: str,
) -> None:
    answer(interlock, 'save', '{"mode": "auto"}')
    process = piped(data, command)
    assert process.returncode == code, process.stderr
    assert process.stdout == b''
    assert sentence in process.stderr.decode()
    assert '    next: interlock explain STA' in process.stderr.decode()
    assert answer(interlock, 'load')['state'] == {'mode': 'auto'}


@pytest.mark.parametrize('trigger', ('', 'never', 'AUTO'))
def test_no_other_trigger_is_taken(
    repo: Repo, interlock: Interlock, trigger: str
) -> None:
    result = interlock('state', 'save', '{}', '--trigger', trigger)
    assert result.code == 2
    assert answer(interlock, 'load') == {
        'found': False,
        'project': os.path.realpath(repo.path),
    }


def old(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute(
            "UPDATE workflow_state SET updated_at = datetime('now', '-48 hours')"
        )
    db.close()


def test_a_state_that_is_too_old_is_told_of(
    repo: Repo, interlock: Interlock, file: Path
) -> None:
    answer(interlock, 'save', '{"mode": "auto"}', '--trigger', 'auto')
    old(file)
    found = answer(interlock, 'load')
    assert (found['found'], found['state'], found['trigger']) == (False, None, 'auto')
    assert 48 <= found['age_hours'] < 49
    assert answer(interlock, 'load', '--max-age', '72')['found'] is True
    shown = answer(interlock, 'show', '--format', 'json')
    assert shown['state'] == {'mode': 'auto'}


def test_the_state_as_text_for_an_agent(repo: Repo, interlock: Interlock) -> None:
    assert interlock('state', 'load', '--format', 'recovery').out == ''
    answer(interlock, 'save', json.dumps(whole()))
    result = interlock('state', 'load', '--format', 'recovery')
    assert result.out.startswith('<workflow-recovery>\n')
    assert 'ORCHESTRATOR MODE ACTIVE' in result.out


def test_the_state_for_a_person(repo: Repo, interlock: Interlock) -> None:
    result = interlock('state', 'show')
    assert result.err == (f'no state is saved for {os.path.realpath(repo.path)}\n')
    answer(interlock, 'save', json.dumps(whole()))
    result = interlock('state', 'show')
    assert 'saved just now (manual)' in result.out
    assert 'Keys: format_version, mode,' in result.out
    assert 'Keep: open todo in_progress: "Add tests"' in result.out
    assert result.out.endswith(f'{WHOLE}\n')


def test_what_has_no_room_is_shown_by_the_command_that_is_named(
    repo: Repo, interlock: Interlock
) -> None:
    texts = [f'{number}: {"é" * 150}' for number in range(50)]
    answer(
        interlock,
        'save',
        json.dumps(
            {
                'todos': {
                    'explicit': [
                        {'content': text, 'status': 'pending'} for text in texts
                    ]
                }
            }
        ),
    )
    given = interlock('state', 'load', '--format', 'recovery').out
    assert '- restore todos: no room' in given
    program, *words = WHOLE.partition(': ')[2].split()
    assert (WHOLE in given, program) == (True, 'interlock')
    shown = json.loads(interlock(*words).out)['state']['todos']['explicit']
    assert [todo['content'] for todo in shown] == texts


def test_a_state_says_whose_it_is(repo: Repo, interlock: Interlock) -> None:
    answer(interlock, 'save', json.dumps(whole()), '--session', SESSION)
    for command in ('load', 'show'):
        found = answer(interlock, command, '--format', 'json', '--session', OTHER)
        assert found['other_session'] == SESSION
    shown = interlock('state', 'show', '--session', OTHER).out
    assert f'Saved by another session: {SESSION}\n' in shown


def test_sessions_are_kept_apart_and_a_foreign_state_is_named(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', SESSION)
    answer(interlock, 'save', json.dumps(whole()))
    result = interlock(
        'state',
        'save',
        json.dumps(whole(session_id=OTHER, mode='auto')),
        '--session',
        OTHER,
    )
    assert (
        f'STA010 the state of {os.path.realpath(repo.path)} was that of '
        f'session {SESSION}' in result.err
    )
    assert json.loads(result.out)['replaced_session'] == SESSION
    assert answer(interlock, 'load')['state']['mode'] == 'manual'
    listed = answer(interlock, 'list', '--format', 'json')
    assert [each['session'] for each in listed] == [None, SESSION, OTHER]
    assert answer(interlock, 'load', '--agent', 'a')['found'] is False


def test_an_agent_belongs_to_a_session(repo: Repo, interlock: Interlock) -> None:
    result = interlock('state', 'save', '{}', '--agent', 'a')
    assert result.code == 2
    assert '--agent needs --session ID' in result.err


def test_what_is_saved_is_listed_and_forgotten(
    repo: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    answer(interlock, 'save', '{}', '--trigger', 'auto')
    answer(interlock, 'save', '{}', '--project', str(tmp_path))
    result = interlock('state', 'list', '--check')
    assert result.code == 0
    assert result.out.splitlines() == [
        f'     0.0 h  manual      {os.path.realpath(tmp_path)}',
        f'     0.0 h  auto        {os.path.realpath(repo.path)}',
    ]
    result = interlock('state', 'forget')
    assert 'forgotten (1 row)' in result.err
    assert 'no state is saved' in interlock('state', 'forget').err
    assert len(interlock('state', 'list').out.splitlines()) == 1


def test_a_project_that_is_gone_can_be_forgotten(
    repo: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    gone = tmp_path / 'förbi'
    gone.mkdir()
    answer(interlock, 'save', '{}', '--project', str(gone))
    answer(interlock, 'save', '{}')
    gone.rmdir()
    result = interlock('state', 'forget', '--project', str(gone))
    assert 'forgotten (1 row)' in result.err
    assert str(repo.path) in interlock('state', 'list').out
    result = interlock('state', 'forget', '--project', str(gone))
    assert 'no state is saved' in result.err


def test_a_row_without_a_time_does_not_hide_the_others(
    repo: Repo, interlock: Interlock, tmp_path: Path, file: Path
) -> None:
    answer(interlock, 'save', '{}')
    with sqlite3.connect(file) as db:
        db.execute("UPDATE workflow_state SET updated_at = 'x\x1b[2J'")
        db.execute("UPDATE workflow_state SET trigger = 'x\x1b[2J'")
    db.close()
    answer(interlock, 'save', '{}', '--project', str(tmp_path))
    result = interlock('state', 'list')
    assert result.code == 0
    assert sorted(line.split()[0] for line in result.out.splitlines()) == ['0.0', '?']
    assert '\x1b' not in result.out
    listed = json.loads(interlock('state', 'list', '--format', 'json').out)
    ages = [each['age_hours'] for each in listed]
    assert len(ages) == 2 and ages.count(None) == 1


def test_a_project_that_is_not_there_is_refused(
    repo: Repo, interlock: Interlock
) -> None:
    result = interlock('state', 'save', '{}', '--project', '/gone/é')
    assert result.code == 2
    assert 'does not exist' in result.err


def test_a_file_with_an_unsound_index_is_found(
    repo: Repo, interlock: Interlock, file: Path
) -> None:
    answer(interlock, 'save', json.dumps(whole()))
    with sqlite3.connect(file) as db:
        db.execute('PRAGMA writable_schema = ON')
        db.execute(
            'UPDATE sqlite_schema SET sql = replace(sql, '
            "'trigger TEXT NOT NULL', 'trigger INTEGER NOT NULL CHECK (0)')"
        )
    db.close()
    result = interlock('state', 'list', '--check')
    assert result.code == 1
    assert 'STA006' in result.err


def test_a_locked_store_exits_75(repo: Repo, interlock: Interlock, file: Path) -> None:
    answer(interlock, 'save', '{}')
    db = sqlite3.connect(file)
    db.execute('BEGIN IMMEDIATE')
    result = interlock('state', 'update', '{"mode": "auto"}', '--wait', '0')
    db.close()
    assert result.code == 75
    assert 'STA008' in result.err


@pytest.mark.parametrize('command', ('load', 'show', 'list', 'forget'))
def test_a_damaged_store_exits_2_and_is_left_alone(
    repo: Repo, interlock: Interlock, file: Path, command: str
) -> None:
    file.write_bytes(b'nonsense' * 999)
    result = interlock('state', command)
    assert result.code == 2
    assert 'STA006' in result.err
    assert f'next: mv {file} {file}.damaged' in result.err
    assert file.read_bytes() == b'nonsense' * 999


def test_outside_of_git_a_directory_is_a_project(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', '/nowhere')
    answer(interlock, 'save', '{"mode": "auto"}')
    assert answer(interlock, 'load')['state'] == {'mode': 'auto'}


def test_a_text_that_no_terminal_can_show_comes_back(repo: Repo) -> None:
    state = {'goals': {'ultimate': 'é\ud83d\u0000'}}
    assert piped(json.dumps(state).encode(), 'save').returncode == 0
    assert json.loads(piped(b'', 'load').stdout)['state'] == state
