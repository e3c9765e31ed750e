from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from interlock.documents.wiring.hook_files import AFTER, git_hook
from tests import spaces
from tests.conftest import Interlock, Repo
from tests.desk import Desk
from tests.spaces import TASK, Space


@pytest.fixture
def desk(space: Space) -> Desk:
    """A task with an agent, in a repository that has our hook."""
    made = Desk(space.path)
    hook = made.main.path / '.git' / 'hooks' / AFTER
    hook.write_bytes(git_hook(AFTER))
    hook.chmod(0o755)
    made.worktree()
    made.main.git(
        'worktree',
        'add',
        '-q',
        '-b',
        f'{TASK}-architect',
        str(made.file('agents/architect/code')),
    )
    made.put(spaces.lock(required_agents=['architect']))
    return made


def commit(repo: Repo, message: str = 'feat: du pain') -> str:
    (repo.path / 'bread.py').write_text('é\n')
    repo.git('add', '-A')
    done = repo.try_git('commit', '-q', '-m', message)
    assert done.returncode == 0, done.stderr
    return done.stderr


def logged(desk: Desk) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.trail['commits']
    return found


def test_a_commit_is_logged_with_all_that_is_known(desk: Desk) -> None:
    assert commit(desk.code) == ''
    (entry,) = logged(desk)
    assert entry.pop('timestamp')
    assert entry == {
        'sha': desk.code.git('rev-parse', 'HEAD'),
        'branch': TASK,
        'files_created': ['bread.py'],
        'files_modified': [],
        'message': 'feat: du pain',
    }


@pytest.mark.parametrize(
    ('where', 'message', 'agent'),
    (
        pytest.param('code', '[agent:style] Add', 'style', id='by message'),
        pytest.param('code', 'Add', None, id='nobody'),
        pytest.param('agents/architect/code', 'Add', 'architect', id='by worktree'),
        pytest.param(
            'agents/architect/code',
            '[agent:quality] Add',
            'quality',
            id='the message says more',
        ),
    ),
)
def test_whose_work_a_commit_is(
    desk: Desk, where: str, message: str, agent: str | None
) -> None:
    commit(Repo(desk.file(where)), message)
    assert logged(desk)[0].get('agent') == agent


def test_in_the_main_worktree_the_message_says_which_task(desk: Desk) -> None:
    commit(desk.main)
    assert not desk.file('audit-trail.json').exists()
    commit_two = desk.main.try_git(
        'commit', '-q', '--allow-empty', '-m', f'merge\n\nInterlock-Task: {TASK}'
    )
    assert commit_two.returncode == 0
    assert len(logged(desk)) == 1


@pytest.mark.parametrize('name', ('../../../etc', 'no-such-task', 'main', 'x y'))
def test_a_task_that_there_is_not_is_not_logged(desk: Desk, name: str) -> None:
    commit(desk.main, f'x\n\nInterlock-Task: {name}')
    assert not desk.file('audit-trail.json').exists()


def test_what_fails_is_said_and_the_commit_stands(desk: Desk) -> None:
    desk.write('audit-trail.json', '{')
    said = commit(desk.code)
    assert said.startswith('interlock: the commit is not in the trail of its task: ')
    assert desk.code.git('log', '-1', '--format=%s') == 'feat: du pain'


def test_without_us_the_commit_stands(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    bare = tmp_path / 'bin'
    bare.mkdir()
    for name in ('git', 'sh'):
        (bare / name).symlink_to(shutil.which(name) or '')
    monkeypatch.setenv('PATH', str(bare))
    (desk.code.path / 'x').write_text('é')
    desk.code.git('add', '-A')
    desk.code.git('commit', '-q', '-m', 'seul')
    assert desk.code.git('log', '-1', '--format=%s') == 'seul'


def test_a_task_without_a_lock_has_no_trail(desk: Desk) -> None:
    os.unlink(desk.file('task.json'))
    assert commit(desk.code) == ''
    assert not desk.file('audit-trail.json').exists()


def test_where_there_are_no_tasks_nothing_is_said(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('post-commit')
    assert (result.code, result.out, result.err) == (0, '', '')


def test_outside_of_a_project_it_says_so_and_never_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.chdir(tmp_path)
    result = interlock('post-commit')
    assert result.code == 0
    assert 'not in the trail' in result.err
