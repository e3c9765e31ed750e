"""Where git looks for hooks: what we read is what git says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.git.hook_folder import hook_folders, hooks_folder
from tests.conftest import Repo

Setting = Callable[[Repo, Path, pytest.MonkeyPatch], None]


def nothing(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    pass


def local(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    repo.git('config', 'core.hooksPath', 'größe/hooks')


def spaced(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    repo.git('config', 'core.hooksPath', ' a #b; "c" \\d ')


def of_the_user(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    repo.git('config', '--global', 'core.hooksPath', '~/hooks')


def both(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    of_the_user(repo, home, env)
    local(repo, home, env)


def xdg(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    folder = home / 'xdg' / 'git'
    folder.mkdir(parents=True)
    (folder / 'config').write_text('[core]\nhooksPath = /xdg\n')
    env.setenv('XDG_CONFIG_HOME', str(home / 'xdg'))
    env.delenv('GIT_CONFIG_GLOBAL', raising=False)


def named(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'other').write_text('[core]\nhooksPath = /named\n')
    env.setenv('GIT_CONFIG_GLOBAL', str(home / 'other'))


def system(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'system').write_text('[core]\nhooksPath = /system\n')
    env.setenv('GIT_CONFIG_SYSTEM', str(home / 'system'))
    env.delenv('GIT_CONFIG_NOSYSTEM', raising=False)


def included(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (repo.path / '.git' / 'more').write_text('[core]\nhooksPath = more\n')
    repo.git('config', 'include.path', 'more')


def by_directory(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'work').write_text('[core]\nhooksPath = work\n')
    repo.git(
        'config',
        '--global',
        f'includeIf.gitdir:{repo.path.parent}/.path',
        str(home / 'work'),
    )


def elsewhere(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'work').write_text('[core]\nhooksPath = work\n')
    repo.git(
        'config', '--global', 'includeIf.gitdir:/nowhere/.path', str(home / 'work')
    )


def by_branch(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'branch').write_text('[core]\nhooksPath = branch\n')
    repo.git('checkout', '-q', '-b', 'topic/x')
    repo.git('config', 'includeIf.onbranch:topic/**.path', str(home / 'branch'))


def by_any_case(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    (home / 'more').write_text('[core]\nhooksPath = ~/more\n')
    (home / 'work').write_text('[include]\npath = more\n')
    condition = f'gitdir/i:{str(repo.path).upper()}/'
    local(repo, home, env)
    repo.git('config', f'includeIf.{condition}.path', str(home / 'work'))


def of_the_worktree(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    repo.git('config', 'extensions.worktreeConfig', 'true')
    repo.git('config', '--worktree', 'core.hooksPath', 'tree')


def worktree_unasked(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    text = '[core]\nhooksPath = x\n'
    (repo.path / '.git' / 'config.worktree').write_text(text)


def of_the_environment(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    local(repo, home, env)
    env.setenv('GIT_CONFIG_COUNT', '1')
    env.setenv('GIT_CONFIG_KEY_0', 'core.hooksPath')
    env.setenv('GIT_CONFIG_VALUE_0', '/environment')


def husky(repo: Repo, home: Path, env: pytest.MonkeyPatch) -> None:
    repo.git('config', 'core.hooksPath', '.husky/_')


@pytest.mark.parametrize(
    'setting',
    (
        nothing,
        local,
        spaced,
        of_the_user,
        both,
        xdg,
        named,
        system,
        included,
        by_directory,
        elsewhere,
        by_branch,
        by_any_case,
        of_the_worktree,
        worktree_unasked,
        of_the_environment,
        husky,
    ),
)
def test_it_is_what_git_says(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: Setting
) -> None:
    home = tmp_path / 'home of mine'
    home.mkdir()
    setting(repo, home, monkeypatch)
    said = repo.git('rev-parse', '--git-path', 'hooks')
    found = hooks_folder(str(repo.path), os.environ)
    assert os.path.realpath(found) == os.path.realpath(repo.path / said)


def test_git_is_not_started_for_a_condition_of_other_settings(
    repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / 'work').write_text('[user]\nname = é\n')
    repo.git('config', 'includeIf.gitdir:/.path', str(tmp_path / 'work'))
    repo.git('config', 'core.hooksPath', 'größe/hooks')
    found = hooks_folder(str(repo.path), {**os.environ, 'PATH': ''})
    assert found == str(repo.path / 'größe/hooks')


def test_a_linked_worktree_has_the_hooks_of_all(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'é'})
    repo.git('worktree', 'add', '-q', str(tmp_path / 'là'), '-b', 'x')
    linked = Repo(tmp_path / 'là')
    found = hooks_folder(str(linked.path), os.environ)
    assert found == linked.git('rev-parse', '--git-path', 'hooks')


def test_without_a_repository_there_are_none(tmp_path: Path) -> None:
    assert hooks_folder(str(tmp_path), os.environ) == ''
    assert hook_folders(str(tmp_path), os.environ) == []


def test_the_scripts_of_husky_lie_above(repo: Repo) -> None:
    repo.git('config', 'core.hooksPath', '.husky/_')
    top = os.path.realpath(repo.path)
    assert hook_folders(str(repo.path), os.environ) == [
        f'{top}/.husky/_',
        f'{top}/.husky',
    ]
