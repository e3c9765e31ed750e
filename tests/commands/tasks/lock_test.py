from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from interlock.files import process
from tests import spaces
from tests.conftest import Interlock
from tests.spaces import OTHER, SESSION, TASK, Space, at_terminal, lock


def acquired(space: Space, task: str = TASK) -> dict[str, object]:
    found: dict[str, object] = space.read(task)
    return found


def test_a_lock_says_who_holds_it_and_where(space: Space, interlock: Interlock) -> None:
    result = interlock('lock', 'acquire', TASK)
    assert (result.code, result.out) == (0, '')
    assert result.err == (f'{TASK} is held by this session, generation 1\n')
    made = acquired(space)
    assert made['session_id'] == SESSION
    assert made['task_name'] == TASK
    assert made['state'] == 'INIT'
    assert made['generation'] == 1
    assert made['required_agents'] == []
    assert made['agent'] is None
    assert made['host'] == os.uname().nodename
    assert made['worktree'] == str(space.file('code'))
    assert isinstance(made['pid'], int)
    assert made['pid_started']
    entries = made['transition_log']
    assert isinstance(entries, list)
    assert [(e['from'], e['to']) for e in entries] == [(None, 'INIT')]
    assert interlock('task', 'check', TASK).code == 0


def test_nothing_is_left_beside_a_lock(space: Space, interlock: Interlock) -> None:
    interlock('lock', 'acquire', TASK)
    assert os.listdir(space.tasks / TASK) == ['task.json']


def test_a_lock_of_another_session_is_never_taken(
    space: Space, interlock: Interlock
) -> None:
    # however old it is, and though its process is long gone
    held = lock(
        session_id=OTHER,
        created_at='1999-01-01T00:00:00Z',
        pid=2**22 + 7,
        pid_started='1',
        host=os.uname().nodename,
        machine=process.machine(),
    )
    file = space.put(held)
    os.utime(file, (0, 0))
    before = file.read_bytes()
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'LCK001' in result.err
    assert OTHER in result.err
    assert 'since 1999-01-01T00:00:00Z' in result.err
    assert ': ended)' in result.err
    assert 'rm ' not in result.err.replace(OTHER, '')
    # the way on is the user's
    end = f'interlock lock release {TASK} --holder 1'
    commands = (
        ('lock', 'acquire', TASK),
        ('task', 'start', TASK),
        ('task', 'select', TASK),
        ('task', 'adopt', TASK, '--session', SESSION),
        ('task', 'clean', TASK),
    )
    space.worktree()
    for command in commands:
        result = interlock(*command)
        assert result.code == 1
        said = result.out + result.err
        assert f'next: ask the user to run `{end}` on a terminal' in said, command
    assert f'a person ends the lock: {end}\n' in interlock('lock', 'show', TASK).out
    assert f'a person ends the lock: {end}\n' in interlock('lock', 'list').out
    assert file.read_bytes() == before
    code, said = at_terminal(*end.split()[1:])
    assert (code, said) == (0, f'{TASK} is no longer locked\n')
    assert f'adopt {TASK}' in interlock('task', 'select', TASK).out


def test_the_same_session_gets_its_lock_again(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock('INIT', 'CLASSIFIED', pid=7, host='é', note='kept'))
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 0
    assert 'already' in result.err
    again = acquired(space)
    # the process is another one now; nothing else changes
    assert again['pid'] != 7
    assert again['host'] == os.uname().nodename
    assert again['note'] == 'kept'
    assert again['state'] == 'CLASSIFIED'
    assert again['generation'] == 1


@pytest.mark.parametrize(
    ('content', 'sentence'),
    (
        pytest.param('', 'is empty', id='empty'),
        pytest.param('{"session_id": "', 'not valid JSON', id='truncated'),
        pytest.param('[]', 'is not an object', id='of another type'),
        pytest.param('{"state": "INIT"}', 'does not name a session', id='ownerless'),
        pytest.param('{"session_id": ""}', 'does not name a session', id='nobody'),
        pytest.param('{"session_id": 7}', 'does not name a session', id='a number'),
    ),
)
def test_a_lock_that_nobody_understands_is_held(
    space: Space, interlock: Interlock, content: str, sentence: str
) -> None:
    file = space.write('task.json', content)
    for command in ('acquire', 'release'):
        result = interlock('lock', command, TASK)
        assert result.code == 1
        assert 'LCK001' in result.err
        assert 'an unknown session' in result.err
        assert sentence in result.err
    assert file.read_text() == content


def test_a_directory_in_the_place_of_a_lock_is_held(
    space: Space, interlock: Interlock
) -> None:
    space.file('task.json').mkdir(parents=True)
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'is not a regular file' in result.err


@pytest.mark.parametrize('target', ('/nonexistent', 'other.json'))
def test_a_link_in_the_place_of_a_lock_is_held(
    space: Space, interlock: Interlock, target: str
) -> None:
    space.write('other.json', json.dumps(lock()))
    space.file('task.json').symlink_to(target)
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'is not a regular file' in result.err


@pytest.mark.skipif(os.geteuid() == 0, reason='root reads everything')
def test_a_lock_that_may_not_be_read_is_held(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock()).chmod(0)
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'cannot be read' in result.err


def test_a_lock_that_is_too_large_is_held(space: Space, interlock: Interlock) -> None:
    with open(space.write('task.json', ''), 'wb') as f:
        f.truncate(64 * 1024 * 1024)
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'is too large' in result.err


def test_a_lock_at_an_older_place_counts(space: Space, interlock: Interlock) -> None:
    folder = space.path / 'locks'
    folder.mkdir()
    (folder / f'{TASK}.json').write_text(json.dumps(lock(session_id=OTHER)))
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert OTHER in result.err


def test_generations_survive_release_and_plain_removal(
    space: Space, interlock: Interlock
) -> None:
    for number in (1, 2):
        interlock('lock', 'acquire', TASK)
        assert acquired(space)['generation'] == number
        assert interlock('lock', 'release', TASK).code == 0
        assert not space.file('task.json').exists()
    interlock('lock', 'acquire', TASK)
    space.file('task.json').unlink()
    interlock('lock', 'acquire', TASK)
    assert acquired(space)['generation'] == 4


def test_generations_go_on_from_what_a_lock_says(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock(generation=41))
    interlock('lock', 'release', TASK)
    interlock('lock', 'acquire', TASK)
    assert acquired(space)['generation'] == 42


def test_generations_are_counted_per_task(space: Space, interlock: Interlock) -> None:
    interlock('lock', 'acquire', TASK)
    interlock('lock', 'acquire', 'wash-up')
    assert acquired(space, 'wash-up')['generation'] == 1


def test_a_damaged_counter_does_not_start_again(
    space: Space, interlock: Interlock
) -> None:
    interlock('lock', 'acquire', TASK)
    interlock('lock', 'release', TASK)
    (space.register / f'{TASK}.generation').write_text('é')
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 2
    assert 'is damaged' in result.err
    assert not space.file('task.json').exists()


def test_a_clock_that_goes_back_does_not_matter(
    space: Space, interlock: Interlock
) -> None:
    file = space.put(lock(created_at='2999-01-01T00:00:00Z'))
    os.utime(file, (2**32, 2**32))
    assert interlock('lock', 'acquire', TASK).code == 0
    assert interlock('lock', 'show', TASK).code == 0
    assert interlock('lock', 'release', TASK).code == 0


def test_only_the_holder_gives_a_lock_back(space: Space, interlock: Interlock) -> None:
    file = space.put(lock(session_id=OTHER))
    result = interlock('lock', 'release', TASK)
    assert result.code == 1
    assert 'LCK001' in result.err
    assert file.exists()


def test_what_is_not_locked_cannot_be_given_back(
    space: Space, interlock: Interlock
) -> None:
    result = interlock('lock', 'release', TASK)
    assert result.code == 1
    assert 'is not locked' in result.err


def test_an_agent_without_a_session_has_no_locks(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('CLAUDECODE', '1')
    monkeypatch.setenv('INTERLOCK_SESSION', ' ')
    space.put(lock(session_id=''))
    for command in ('acquire', 'release'):
        result = interlock('lock', command, TASK)
        assert result.code == 1
        assert 'LCK003' in result.err


def test_a_person_needs_no_lock(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'a person needs none' in result.err


def test_the_session_of_the_client_counts_after_ours(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', 'client')
    interlock('lock', 'acquire', TASK)
    assert acquired(space)['session_id'] == SESSION
    monkeypatch.delenv('INTERLOCK_SESSION')
    interlock('lock', 'acquire', 'wash-up')
    assert acquired(space, 'wash-up')['session_id'] == 'client'


def test_a_person_on_a_terminal_ends_a_lock_and_it_is_logged(space: Space) -> None:
    space.put(lock(session_id=OTHER, generation=5))
    code, said = at_terminal('lock', 'release', TASK, '--holder', '5')
    assert (code, said) == (0, f'{TASK} is no longer locked\n')
    assert not space.file('task.json').exists()
    line = (space.register / 'log.jsonl').read_text().splitlines()[-1]
    logged = json.loads(line)
    assert logged['event'] == 'ended by a person'
    assert logged['session'] == OTHER
    assert logged['generation'] == 5
    assert logged['person']
    # what the lock said is kept for the next holder
    kept = json.loads((space.register / f'{TASK}.last').read_text())
    assert kept['session_id'] == OTHER


def test_a_worktree_without_a_lock_is_not_taken(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock('INIT', 'CLASSIFIED', 'REQUIREMENTS'))
    space.worktree()
    assert interlock('lock', 'release', TASK).code == 0
    kept = (space.register / f'{TASK}.last').read_bytes()
    result = interlock('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'LCK004' in result.err
    assert f'interlock task select {TASK}' in result.err
    assert not space.file('task.json').exists()
    assert (space.register / f'{TASK}.last').read_bytes() == kept
    # the main worktree always exists
    assert (
        interlock('lock', 'acquire', 'main', '--operation', 'git-operation').code == 0
    )


def test_a_lock_that_only_began_leaves_the_kept_state(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock('INIT', 'CLASSIFIED', 'REQUIREMENTS'))
    assert interlock('lock', 'release', TASK).code == 0
    assert interlock('lock', 'acquire', TASK).code == 0
    assert interlock('lock', 'release', TASK).code == 0
    space.worktree()
    code, said = at_terminal('task', 'adopt', TASK, '--session', SESSION)
    assert code == 0, said
    assert space.read()['state'] == 'REQUIREMENTS'


def test_a_person_ends_the_lock_that_they_looked_at(space: Space) -> None:
    file = space.put(lock(session_id=OTHER, generation=6))
    code, said = at_terminal('lock', 'release', TASK, '--holder', '5')
    assert code == 1
    assert 'has generation 6, not 5' in said
    assert file.exists()


def test_a_person_ends_a_lock_without_a_generation(space: Space) -> None:
    space.write('task.json', '{')
    assert at_terminal('lock', 'release', TASK, '--holder', '0')[0] == 0
    assert not space.file('task.json').exists()


def test_nobody_else_ends_a_lock(space: Space) -> None:
    file = space.put(lock(session_id=OTHER, generation=5))
    args = ('lock', 'release', TASK, '--holder', '5')
    code, said = at_terminal(*args, session=SESSION)
    assert (code, 'not an agent' in said) == (1, True)
    result = spaces.run(*args)
    assert result.returncode == 1
    assert 'there is no terminal here' in result.stderr
    assert file.exists()


@pytest.mark.parametrize(
    'name',
    (
        'Bake',
        'bake_bread',
        '-bake',
        'bake-',
        'a--b',
        '../x',
        'a/b',
        '',
        'é',
        'a b',
        '$(x)',
        'a' * 101,
    ),
)
def test_a_task_is_named_with_small_letters_and_hyphens(
    space: Space, interlock: Interlock, name: str
) -> None:
    result = interlock('lock', 'acquire', '--', name)
    assert result.code == 2
    assert 'cannot be the name of a task' in result.err
    assert os.listdir(space.tasks) == []


def test_the_main_worktree_has_a_lock_of_its_own_form(
    space: Space, interlock: Interlock
) -> None:
    args = ('lock', 'acquire', 'main', '--operation')
    assert interlock(*args, 'git-operation').code == 0
    made = acquired(space, 'main')
    assert made['task_name'] == 'main-worktree-operation'
    assert made['operation_type'] == 'git-operation'
    assert made['state'] == 'IN_PROGRESS'
    assert made['worktree'] == str(space.main.path)
    assert 'transition_log' not in made
    assert interlock('task', 'check', 'main').code == 0
    released = interlock('lock', 'release', 'main')
    assert (released.code, released.err) == (0, 'main is no longer locked\n')


@pytest.mark.parametrize('args', ((), ('--operation', 'git')))
def test_the_main_worktree_is_locked_for_something(
    space: Space, interlock: Interlock, args: tuple[str, ...]
) -> None:
    result = interlock('lock', 'acquire', 'main', *args)
    assert result.code == 2
    assert 'git-operation, file-modification' in result.err


def test_an_operation_belongs_to_the_main_worktree(
    space: Space, interlock: Interlock
) -> None:
    result = interlock('lock', 'acquire', TASK, '--operation', 'x')
    assert result.code == 2
    assert '--operation works only with the lock of main' in result.err


def test_a_lock_is_shown_for_a_person_to_decide(
    space: Space, interlock: Interlock
) -> None:
    interlock('lock', 'acquire', TASK)
    result = interlock('lock', 'show', TASK)
    assert result.code == 0
    assert f'session {SESSION}' in result.out
    assert ': running)' in result.out
    assert '  generation 1\n' in result.out
    shown = json.loads(interlock('lock', 'show', TASK, '--format', 'json').out)
    assert shown['own'] is True
    assert shown['alive'] is True
    assert shown['generation'] == 1


def test_a_process_on_another_host_cannot_be_seen(
    space: Space, interlock: Interlock
) -> None:
    # whatever it is called: containers share the names of hosts
    host = os.uname().nodename
    space.put(lock(session_id=OTHER, host=host, machine='élsewhere', pid=1))
    shown = json.loads(interlock('lock', 'show', TASK, '--format', 'json').out)
    assert shown['alive'] is None
    assert ': unknown)' in interlock('lock', 'show', TASK).out


def test_a_process_with_the_same_number_is_another_one(
    space: Space, interlock: Interlock
) -> None:
    machine = process.machine()
    space.put(lock(machine=machine, pid=os.getpid(), pid_started='1'))
    shown = json.loads(interlock('lock', 'show', TASK, '--format', 'json').out)
    assert shown['alive'] is False


def test_what_is_not_locked_is_said(space: Space, interlock: Interlock) -> None:
    result = interlock('lock', 'show', TASK)
    assert (result.code, result.out) == (1, f'{TASK} is not locked\n')
    result = interlock('lock', 'show', TASK, '--format', 'json')
    assert json.loads(result.out) == {'name': TASK, 'locked': False}


def test_all_locks_are_listed(space: Space, interlock: Interlock) -> None:
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    interlock('lock', 'acquire', TASK)
    space.put(lock(session_id=OTHER), 'wash-up')
    space.write('task.json', '', 'mill-flour')
    space.write('notes.txt', '', 'no-lock')
    said = interlock('lock', 'list').out.splitlines()
    # a way on for the one that no session can give back
    assert said.pop(3).endswith(
        'ends the lock: interlock lock release mill-flour --holder 0'
    )
    lines = said
    assert [line.split()[0] for line in lines] == [
        'main',
        TASK,
        'mill-flour',
        'wash-up',
    ]
    assert [line for line in lines if line.endswith('(this session)')] == (lines[:2])
    assert lines[2].endswith('?')
    listed = json.loads(interlock('lock', 'list', '--format', 'json').out)
    assert [each['name'] for each in listed] == ['main', TASK, 'mill-flour', 'wash-up']


def test_there_may_be_no_tasks_at_all(space: Space, interlock: Interlock) -> None:
    space.tasks.rmdir()
    listed = interlock('lock', 'list')
    assert (listed.out, listed.err) == ('', 'nothing is locked\n')
    assert interlock('lock', 'list', '-q').err == ''
    listed = interlock('task', 'list')
    assert (listed.out, listed.err) == ('', 'no session works on a task\n')
    assert interlock('task', 'list', '-q').err == ''
    assert interlock('lock', 'acquire', TASK).code == 0


def test_tasks_are_found_from_everywhere(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interlock('lock', 'acquire', TASK).code == 0
    space.worktree()
    for folder in (space.path, space.file('code'), space.tasks / TASK):
        monkeypatch.chdir(folder)
        assert interlock('lock', 'acquire', TASK).code == 0
        assert acquired(space)['generation'] == 1


def test_the_workflow_may_lie_at_the_top_of_the_main_worktree(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (space.path / '.interlock.yaml').rename(space.main.path / '.interlock.yaml')
    space.main.commit({})
    monkeypatch.chdir(space.main.path)
    assert interlock('lock', 'acquire', TASK).code == 0
    code = space.worktree()
    monkeypatch.chdir(code.path)
    assert interlock('lock', 'acquire', TASK).code == 0
    assert acquired(space)['worktree'] == str(code.path)
    assert (space.register / f'{TASK}.generation').read_text() == '1\n'


def test_outside_of_git_a_lock_is_a_lock_too(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'main').mkdir()
    (tmp_path / '.interlock.yaml').write_text(spaces.WORKFLOW)
    monkeypatch.chdir(tmp_path / 'main')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    for number in (1, 2):
        assert interlock('lock', 'acquire', TASK).code == 0
        held = json.loads((tmp_path / f'tasks/{TASK}/task.json').read_text())
        assert held['generation'] == number
        assert interlock('lock', 'release', TASK).code == 0


def test_a_workflow_without_tasks_has_no_locks(
    project: object, interlock: Interlock
) -> None:
    result = interlock('lock', 'list')
    assert result.code == 2
    assert 'there are no tasks here' in result.err
    assert 'add `task-protocol` to `extends`' in result.err


def test_a_main_worktree_that_is_free_again_is_taken(
    space: Space, interlock: Interlock
) -> None:
    args = ('lock', 'acquire', 'main', '--operation', 'git-operation')
    space.put({'session_id': OTHER, 'state': 'IN_PROGRESS'}, 'main')
    result = interlock(*args, '--until-free', '0.1')
    assert result.code == 1
    assert f'next: interlock {" ".join(args[:4])} ' in result.err
    assert '--until-free 600' in result.err
    timer = threading.Timer(0.3, space.file('task.json', 'main').unlink)
    timer.start()
    result = interlock(*args, '--until-free', '30')
    timer.join()
    assert result.code == 0, result.err
    assert space.read('main')['session_id'] == SESSION


def test_a_main_lock_that_nobody_holds_is_not_given_back(
    space: Space, interlock: Interlock
) -> None:
    result = interlock('lock', 'release', 'main')
    assert result.code == 1
    assert 'next: interlock lock list' in result.err
    assert interlock('lock', 'list').code == 0
