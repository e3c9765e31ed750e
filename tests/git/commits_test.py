"""Long histories are read in portions."""

from __future__ import annotations

import itertools
import os

import pytest

from interlock.git import batch, git, repository
from interlock.git.repository import Repository
from interlock.model.errors import Refusal
from tests.conftest import Repo


def test_a_history_is_read_in_portions(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    oids = [repo.commit({'a': f'{number}\n'}, f'{number}') for number in range(20)]
    monkeypatch.setattr(repository, 'PORTION', 3)
    monkeypatch.setattr(git, 'KEPT_COMMITS', 6)
    asked = Repository(os.environ, str(repo.path))
    try:
        found = asked.history('HEAD')
        assert [each.oid for each in found][-20:] == oids
        assert len(asked.git._commits) <= 6 + 3
        # once more, and backwards
        assert [each.oid for each in reversed(found)][:20] == oids[::-1]
        assert found[-1].message == '19\n'
        assert [each.oid for each in found[-3:]] == oids[-3:]
        assert [each.oid for each in found[-20:][4:6]] == oids[4:6]
    finally:
        asked.close()


def test_a_tree_does_not_hold_all_those_before_it(repo: Repo) -> None:
    for number in range(6):
        repo.commit({'a': f'{number}\n'})
    asked = Repository(os.environ, str(repo.path))
    try:
        trees = [asked.tree(each.tree) for each in asked.history('HEAD')]
        for before, after in itertools.pairwise(trees):
            after.follow(before, {'a': 'M'})
        held, base = 0, trees[-1]._base
        while base is not None:
            held, base = held + 1, base[0]._base
        assert held <= 2
        assert trees[-1].paths() == trees[0].paths()
    finally:
        asked.close()


def test_a_commit_that_is_missing_is_refused_when_its_turn_comes(repo: Repo) -> None:
    oid = repo.commit({'a': 'é'})
    asked = Repository(os.environ, str(repo.path))
    try:
        found = asked.all_of([oid, 'f' * 40])
        assert found[0].oid == oid
        with pytest.raises(Refusal, match='is not a commit in this repository'):
            found[1]
    finally:
        asked.close()


def test_a_tree_that_is_kept_does_not_hold_those_behind_it(repo: Repo) -> None:
    for number in range(6):
        repo.commit({'a': f'{number}\n'})
    asked = Repository(os.environ, str(repo.path))
    try:
        trees = [asked.tree(each.tree) for each in asked.history('HEAD')]
        for before, after in itertools.pairwise(trees):
            after.follow(before, {'a': 'M'})
        assert [tree._other is None for tree in trees] == [
            *[True] * (len(trees) - 2),
            False,
            False,
        ]
    finally:
        asked.close()


def test_trees_are_compared_while_others_are_judged(repo: Repo) -> None:
    for number in range(4):
        repo.commit({'a': f'{number}\n', f'{number}': ''})
    asked = Repository(os.environ, str(repo.path))
    try:
        commits = asked.history('HEAD')
        trees = [each.tree for each in commits]
        first, second, third = list(itertools.pairwise(trees))[-3:]
        plain = [asked.git.diff_trees(*pair) for pair in (first, second, third)]
        asked.announce(commits[-3:-1])
        # one that was not announced, then those that were, and one of them again
        assert asked.git.diff_trees(*third) == plain[2]
        assert asked.git.diff_trees(*first) == plain[0]
        asked.announce(commits[-2:])
        asked.announce(commits[-3:])
        found = [asked.git.diff_trees(*pair) for pair in (third, first, first)]
        assert found == [plain[2], plain[0], plain[0]]
    finally:
        asked.close()


@pytest.mark.parametrize('tells', (True, False), ids=['proc', 'elsewhere'])
def test_a_process_of_git_that_grew_is_replaced(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tells: bool
) -> None:
    for number in range(4):
        repo.commit({'a': f'{number}\n'})
    monkeypatch.setattr(batch, 'CHECKED', 1)
    monkeypatch.setattr(batch, 'MAX_MEMORY', 0)
    if not tells:
        monkeypatch.setattr(os, 'sysconf', lambda _: int('none'))
    asked = Repository(os.environ, str(repo.path))
    try:
        commits = list(asked.history('HEAD'))
        processes = set()
        for commit in commits:
            assert asked.tree(commit.tree).blob('a') is not None or not commit.parents
            for parent in commit.parents:
                before = asked.commit(parent)
                assert list(asked.git.diff_trees(before.tree, commit.tree)) == ['a']
            processes |= {asked.git.objects._process.pid, asked.git.differ._process.pid}
        assert len(processes) > 4
    finally:
        asked.close()
