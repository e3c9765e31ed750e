from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.git import worktrees
from interlock.git.git import GitError
from interlock.model.errors import NoRepository, Refusal
from tests.conftest import Repo
from tests.spaces import TASK, Space


def test_what_is_committed_and_what_is_not(space: Space) -> None:
    code = space.worktree()
    head = code.git('rev-parse', 'HEAD')
    where = str(code.path)
    clean = worktrees.tree(os.environ, where)
    assert (clean.head, clean.changed) == (head, ())
    code.write({'neu é/a b.txt': 'x', 'README.md': 'y'})
    code.git('add', 'README.md')
    code.git('mv', 'todo.md', 'do.md')
    found = worktrees.tree(os.environ, where)
    assert found.head == head
    assert sorted(found.changed) == ['README.md', 'do.md', 'neu é/a b.txt', 'todo.md']


@pytest.mark.parametrize('what', ('missing', 'plain', 'below'))
def test_what_is_not_a_worktree(space: Space, what: str) -> None:
    path = space.tasks / 'x'
    if what == 'plain':
        path.mkdir()
    elif what == 'below':
        path = space.main.path / 'sub'
        path.mkdir()
    with pytest.raises(NoRepository):
        worktrees.tree(os.environ, str(path))


def test_before_the_first_commit(tmp_path: Path) -> None:
    path = tmp_path / 'new'
    path.mkdir()
    Repo(path).git('init', '-q')
    found = worktrees.tree(os.environ, str(path))
    assert (found.head, found.changed) == ('', ())


def test_the_variables_of_another_repository_do_not_count(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = space.worktree()
    head = code.commit({'X': 'x'})
    monkeypatch.setenv('GIT_DIR', str(space.main.path / '.git'))
    monkeypatch.setenv('GIT_WORK_TREE', str(space.main.path))
    assert worktrees.tree(os.environ, str(code.path)).head == head


def test_a_worktree_comes_and_goes_with_its_branch(space: Space) -> None:
    main, path = str(space.main.path), str(space.tasks / TASK / 'code')
    worktrees.add(os.environ, main, path, TASK)
    assert worktrees.has_branch(os.environ, main, TASK)
    assert os.path.isdir(path)
    worktrees.remove(os.environ, main, path)
    assert not os.path.exists(path)
    assert worktrees.delete_branch(os.environ, main, TASK)
    assert not worktrees.has_branch(os.environ, main, TASK)
    assert not worktrees.delete_branch(os.environ, main, TASK)


def test_what_would_lose_work_is_refused(space: Space) -> None:
    code = space.worktree()
    main = str(space.main.path)
    code.write({'X': 'x'})
    with pytest.raises(GitError):
        worktrees.remove(os.environ, main, str(code.path))
    code.commit({})
    worktrees.remove(os.environ, main, str(code.path))
    assert not worktrees.delete_branch(os.environ, main, TASK)


def test_a_worktree_that_was_deleted_is_forgotten(space: Space) -> None:
    code = space.worktree()
    code.path.rename(space.tasks / 'moved')
    worktrees.prune(os.environ, str(space.main.path))
    assert len(space.main.git('worktree', 'list').splitlines()) == 1


@pytest.fixture
def remote(space: Space, tmp_path: Path) -> Repo:
    bare = Repo(tmp_path / 'r.git')
    bare.path.mkdir()
    bare.git('init', '-q', '--bare')
    return bare


def test_a_branch_is_published(space: Space, remote: Repo) -> None:
    code = space.worktree()
    where = str(code.path)
    space.main.git('remote', 'add', 'origin', str(remote.path))
    assert worktrees.published(os.environ, where, TASK) == ('origin', '')
    worktrees.push(os.environ, where, TASK)
    head = code.git('rev-parse', 'HEAD')
    assert worktrees.published(os.environ, where, TASK) == ('origin', head)


def test_a_branch_may_have_a_remote_of_its_own(space: Space, remote: Repo) -> None:
    code = space.worktree()
    space.main.git('remote', 'add', 'origin', str(space.tasks))
    space.main.git('remote', 'add', 'mine', str(remote.path))
    space.main.git('config', f'branch.{TASK}.remote', 'mine')
    worktrees.push(os.environ, str(code.path), TASK)
    assert remote.git('rev-parse', TASK) == code.git('rev-parse', 'HEAD')


def test_a_branch_may_have_an_address_of_its_own(space: Space, remote: Repo) -> None:
    """As programs of hosts write it for a branch of a fork."""
    code = space.worktree()
    space.main.git('config', f'branch.{TASK}.remote', str(remote.path))
    worktrees.push(os.environ, str(code.path), TASK)
    assert remote.git('rev-parse', TASK) == code.git('rev-parse', 'HEAD')


def test_a_branch_that_follows_a_branch_here_has_no_remote(
    space: Space, remote: Repo
) -> None:
    """`branch.autoSetupMerge=always` writes it; a push there moves nothing."""
    code = space.worktree()
    space.main.git('config', f'branch.{TASK}.remote', '.')
    space.main.git('remote', 'add', 'origin', str(remote.path))
    worktrees.push(os.environ, str(code.path), TASK)
    assert remote.git('rev-parse', TASK) == code.git('rev-parse', 'HEAD')


def test_another_remote_than_origin(space: Space, remote: Repo) -> None:
    code = space.worktree()
    space.main.git('remote', 'add', 'only', str(remote.path))
    found = worktrees.published(os.environ, str(code.path), TASK)
    assert found == ('only', '')


def test_without_a_remote_nothing_is_published(space: Space) -> None:
    code = space.worktree()
    with pytest.raises(Refusal) as refused:
        worktrees.published(os.environ, str(code.path), TASK)
    assert 'has no remote' in refused.value.message
