from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.git.git_paths import project_of
from tests.conftest import Repo


def test_a_project_is_the_top_of_its_repository(repo: Repo) -> None:
    below = repo.path / 'sous' / 'dossier'
    below.mkdir(parents=True)
    assert project_of(str(repo.path)) == os.path.realpath(repo.path)
    assert project_of(str(below)) == os.path.realpath(repo.path)


def test_a_linked_worktree_is_the_same_project(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x'})
    linked = tmp_path / 'verknüpft'
    repo.git('worktree', 'add', '-q', str(linked))
    (linked / 'sous').mkdir()
    assert project_of(str(linked)) == os.path.realpath(repo.path)
    assert project_of(str(linked / 'sous')) == os.path.realpath(repo.path)


def test_a_worktree_of_a_bare_repository_is_the_repository(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit({'a': 'x'})
    bare, linked = tmp_path / 'nackt.git', tmp_path / 'w'
    repo.git('clone', '-q', '--bare', str(repo.path), str(bare))
    repo.git('--git-dir', str(bare), 'worktree', 'add', '-q', str(linked))
    assert project_of(str(linked)) == os.path.realpath(bare)
    assert project_of(str(bare)) == os.path.realpath(bare)


def test_a_submodule_is_a_project_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x'})
    outer = Repo(tmp_path / 'außen')
    outer.path.mkdir()
    outer.git('init', '-q')
    outer.git('submodule', '--quiet', 'add', str(repo.path), 'innen')
    assert project_of(str(outer.path / 'innen')) == (
        os.path.realpath(outer.path / 'innen')
    )


def test_a_git_directory_elsewhere_makes_no_difference(tmp_path: Path) -> None:
    top = Repo(tmp_path / 'oben')
    top.path.mkdir()
    top.git('init', '-q', '--separate-git-dir', str(tmp_path / 'git'))
    assert project_of(str(top.path)) == os.path.realpath(top.path)


def test_outside_of_git_it_is_the_directory(tmp_path: Path) -> None:
    place = tmp_path / 'ici'
    place.mkdir()
    assert project_of(str(place)) == os.path.realpath(place)


def test_a_link_leads_to_the_same_project(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / 'lien').symlink_to(repo.path)
    assert project_of(str(tmp_path / 'lien')) == os.path.realpath(repo.path)


@pytest.mark.parametrize('content', (b'', b'nonsense', b'gitdir: /gone\n'))
def test_a_pointer_that_leads_nowhere_is_not_a_failure(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / '.git').write_bytes(content)
    assert project_of(str(tmp_path)) == os.path.realpath(tmp_path)
