"""Tasks that are misspelt, finished, or lost a part: what comes next."""

from __future__ import annotations

import json
import shutil

import pytest

from tests import spaces
from tests.conftest import Repo
from tests.spaces import OTHER, SESSION, TASK, Space

DONE = spaces.TODO.replace('[ ] **READY:** `bake', '[x] **READY:** `bake')
GONE = spaces.TODO.replace('- [ ] **READY:** `bake-bread` - très bon\n', '')


def run(line: str, session: str = SESSION) -> tuple[int, str]:
    done = spaces.run(*line.split(), session=session)
    return done.returncode, done.stdout + done.stderr


def hint(said: str) -> str:
    """The command that is named as the next one, as it is printed."""
    return said.rpartition('next: interlock ')[2].split('\n')[0]


@pytest.mark.parametrize(
    ('task', 'sentence', 'expected'),
    (
        pytest.param(
            'bake-bred',
            'todo.md does not list bake-bred; did you mean `bake-bread`?',
            'task select bake-bread',
            id='a slip',
        ),
        pytest.param(
            'fly-to-the-moon',
            'todo.md does not list fly-to-the-moon; a task begins with its '
            'entry, `- [ ] **READY:** `fly-to-the-moon` - TEXT`',
            'task select',
            id='nothing like it',
        ),
    ),
)
def test_what_is_not_listed_does_not_begin(
    space: Space, task: str, sentence: str, expected: str
) -> None:
    for command in ('start', 'select'):
        code, said = run(f'task {command} {task}')
        assert code == 1
        assert sentence in said
        assert hint(said) == expected
    assert not space.file('', task).exists()
    assert task not in space.main.git('branch', '--list')
    assert run(expected)[0] == 0
    assert run(f'task start {TASK}')[0] == 0


def test_what_is_done_does_not_begin_again(space: Space) -> None:
    space.main.write({'todo.md': DONE})
    for command in ('start', 'select'):
        code, said = run(f'task {command} {TASK}')
        assert code == 1
        assert f'todo.md says that {TASK} is done' in said
    # nor what was finished, and left the list
    space.main.write({'todo.md': spaces.TODO})
    assert run(f'task start {TASK}')[0] == 0
    space.main.git('worktree', 'remove', str(space.file('code')))
    assert run(f'lock release {TASK}')[0] == 0
    space.main.write({'todo.md': GONE})
    for command in ('start', 'select'):
        code, said = run(f'task {command} {TASK}')
        assert code == 1
        assert 'no longer lists it: it is finished' in said
        assert 'did you mean' not in said


def test_what_is_begun_goes_on_whether_it_is_listed_or_not(space: Space) -> None:
    assert run(f'task start {TASK}')[0] == 0
    space.main.write({'todo.md': GONE})
    code, said = run(f'task select {TASK}')
    assert (code, said.partition(':')[0]) == (0, f'{TASK} is held by this session')


def test_without_a_list_a_task_begins_with_a_warning(space: Space) -> None:
    (space.main.path / 'todo.md').unlink()
    code, said = run('task start bake-bred')
    assert code == 0
    assert 'warning: bake-bred: it is not in todo.md' in said


def test_a_lock_that_cannot_be_read_has_no_state(space: Space) -> None:
    assert run(f'task start {TASK}')[0] == 0
    contents = ('{broken', '', '[]', '\0', 'é')
    for number, command in enumerate(
        (
            'task resume bake-bread',
            'task resume bake-bread --format json',
            'agents check bake-bread',
            'gate bake-bread SYNTHESIS',
            'transition bake-bread CLASSIFIED',
            'present bake-bread',
            'trail check bake-bread',
            'agents add bake-bread style --why x',
            'checkpoint bake-bread',
            'task finish bake-bread',
        )
    ):
        content = contents[number % len(contents)]
        space.file('task.json').write_text(content)
        code, said = run(command)
        assert code == 1, said
        assert 'LCK002: bake-bread is held by' in said
        assert hint(said) == f'lock show {TASK}'


@pytest.mark.parametrize(
    'content', ('{}', '{"state": 5}', '{"session_id": "x", "state": ""}')
)
def test_a_lock_without_a_state_is_refused(space: Space, content: str) -> None:
    assert run(f'task start {TASK}')[0] == 0
    space.file('task.json').write_text(content)
    for command in (
        'task resume bake-bread',
        'agents check bake-bread',
        'gate bake-bread SYNTHESIS',
        'transition bake-bread CLASSIFIED',
        'present bake-bread',
        'checkpoint bake-bread',
    ):
        code, said = run(command)
        assert code == 1, said
        assert 'LCK005' in said
        assert hint(said) == f'lock show {TASK}'


def test_a_person_ends_a_lock_that_cannot_be_read(space: Space) -> None:
    assert run(f'task start {TASK}')[0] == 0
    space.file('task.json').write_text('{broken')
    code, said = run(f'task check {TASK}')
    assert code == 1
    assert f'see how a person can release it: interlock lock show {TASK}' in said
    code, said = spaces.at_terminal('approve', TASK)
    assert code == 1
    assert 'LCK002' in said
    code, said = spaces.at_terminal('lock', 'release', TASK)
    assert code == 1
    assert 'INTERLOCK_SESSION' not in said
    assert hint(said) == f'lock release {TASK} --holder 0'
    code, shown = run(f'lock show {TASK}', '')
    assert code == 0
    assert 'generation 0' in shown
    assert f'a person ends the lock: interlock {hint(said)}' in shown
    # an agent does not
    assert run(hint(said))[0] == 1
    code, said = spaces.at_terminal(*hint(said).split())
    assert code == 0, said
    code, said = spaces.at_terminal(
        'task', 'adopt', TASK, '--session', OTHER, '--state', 'INIT'
    )
    assert code == 0, said
    assert space.read()['session_id'] == OTHER


def test_an_agent_that_lost_its_worktree_gets_it_back(space: Space) -> None:
    assert run(f'task start {TASK} --agent style')[0] == 0
    place = space.file('agents/style/code')
    work = Repo(place).commit({'style.py': 'é'}, 'é')
    lock = space.read()
    lock['state'] = 'CLASSIFIED'
    lock['transition_log'] = spaces.log('INIT', 'CLASSIFIED')
    space.put(lock)
    shutil.rmtree(place)
    code, said = run(f'gate {TASK} REQUIREMENTS')
    line = f"next: interlock agents add {TASK} style --why 'WHY'"
    assert code == 1
    assert line in said
    assert 'return to CLASSIFIED' not in said
    code, said = run(f"agents add {TASK} style --why 'WHY'")
    assert code == 0, said
    assert Repo(place).git('rev-parse', 'HEAD') == work
    assert Repo(place).git('branch', '--show-current') == f'{TASK}-style'


def test_a_branch_that_is_checked_out_elsewhere_gets_no_second_worktree(
    space: Space,
) -> None:
    assert run(f'task start {TASK} --agent style')[0] == 0
    place = space.file('agents/style/code')
    space.main.git('worktree', 'move', str(place), str(space.path / 'moved'))
    code, said = run(f"agents add {TASK} style --why 'WHY'")
    assert code in (1, 2)
    assert 'git worktree list' in said


def test_a_lock_that_lost_its_worktree_is_cleaned_up_by_a_person(space: Space) -> None:
    assert run(f'task start {TASK} --agent style')[0] == 0
    work = Repo(space.file('code')).commit({'bread.py': 'é'}, 'é')
    shutil.rmtree(space.file('code'))
    code, said = run(f'task select {TASK}')
    assert (code, 'but its worktree' in said) == (1, True)
    clean = f'task clean {TASK}'
    assert f'next: interlock {clean}' in said
    # which an agent does not do unasked
    assert run(clean)[0] == 1
    # work of an agent that is not committed is not lost
    file = space.file('agents/style/code/style.py')
    file.write_text('é')
    code, said = spaces.at_terminal(*clean.split())
    assert code == 1
    assert 'has work that is not committed' in said
    assert space.file('task.json').exists()
    file.unlink()
    code, said = spaces.at_terminal(*clean.split())
    assert code == 0, said
    assert f'the branch {TASK} is not merged, and stays' in said
    assert not space.file('task.json').exists()
    assert not space.file('agents/style/code').exists()
    events = (space.register / 'log.jsonl').read_text().splitlines()
    assert json.loads(events[-1])['event'] == 'ended by a person'
    # the branch is there, and so is the way on
    code, said = run(f'task start {TASK}', OTHER)
    assert code == 2
    assert hint(said) == f'task start {TASK} --on-branch'
    code, said = run(hint(said), OTHER)
    assert code == 0, said
    assert Repo(space.file('code')).git('rev-parse', 'HEAD') == work


def test_a_beginning_on_a_branch_that_fails_keeps_the_branch(space: Space) -> None:
    work = space.main.git('rev-parse', 'HEAD')
    space.main.git('branch', TASK)
    # the second agent cannot have its place
    space.write('agents/test/code/x', '')
    code, said = run(f'task start {TASK} --on-branch --agent style --agent test')
    assert code == 2, said
    assert space.main.git('rev-parse', TASK) == work
    assert not space.file('task.json').exists()
    assert not space.file('code').exists()
