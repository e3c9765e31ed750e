from __future__ import annotations

import os
import shutil
from pathlib import Path

from interlock.git.git_summary import start_summary
from tests.conftest import Repo


def seen(path: Path, **environ: str) -> dict[str, object]:
    found = start_summary(str(path), {**os.environ, **environ})()
    return found.as_state() if found else {}


def test_branch_changes_and_worktrees(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x', 'b': 'x'})
    assert seen(repo.path) == {
        'git_branch': 'main',
        'git_status': 'clean',
        'worktrees': [],
    }
    linked = tmp_path / 'verknüpft'
    repo.git('worktree', 'add', '-q', '-b', 'été', str(linked))
    repo.write({'a': 'y', 'neu': 'z', 'sous/c': 'z'})
    assert seen(repo.path) == {
        'git_branch': 'main',
        'git_status': '3 uncommitted',
        'worktrees': [{'path': str(linked), 'branch': 'été'}],
    }
    assert seen(linked)['git_branch'] == 'été'


def test_changed_files_are_named_from_the_top(repo: Repo) -> None:
    repo.commit({'a b': 'x', 'sous/é': 'x'})
    repo.git('mv', 'a b', 'c d')
    repo.write({'sous/é': 'y', 'sous/neu': 'z'})
    found = start_summary(str(repo.path / 'sous'), os.environ)()
    assert found is not None
    # a rename is two changes
    assert sorted(found.changed) == ['a b', 'c d', 'sous/neu', 'sous/é']
    assert found.as_state()['git_status'] == '4 uncommitted'


def told_by_git(path: Path) -> list[dict[str, object]]:
    """The linked worktrees, the main one left out."""
    out = Repo(path).git('worktree', 'list', '--porcelain')
    found: list[dict[str, object]] = []
    for block in out.split('\n\n')[1:]:
        fields = dict(line.partition(' ')[::2] for line in block.split('\n'))
        branch = fields.get('branch', '').removeprefix('refs/heads/')
        found.append({'path': fields['worktree'], 'branch': branch or None})
    return sorted(found, key=lambda each: str(each['path']))


def test_worktrees_are_those_that_git_lists(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'sous/a': 'x'})
    trees = {name: tmp_path / 'w' / name for name in ('b', 'a', 'c d', 'é')}
    for name, path in trees.items():
        branch = ('--detach',) if name == 'a' else ('-b', f'x/{name[0]}')
        repo.git('worktree', 'add', '-q', *branch, str(path))
    repo.git('worktree', 'lock', '--reason', 'away', str(trees['b']))
    repo.git('worktree', 'move', str(trees['c d']), str(tmp_path / 'moved'))
    # one whose directory is gone is listed until it is pruned
    shutil.rmtree(trees['é'])
    listed = told_by_git(repo.path)
    assert len(listed) == 4
    for place in (repo.path, repo.path / 'sous', trees['a'], trees['b']):
        assert seen(place)['worktrees'] == listed


def test_worktrees_by_relative_paths(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x'})
    linked = tmp_path / 'w'
    repo.git('worktree', 'add', '-q', '-b', 'y', str(linked))
    pointer = repo.path / '.git' / 'worktrees' / 'w' / 'gitdir'
    # as newer versions of git write it with worktree.useRelativePaths
    pointer.write_text(f'{os.path.relpath(linked, pointer.parent)}/.git\n')
    assert seen(repo.path)['worktrees'] == [{'path': str(linked), 'branch': 'y'}]


def test_worktrees_of_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit({'a': 'x'})
    bare, linked = tmp_path / 'bare', tmp_path / 'w'
    repo.git('clone', '-q', '--bare', str(repo.path), str(bare))
    Repo(bare).git('worktree', 'add', '-q', '-b', 'y', str(linked))
    assert (
        seen(linked)['worktrees']
        == told_by_git(linked)
        == [{'path': str(linked), 'branch': 'y'}]
    )


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
