from __future__ import annotations

import pytest

from interlock.model import fixes
from interlock.model.finding import Fix

COMMIT = '0123456789abcdef'


@pytest.mark.parametrize(
    ('fix', 'expected'),
    (
        pytest.param(
            fixes.restore('x y.md'),
            "git checkout 0123456789^ -- 'x y.md'",
            id='restore',
        ),
        pytest.param(fixes.review('é.md'), 'git show 0123456789 -- é.md', id='review'),
        pytest.param(fixes.REWORD, 'git commit --amend', id='reword'),
        pytest.param(fixes.SYNC, fixes.SYNC.command, id='sync'),
        pytest.param(fixes.edit('x.md', 3), '${EDITOR:-vi} +3 x.md', id='edit'),
    ),
)
def test_a_remedy_is_another_one_where_the_change_is_a_commit(
    fix: Fix, expected: str
) -> None:
    found = fixes.in_history(fix, COMMIT)
    assert (found.label, found.command) == (fix.label, expected)
    assert fixes.in_history(fix, '') == fix


def test_no_agent_is_sent_to_an_editor() -> None:
    for fix in (fixes.REWORD, fixes.edit('a b.md', 3)):
        command = fixes.for_agent(fix).command
        assert fixes.EDITOR not in command
        assert ' -e' not in command
    fix = fixes.restore('a.md')
    assert fixes.for_agent(fix) == fix
