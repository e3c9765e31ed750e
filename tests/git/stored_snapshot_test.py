from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable

import pytest

from interlock.git import worktree_snapshot
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from tests import samples
from tests.conftest import Repo

PATH = 'plugins/Öl/.ideas/plan.md'
CRLF = 'eins\r\nzwei\r\n'


def clean(repo: Repo) -> None:
    repo.commit({PATH: 'eins\n'})


def changed(repo: Repo) -> None:
    clean(repo)
    repo.write({PATH: 'zwei\n'})


def staged(repo: Repo) -> None:
    clean(repo)
    repo.stage({PATH: 'zwei\n'})
    repo.write({PATH: 'drei\n'})


def checked_out(repo: Repo) -> None:
    repo.commit({PATH: 'eins\nzwei\n'})
    repo.git('config', 'core.autocrlf', 'true')
    repo.write({PATH: CRLF})


def always_crlf(repo: Repo) -> None:
    repo.commit({PATH: CRLF})
    repo.git('config', 'core.autocrlf', 'true')
    repo.write({PATH: f'{CRLF}drei\r\n'})


def filtered(repo: Repo) -> None:
    repo.git('config', 'filter.x.clean', 'tr a-z A-Z')
    repo.commit({'.gitattributes': '*.md filter=x\n', PATH: 'eins\n'})


def untracked(repo: Repo) -> None:
    repo.write({PATH: 'neu\n'})


def ignored(repo: Repo) -> None:
    repo.write({PATH: 'neu\n', '.gitignore': '*.md\n'})


def ignored_and_tracked(repo: Repo) -> None:
    changed(repo)
    repo.write({'.gitignore': '*.md\n'})


def deleted(repo: Repo) -> None:
    clean(repo)
    (repo.path / PATH).unlink()


def linked(repo: Repo) -> None:
    repo.commit({'autre.md': 'eins\n', PATH: 'x'})
    (repo.path / PATH).unlink()
    (repo.path / PATH).symlink_to('../../../autre.md')


def absent(repo: Repo) -> None:
    repo.commit({})


@pytest.mark.parametrize(
    'make',
    (
        clean,
        changed,
        staged,
        checked_out,
        always_crlf,
        filtered,
        untracked,
        ignored,
        ignored_and_tracked,
        deleted,
        linked,
        absent,
    ),
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize('below', (False, True), ids=('top', 'below'))
def test_a_file_is_what_a_commit_of_it_would_hold(
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Repo], None],
    below: bool,
) -> None:
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'sous/x': 'x'})
    make(repo)
    if below:
        monkeypatch.chdir(repo.path / 'sous')
    objects = repo.git('count-objects', '-v')
    index = (repo.path / '.git/index').read_bytes()
    with worktree_snapshot.opened(os.environ) as (repository, tree):
        wanted = repository.tree(tree).blob(PATH)
        is_link = repository.tree(tree).is_link(PATH)
    opened = Repository(os.environ)
    with (
        contextlib.closing(opened),
        contextlib.closing(StoredSnapshot(opened)) as stored,
    ):
        found = stored.blob(PATH)
        assert (found and found.data) == (wanted and wanted.data)
        assert stored.is_link(PATH) is is_link
        assert (PATH in stored.paths()) is (
            (repo.path / PATH).is_symlink() or (repo.path / PATH).exists()
        ) or make is ignored
        data = wanted.data if wanted else None
        assert stored.digest(PATH, 'sha256') == (
            hashlib.sha256(data).hexdigest() if data is not None else None
        )
        assert stored.parsed(PATH, lambda blob: blob.size) == (
            wanted.size if wanted else None
        )
    assert repo.git('count-objects', '-v') == objects
    assert (repo.path / '.git/index').read_bytes() == index
