from __future__ import annotations

import os
from pathlib import Path

from interlock.world.environment import asked
from tests.conftest import Repo


def seen(path: Path, **environ: str) -> dict[str, object]:
    return asked(str(path), {**os.environ, **environ})()


def test_branch_changes_and_worktrees(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x', 'b': 'x'})
    assert seen(repo.path) == {
        'git_branch': 'main', 'git_status': 'clean', 'worktrees': [],
    }
    linked = tmp_path / 'verknüpft'
    repo.git('worktree', 'add', '-q', '-b', 'été', str(linked))
    repo.write({'a': 'y', 'neu': 'z', 'sous/c': 'z'})
    assert seen(repo.path) == {
        'git_branch': 'main', 'git_status': '3 uncommitted',
        'worktrees': [{'path': str(linked), 'branch': 'été'}],
    }
    assert seen(linked)['git_branch'] == 'été'


def test_no_branch_is_null(repo: Repo) -> None:
    repo.commit({'a': 'x'})
    repo.git('checkout', '-q', '--detach')
    assert seen(repo.path)['git_branch'] is None


def test_before_the_first_commit_there_is_a_branch(repo: Repo) -> None:
    assert seen(repo.path)['git_branch'] == 'main'


def test_outside_of_git_nothing_is_known(tmp_path: Path) -> None:
    assert seen(tmp_path) == {}


def test_without_git_nothing_is_known(repo: Repo) -> None:
    assert seen(repo.path, PATH='/nowhere') == {}
