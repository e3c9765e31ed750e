from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest

from interlock.git.run_command import ENDED, run_to_end
from interlock.handoff_document.facts import Project
from tests.conftest import Repo

UTC = datetime.timezone.utc
PAST = datetime.datetime(2020, 1, 1, tzinfo=UTC)
FUTURE = datetime.datetime(2100, 1, 1, tzinfo=UTC)


def around(path: Path) -> Project:
    return Project(str(path), os.environ)


def names(found: Project, top: Path) -> set[str]:
    return {os.path.relpath(path, top) for path in found.files()}


def test_files_are_those_that_git_does_not_ignore(repo: Repo) -> None:
    repo.commit({'.gitignore': 'caché/\n', 'à.md': 'x', 'sous/b.md': 'x'})
    repo.write({'neuf.md': 'x', 'caché/c.md': 'x'})
    (repo.path / 'à.md').unlink()
    expected = {'.gitignore', 'sous/b.md', 'neuf.md'}
    assert names(around(repo.path), repo.path) == expected
    assert names(around(repo.path / 'sous'), repo.path) == expected


def test_a_worktree_inside_of_the_repository_is_not_searched(repo: Repo) -> None:
    repo.commit({'a.md': 'x'})
    repo.git('worktree', 'add', '-q', 'trees/b', '-b', 'b')
    assert names(around(repo.path), repo.path) == {'a.md'}
    tree = repo.path / 'trees/b'
    assert names(around(tree), tree) == {'a.md'}
    assert around(tree).top == str(tree)


def test_outside_of_git_files_are_looked_for_on_disk(tmp_path: Path) -> None:
    (tmp_path / 'sous').mkdir()
    (tmp_path / '.caché').mkdir()
    (tmp_path / 'sous' / 'à.md').touch()
    (tmp_path / '.caché' / 'b.md').touch()
    found = around(tmp_path)
    assert not found.top
    assert names(found, tmp_path) == {'sous/à.md'}
    assert found.summary is None


def test_without_git_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', '')
    found = around(tmp_path)
    assert not found.top
    assert not found.resolves('HEAD')
    assert found.committed(str(tmp_path / 'x')) is None


@pytest.mark.parametrize(
    ('name', 'good'),
    (
        ('HEAD', True),
        ('main', True),
        ('dead', False),
        ('', False),
        ('--help', False),
        ('HEAD:a.md', False),
        ('HEAD~9', False),
    ),
)
def test_a_checkpoint_names_a_commit(repo: Repo, name: str, good: bool) -> None:
    commit = repo.commit({'a.md': 'x'})
    found = around(repo.path)
    assert found.resolves(name) == good
    assert found.resolves(commit[:10])


def test_a_committed_file_changed_when_it_was_committed(repo: Repo) -> None:
    repo.commit({'à.md': 'x'})
    file = str(repo.path / 'à.md')
    # the time of the commit is 2026-01-02, that on disk is now
    before = datetime.datetime(2026, 1, 1, tzinfo=UTC)
    after = datetime.datetime(2026, 1, 3, tzinfo=UTC)
    found = around(repo.path)
    assert found.changed_since(file, before)
    assert not found.changed_since(file, after)
    repo.write({'à.md': 'y'})
    assert found.changed_since(file, after)
    assert not found.changed_since(file, FUTURE)


def test_a_file_that_git_does_not_know_changed_on_disk(repo: Repo) -> None:
    repo.write({'à.md': 'x'})
    file = str(repo.path / 'à.md')
    assert around(repo.path).changed_since(file, PAST)
    assert not around(repo.path).changed_since(file, FUTURE)


def test_the_committed_version_of_a_file(repo: Repo) -> None:
    repo.commit({'sous/à.md': 'avant\n'})
    repo.write({'sous/à.md': 'après\n', 'neuf.md': 'x'})
    found = around(repo.path)
    assert found.committed(str(repo.path / 'sous/à.md')) == 'avant\n'
    assert found.committed(str(repo.path / 'neuf.md')) is None
    assert found.summary and found.summary.changed == ('sous/à.md', 'neuf.md')


def test_the_repository_of_a_hook_is_not_meant(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GIT_DIR', str(repo.path / '.git'))
    other = tmp_path / 'autre'
    other.mkdir()
    assert not around(other).top


def test_a_command_is_run_in_its_directory(tmp_path: Path) -> None:
    result = run_to_end('pwd; echo non >&2; exit 3', str(tmp_path), 60, together=True)
    assert result.code == 3
    assert result.out.splitlines() == [os.path.realpath(tmp_path), 'non']


def test_a_command_that_takes_too_long_is_ended_with_its_children(
    tmp_path: Path,
) -> None:
    result = run_to_end('echo oui; sleep 600 & sleep 600', str(tmp_path), 0.5)
    assert result.code == ENDED
    assert result.out == 'oui\n'
