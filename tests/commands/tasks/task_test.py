from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from interlock.model.actor import RESTART
from tests import spaces
from tests.conftest import Interlock, Repo
from tests.spaces import OTHER, SESSION, TASK, Space, at_terminal, lock


def selected(interlock: Interlock, *args: str) -> Any:
    result = interlock('task', 'select', *args, '--format', 'json')
    answer = json.loads(result.out)
    assert result.code == int(answer['action'] not in ('resume', 'init'))
    return answer


@pytest.mark.parametrize(
    ('session', 'worktree', 'action'),
    (
        pytest.param(SESSION, True, 'resume', id='own, worktree'),
        pytest.param(SESSION, False, 'error', id='own, no worktree'),
        pytest.param(OTHER, True, 'alternative', id='foreign, worktree'),
        pytest.param(OTHER, False, 'alternative', id='foreign, none'),
        pytest.param(None, True, 'ask', id='no lock, worktree'),
        pytest.param(None, False, 'init', id='no lock, no worktree'),
    ),
)
def test_the_six_rows_of_the_matrix(
    space: Space, interlock: Interlock, session: str | None, worktree: bool, action: str
) -> None:
    if session:
        space.put(lock(session_id=session))
    if worktree:
        space.file('code').mkdir(parents=True)
    answer = selected(interlock, TASK)
    assert answer['action'] == action
    assert answer['task'] == TASK
    assert answer['sentence']
    assert answer['options']
    # whatever is chosen, nobody is told to delete a lock
    assert not any('rm ' in option for option in answer['options'])


@pytest.mark.parametrize(
    'content', ('', '{', '[]', '{"state": "INIT"}', '{"session_id": ""}')
)
@pytest.mark.parametrize('worktree', (True, False))
def test_a_lock_of_an_unknown_session_is_asked_about(
    space: Space, interlock: Interlock, content: str, worktree: bool
) -> None:
    space.write('task.json', content)
    if worktree:
        space.file('code').mkdir()
    answer = selected(interlock, TASK)
    assert answer['action'] == 'ask'
    assert 'an unknown session' in answer['sentence']


def test_an_agent_without_a_session_is_refused(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    monkeypatch.setenv('CLAUDECODE', '1')
    space.put(lock(session_id=''))
    for args in ((TASK,), ()):
        answer = selected(interlock, *args)
        assert answer['action'] == 'error'
        assert answer['options'] == [RESTART]


def test_an_abandoned_worktree_has_three_ways_on(
    space: Space, interlock: Interlock
) -> None:
    space.worktree()
    answer = selected(interlock, TASK)
    assert answer['options'] == [
        f'interlock task clean {TASK}',
        f"interlock task adopt {TASK} --session '{SESSION}'",
        'interlock task select',
    ]


def test_an_alternative_is_named(space: Space, interlock: Interlock) -> None:
    space.put(lock(session_id=OTHER))
    answer = selected(interlock, TASK)
    assert answer['alternative'] == 'wash-up'
    assert answer['free'] == ['wash-up']
    text = interlock('task', 'select', TASK)
    assert text.out.startswith(f'{TASK} is held by session ')
    assert text.out.endswith('free: wash-up\n')


def test_without_a_name_a_free_task_is_named(
    space: Space, interlock: Interlock
) -> None:
    answer = selected(interlock)
    assert (answer['action'], answer['task']) == ('init', TASK)
    # neither what is blocked, nor what depends on something open
    assert answer['free'] == [TASK, 'wash-up']


def test_without_a_name_the_task_of_the_session_comes_first(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock(task_name='wash-up'), 'wash-up')
    space.file('code', 'wash-up').mkdir()
    answer = selected(interlock)
    assert (answer['action'], answer['task']) == ('resume', 'wash-up')


def test_where_no_task_is_free_that_is_said(space: Space, interlock: Interlock) -> None:
    for task in (TASK, 'wash-up'):
        space.put(lock(session_id=OTHER, task_name=task), task)
    answer = selected(interlock)
    assert answer['action'] == 'error'
    assert answer['sentence'] == 'no task in todo.md is ready and free'


def test_how_a_task_continues_that_was_given_back(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock(session_id=OTHER, task_name='wash-up'), 'wash-up')
    assert interlock('task', 'start', TASK).code == 0
    said = interlock('lock', 'release', TASK).err
    assert said == f'{TASK} is no longer locked; next: interlock task select {TASK}\n'
    assert f'interlock task select {TASK}' in selected(interlock)['options']
    assert f'adopt {TASK}' in interlock('task', 'select', TASK).out


@pytest.mark.parametrize(
    ('task', 'note'),
    (
        pytest.param('mill-flour', 'todo.md says BLOCKED', id='blocked'),
        pytest.param('eat-bread', f'it depends on {TASK}, not done yet', id='depends'),
    ),
)
def test_what_speaks_against_a_task_is_said(
    space: Space, interlock: Interlock, task: str, note: str
) -> None:
    answer = selected(interlock, task)
    assert answer['action'] == 'init'
    assert answer['notes'] == [note]
    assert f'{task}: {note}' in interlock('task', 'select', task).err


def test_an_entry_that_changed_since_the_start_is_said(
    space: Space, interlock: Interlock
) -> None:
    interlock('task', 'start', TASK)
    assert selected(interlock, TASK)['notes'] == []
    space.main.write({'todo.md': spaces.TODO.replace('très', 'assez')})
    assert selected(interlock, TASK)['notes'] == [
        'its entry changed since the task was begun'
    ]


def test_a_todo_list_that_cannot_be_read_is_said(
    space: Space, interlock: Interlock
) -> None:
    space.main.write({'todo.md': b'\xff'})
    assert selected(interlock, TASK)['notes'] == ['todo.md is not UTF-8 text']
    result = interlock('task', 'start', TASK)
    assert result.code == 2
    assert os.listdir(space.tasks) == []


def test_a_task_is_begun(space: Space, interlock: Interlock) -> None:
    result = interlock('task', 'start', TASK, '--agent', 'architect', '--agent', 'test')
    assert result.code == 0, result.err
    assert result.out == f'{space.file("code")}\n'
    held = space.read()
    assert held['session_id'] == SESSION
    assert held['required_agents'] == ['architect', 'test']
    code = Repo(space.file('code'))
    assert code.git('branch', '--show-current') == TASK
    for agent in ('architect', 'test'):
        its = Repo(space.file(f'agents/{agent}/code'))
        assert its.git('branch', '--show-current') == f'{TASK}-{agent}'
    trail = json.loads(space.file('audit-trail.json').read_text())
    assert trail['task_name'] == TASK
    assert trail['session_id'] == SESSION
    (step,) = trail['state_transitions']
    assert (step['from_state'], step['to_state']) == (None, 'INIT')
    assert interlock('task', 'check', TASK).code == 0
    assert selected(interlock, TASK)['action'] == 'resume'


def files(top: Path) -> list[str]:
    return sorted(path.relative_to(top).as_posix() for path in top.rglob('*'))


@pytest.mark.parametrize(
    ('prepare', 'sentence'),
    (
        pytest.param(
            lambda space: space.main.git('branch', TASK),
            f'the branch `{TASK}` exists already',
            id='branch',
        ),
        pytest.param(
            lambda space: space.main.git('branch', f'{TASK}-test'),
            f'the branch `{TASK}-test` exists already',
            id='agent branch',
        ),
        pytest.param(
            lambda space: space.write('x', '', f'{TASK}/agents/test/code'),
            'already exists',
            id='agent directory',
        ),
    ),
)
def test_a_beginning_that_fails_is_undone(
    space: Space, interlock: Interlock, prepare: Any, sentence: str
) -> None:
    prepare(space)
    before = files(space.tasks)
    branches = space.main.git('branch')
    result = interlock('task', 'start', TASK, '--agent', 'architect', '--agent', 'test')
    assert result.code == 2
    assert sentence in result.err
    assert files(space.tasks) == before
    assert space.main.git('branch') == branches
    assert space.main.git('worktree', 'list').count('\n') == 0


def test_a_base_that_is_not_a_commit_is_undone(
    space: Space, interlock: Interlock
) -> None:
    result = interlock('task', 'start', TASK, '--base', 'nope')
    assert result.code == 2
    assert 'nope' in result.err
    assert files(space.tasks) == []
    assert space.main.git('branch', '--list', TASK) == ''
    # and it can be begun then
    assert interlock('task', 'start', TASK).code == 0


def test_an_earlier_trail_is_kept(space: Space, interlock: Interlock) -> None:
    space.write('audit-trail.json', '{"task_name": "é"}')
    assert interlock('task', 'start', TASK).code == 0
    kept = space.file('audit-trail-0.json').read_text('UTF-8')
    assert kept == '{"task_name": "é"}'


LEFT = (
    'task.md',
    'state.json',
    'user-plan-approval-obtained.flag',
    'agents/test/status.json',
    f'{TASK}-test-requirements.md',
    'style-requirements.md',
)


def test_an_earlier_attempt_counts_no_more_and_is_kept(
    space: Space, interlock: Interlock
) -> None:
    assert interlock('task', 'start', TASK, '--agent', 'test').code == 0
    for name in LEFT:
        space.write(name, f'é {name}')
    trail = space.file('audit-trail.json').read_bytes()
    space.file('task.json').unlink()
    for path in ('code', 'agents/test/code'):
        space.main.git('worktree', 'remove', str(space.file(path)))
    space.main.git('branch', '-D', TASK, f'{TASK}-test')
    result = interlock('task', 'start', TASK, '--agent', 'test')
    assert result.code == 0, result.err
    for name in LEFT:
        assert not space.file(name).exists(), name
        stem, suffix = os.path.splitext(name)
        kept = space.file(f'{stem}-1{suffix}').read_text('UTF-8')
        assert kept == f'é {name}'
    assert space.file('audit-trail-1.json').read_bytes() == trail
    assert space.read()['generation'] == 2


def test_an_attempt_that_fails_leaves_the_earlier_one(
    space: Space, interlock: Interlock
) -> None:
    for name in (*LEFT, 'audit-trail.json'):
        space.write(name, f'é {name}')
    before = files(space.tasks)
    assert interlock('task', 'start', TASK, '--base', 'nope').code == 2
    assert files(space.tasks) == before


def test_what_was_prepared_for_the_first_attempt_stays(
    space: Space, interlock: Interlock
) -> None:
    space.write('task.md', 'é')
    assert interlock('task', 'start', TASK).code == 0
    assert space.file('task.md').read_text('UTF-8') == 'é'


@pytest.mark.parametrize(
    ('session', 'sentence'),
    (
        pytest.param(SESSION, 'is held by this session', id='own'),
        pytest.param(OTHER, 'choose another task', id='foreign'),
        pytest.param('', 'ask the user', id='unknown'),
    ),
)
def test_what_is_locked_is_not_begun_again(
    space: Space, interlock: Interlock, session: str, sentence: str
) -> None:
    file = space.put(lock(session_id=session))
    space.file('code').mkdir()
    before = file.read_bytes()
    result = interlock('task', 'start', TASK)
    assert result.code == 1
    assert sentence in result.err
    assert file.read_bytes() == before


def test_a_session_works_on_one_task(space: Space, interlock: Interlock) -> None:
    assert interlock('task', 'start', TASK).code == 0
    result = interlock('task', 'start', 'wash-up')
    assert result.code == 1
    assert f'this session already works on {TASK}' in result.err
    assert not space.file('task.json', 'wash-up').exists()


def test_a_workflow_may_allow_more(space: Space, interlock: Interlock) -> None:
    (space.path / '.interlock.yaml').write_text(
        f'{spaces.WORKFLOW}items: {{task: {{protocol: {{numbers: '
        f'{{tasks_per_session: 2}}}}}}}}\n'
    )
    for task in (TASK, 'wash-up'):
        assert interlock('task', 'start', task).code == 0
    assert interlock('task', 'start', 'mill-flour').code == 1


def test_what_the_todo_list_says_is_said_at_the_start(
    space: Space, interlock: Interlock
) -> None:
    result = interlock('task', 'start', 'mill-flour')
    assert result.code == 0
    assert 'warning: mill-flour: todo.md says BLOCKED' in result.err


def test_a_flag_from_before_a_task_began_approves_nothing(
    space: Space, interlock: Interlock
) -> None:
    flag = 'user-plan-approval-obtained.flag'
    space.write(flag, '')
    space.file('user-approval-obtained.flag').mkdir()
    space.write('task.md', 'prepared')
    result = interlock('task', 'start', TASK)
    assert result.code == 0
    assert f'{flag} existed before {TASK} began' in result.err
    assert 'user-approval-obtained.flag existed before' in result.err
    assert not space.file(flag).exists()
    assert not space.file('user-approval-obtained.flag').exists()
    assert space.file('task.md').read_text() == 'prepared'


@pytest.mark.parametrize('agent', ('', '../x', 'a/b', '-x'))
def test_an_agent_has_a_name(space: Space, interlock: Interlock, agent: str) -> None:
    result = interlock('task', 'start', TASK, f'--agent={agent}')
    assert result.code == 2
    assert 'cannot be the name of an agent' in result.err
    assert files(space.tasks) == []


def test_without_git_there_is_no_worktree(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'main').mkdir()
    (tmp_path / '.interlock.yaml').write_text(spaces.WORKFLOW)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    result = interlock('task', 'start', TASK)
    assert result.code == 2
    assert 'is not a git repository' in result.err
    assert not (tmp_path / 'tasks').exists()


def test_a_check_names_everything(space: Space, interlock: Interlock) -> None:
    space.put(lock('INIT', 'CLASSIFIED', task_name='x', state='BANANA', checkpoint={}))
    space.write('state.json', '{"current_state": "INIT"}')
    space.main.write({'todo.md': spaces.TODO.replace('[ ]', '[x]')})
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert result.code == 1
    assert result.codes == [
        'LCK004',
        'TSK001',
        'TSK004',
        'TSK006',
        *['TSK007'] * 4,
        'TSK008',
    ]


def test_a_check_of_what_is_not_there(space: Space, interlock: Interlock) -> None:
    assert interlock('task', 'check', 'main').code == 0
    result = interlock('task', 'check', TASK)
    assert result.code == 2
    assert f'there is no task `{TASK}`' in result.err
    space.worktree()
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (0, ['LCK004'])


def test_a_lock_at_an_older_place_is_told(space: Space, interlock: Interlock) -> None:
    space.worktree()
    space.write('task.lock', json.dumps(lock()))
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (0, ['TSK005'])


def test_a_workflow_chooses_severities(space: Space, interlock: Interlock) -> None:
    space.worktree()
    space.put(lock(task_name='x'))
    assert interlock('task', 'check', TASK).code == 1
    file = space.path / '.interlock.yaml'
    file.write_text(f'{spaces.WORKFLOW}severity: {{TSK001: warning}}\n')
    assert interlock('task', 'check', TASK).code == 0
    file.write_text(f'{spaces.WORKFLOW}severity: {{TSK001: "off"}}\n')
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert result.codes == []


def test_a_person_gives_a_task_to_a_session(space: Space) -> None:
    space.worktree()
    space.put(lock('INIT', 'CLASSIFIED', session_id=OTHER, generation=3))
    assert at_terminal('lock', 'release', TASK, '--holder', '3')[0] == 0
    code, said = at_terminal('task', 'adopt', TASK, '--session', SESSION)
    assert (code, said) == (0, f'{TASK} is held by session {SESSION}, in CLASSIFIED\n')
    held = space.read()
    assert held['session_id'] == SESSION
    assert held['generation'] == 4
    assert held['transition_log'] == spaces.log('INIT', 'CLASSIFIED')


def test_a_person_vouches_for_a_state(space: Space, interlock: Interlock) -> None:
    space.worktree()
    space.write('agents/test/code/x', '')
    args = ('task', 'adopt', TASK, '--session', SESSION)
    code, said = at_terminal(*args)
    assert code == 1
    assert f'it is not known in which state {TASK} was' in said
    code, said = at_terminal(*args, '--state', 'SYNTESIS')
    assert code == 1
    assert 'did you mean `SYNTHESIS`?' in said
    code, said = at_terminal(*args, '--state', 'SYNTHESIS')
    assert code == 0
    held = space.read()
    assert held['state'] == 'SYNTHESIS'
    assert held['required_agents'] == ['test']
    assert [step['to'] for step in held['transition_log']] == [
        'INIT',
        'CLASSIFIED',
        'REQUIREMENTS',
        'SYNTHESIS',
    ]
    assert all(
        step['reason'].startswith('adopted by ') for step in held['transition_log']
    )
    assert interlock('task', 'check', TASK).code == 0


@pytest.mark.parametrize('command', ('adopt', 'clean'))
def test_only_a_person_decides_about_an_abandoned_task(
    space: Space, command: str
) -> None:
    space.worktree()
    option = ('--session', SESSION) if command == 'adopt' else ()
    args = ('task', command, TASK, *option)
    code, said = at_terminal(*args, session=SESSION)
    assert (code, 'not an agent' in said) == (1, True)
    result = spaces.run(*args)
    assert result.returncode == 1
    assert 'there is no terminal here' in result.stderr
    assert space.file('code').exists()
    assert not space.file('task.json').exists()


@pytest.mark.parametrize('command', ('adopt', 'clean'))
def test_a_task_that_is_held_is_not_abandoned(space: Space, command: str) -> None:
    space.worktree()
    space.put(lock(session_id=OTHER))
    option = ('--session', SESSION) if command == 'adopt' else ()
    code, said = at_terminal('task', command, TASK, *option)
    assert code == 1
    assert OTHER in said
    assert space.read()['session_id'] == OTHER


def test_a_person_cleans_an_abandoned_task_up(space: Space) -> None:
    assert (
        spaces.run('task', 'start', TASK, '--agent', 'test', session=SESSION).returncode
        == 0
    )
    space.file('task.json').unlink()
    space.write('agents/test/status.json', '{}')
    code, said = at_terminal('task', 'clean', TASK)
    assert code == 0, said
    assert files(space.tasks / TASK) == [
        'agents',
        'agents/test',
        'agents/test/status.json',
        'audit-trail.json',
    ]
    assert space.main.git('branch', '--list', f'{TASK}*') == ''


def test_work_that_is_not_committed_is_not_cleaned_up(space: Space) -> None:
    assert (
        spaces.run('task', 'start', TASK, '--agent', 'test', session=SESSION).returncode
        == 0
    )
    space.file('task.json').unlink()
    space.write('code/bread.py', 'é')
    status, said = at_terminal('task', 'clean', TASK)
    assert status == 1
    assert 'has work that is not committed: bread.py' in said
    assert '--force' not in said
    # nothing is taken away where one of them has work
    assert space.file('code/bread.py').exists()
    assert space.file('agents/test/code').exists()


def test_a_directory_that_is_not_a_worktree_is_not_cleaned_up(space: Space) -> None:
    space.write('code/bread.py', 'é')
    status, said = at_terminal('task', 'clean', TASK)
    assert status == 2
    assert 'is not a git worktree' in said
    assert space.file('code/bread.py').exists()


def test_branches_that_are_not_merged_stay(space: Space) -> None:
    space.worktree().commit({'bread.py': 'é'})
    status, said = at_terminal('task', 'clean', TASK)
    assert status == 0
    assert f'the branch {TASK} is not merged, and stays' in said
    assert TASK in space.main.git('branch', '--list', TASK)
