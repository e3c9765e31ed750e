from __future__ import annotations

import pytest

from interlock.commands.pushing import rewriting
from interlock.world.git import Commit


def _commit(name: str, *parents: str) -> Commit:
    return Commit(name * 40, '', parents, 'chore: é', 0)


ROOT = _commit('a')
FIRST = _commit('b', 'a' * 40)
SIDE = _commit('c', 'a' * 40)
MERGE = _commit('d', 'b' * 40, 'c' * 40)
LAST = _commit('e', 'd' * 40)


@pytest.mark.parametrize(
    'commits, guilty, expected',
    (
        pytest.param((ROOT, FIRST), '', '', id='nothing is refused'),
        pytest.param((), 'b', '', id='no commit'),
        pytest.param((FIRST,), 'z', '', id='of another push'),
        pytest.param(
            (ROOT, FIRST), 'b', 'git commit --all --amend', id='the last',
        ),
        pytest.param(
            (FIRST, SIDE), 'bc', 'git rebase -i bbbbbbbbbb^', id='both',
        ),
        pytest.param((ROOT, FIRST), 'a', 'git rebase -i --root', id='a root'),
        pytest.param(
            (FIRST, SIDE, MERGE, LAST), 'ce',
            'git rebase -i --rebase-merges cccccccccc^', id='before a merge',
        ),
        pytest.param(
            (FIRST, SIDE, MERGE, LAST), 'e', 'git commit --all --amend',
            id='behind a merge',
        ),
    ),
)
def test_it_begins_at_the_first_that_is_refused(
        commits: tuple[Commit, ...],
        guilty: str,
        expected: str,
) -> None:
    found = rewriting(commits, {each * 40 for each in guilty})
    assert (found.command if found else '') == expected
