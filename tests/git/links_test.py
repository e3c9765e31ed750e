"""Which files are links, on every kind of snapshot: by their mode, not by what
they hold."""

from __future__ import annotations

import contextlib
import os

import pytest

from interlock.engine.moved_files import MovedSnapshot
from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.batch import Objects
from interlock.git.git import Git
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.model.change import MergedSnapshot, Nothing
from interlock.model.overlay import Overlay
from tests.conftest import Repo

TARGET = '../elsewhere.md'
# what it holds, whether it is a link
FILES = {
    'a/link.md': (TARGET, True),
    'a/absolute.md': ('/tmp/nowhere', True),
    'a/lines.md': ('one\ntwo', True),
    'a/same.md': (TARGET, False),
    'a/word.md': ('done', False),
    'a/ended.md': (f'{TARGET}\n', False),
    'a/empty.md': ('', False),
    'a/long.md': ('x' * 5000, False),
}


def write(repo: Repo) -> None:
    for name, (text, is_link) in FILES.items():
        path = repo.path / name
        path.parent.mkdir(exist_ok=True)
        if is_link:
            path.symlink_to(text)
        else:
            path.write_text(text, encoding='UTF-8')
    repo.git('add', '-A')


def test_links_are_told_by_their_mode(repo: Repo) -> None:
    repo.commit({'README': 'x\n'})
    write(repo)
    wanted = {name: is_link for name, (_, is_link) in FILES.items()}
    wanted |= {'README': False, 'absent': False, 'a': False}
    with contextlib.closing(Repository(os.environ)) as opened:
        staged = opened.staged(None)[0].after
        with contextlib.closing(StoredSnapshot(opened)) as stored:
            disk = DiskSnapshot(str(repo.path))
            for each in (staged, stored, disk, Overlay(staged, {})):
                assert {name: each.is_link(name) for name in wanted} == wanted
    repo.git('commit', '-qm', 'links')
    with contextlib.closing(Repository(os.environ)) as opened:
        tree = opened.tree(repo.git('rev-parse', 'HEAD^{tree}'))
        merged = MergedSnapshot([tree, tree], [[tree]], 0)
        for each in (tree, merged, MovedSnapshot(tree, {}), Overlay(tree, {})):
            assert {name: each.is_link(name) for name in wanted} == wanted
        assert not Overlay(tree, {'a/link.md': b'x'}).is_link('a/link.md')
        assert not Nothing().is_link('a/link.md')


def test_a_file_of_the_index_counts_and_not_that_of_the_tree(repo: Repo) -> None:
    """Neither their contents nor their names differ."""
    repo.commit({'one.md': TARGET})
    (repo.path / 'two.md').symlink_to(TARGET)
    repo.git('add', '-A')
    repo.git('commit', '-qm', 'link')
    for name in ('one.md', 'two.md'):
        (repo.path / name).unlink()
    (repo.path / 'one.md').symlink_to(TARGET)
    (repo.path / 'two.md').write_text(TARGET, encoding='UTF-8')
    repo.git('add', '-A')
    with contextlib.closing(Repository(os.environ)) as opened:
        change = opened.staged(None)[0]
        before, after = (
            [at.is_link(name) for name in ('one.md', 'two.md')]
            for at in (change.before, change.after)
        )
        assert (before, after) == ([False, True], [True, False])


def test_most_files_make_nobody_ask_git(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'one.md': 'one\n', 'two.md': 'x' * 5000})
    with contextlib.closing(Repository(os.environ)) as opened:
        tree = opened.tree(repo.git('rev-parse', 'HEAD^{tree}'))
        tree.prefetch(['one.md', 'two.md'])
        with monkeypatch.context() as patch:
            for kind, name in ((Objects, 'read_many'), (Git, 'run')):
                patch.setattr(kind, name, lambda *args: pytest.fail('git was asked'))
            assert not tree.is_link('one.md')
            assert not tree.is_link('two.md')
