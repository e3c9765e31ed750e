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
        pytest.param(
            fixes.say_why('Why'),
            'git log -1 --format=%B | git interpret-trailers --if-exists replace '
            "--trailer 'Why: WHY' | git commit --amend -F -",
            id='say why',
        ),
        pytest.param(fixes.SYNC, fixes.SYNC.command, id='sync'),
        pytest.param(fixes.edit('x.md', 3), '', id='edit'),
    ),
)
def test_a_remedy_is_another_one_where_the_change_is_a_commit(
    fix: Fix, expected: str
) -> None:
    found = fixes.in_history(fix, COMMIT)
    assert (found.label, found.command) == (fix.label, expected)
    assert fixes.in_history(fix, '') == fix


def test_what_only_a_person_can_decide_is_said_in_words() -> None:
    fix = fixes.edit('a b.md', 3, 'name the owner')
    assert fix.said == fix.step == "name the owner by hand: 'a b.md':3"
    fix = fixes.reword('another subject')
    assert fix.said == 'commit again with another subject'
    amended = fixes.in_history(fix, COMMIT)
    assert amended.said == 'amend the commit with another subject'


@pytest.mark.parametrize(
    ('fix', 'expected'),
    (
        pytest.param(fixes.edit('a b.md', 3), "'../a b.md':3", id='by hand'),
        pytest.param(fixes.edit('docs/a.md', 3), ': a.md:3', id='in that folder'),
        pytest.param(fixes.restore('a.md'), ' -- ../a.md', id='a command'),
        pytest.param(fixes.reword('a subject'), ' a subject', id='without files'),
    ),
)
def test_files_are_named_as_a_user_in_a_folder_names_them(
    fix: Fix, expected: str
) -> None:
    seen = fixes.seen_from(fix, 'docs')
    assert seen.step.endswith(expected)
    assert bool(seen.command) == bool(fix.command)
    assert fixes.seen_from(fix, '') == fix


def test_words_that_only_the_user_knows_stand_in_quotes() -> None:
    assert fixes.ours('x', fixes.WHY) == "interlock x 'WHY'"
