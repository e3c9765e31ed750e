from __future__ import annotations

import pytest

from interlock.state.skills import instructions


@pytest.mark.parametrize(
    ('text', 'forbidden', 'required'),
    (
        pytest.param(
            '# Skill\n## Forbidden\n- direct edits\n* größere Sprünge\n'
            '## Required actions\n1. tests first\n## Other\n- nothing\n',
            ['direct edits', 'größere Sprünge'],
            ['tests first'],
            id='headings',
        ),
        pytest.param(
            '<FORBIDDEN>\nSome words.\n\n- a\n### Below\n- b\n</FORBIDDEN>\n'
            '- c\n<REQUIRED>\n- d\n</REQUIRED>\n',
            ['a', 'b'],
            ['d'],
            id='tags',
        ),
        pytest.param(
            '**FORBIDDEN:**\n- a\n\nREQUIRED patterns:\n- b\n\nProse.\n- c\n',
            ['a'],
            ['b'],
            id='labels',
        ),
        pytest.param(
            '## Forbidden\n```\n- in a fence\n```\n- a\n',
            ['a'],
            [],
            id='a fence is no list',
        ),
        pytest.param('Nothing is forbidden or required here.', [], [], id='prose'),
        pytest.param('', [], [], id='nothing'),
        pytest.param(
            '## Forbidden\n- a\n  goes on\n- b\n',
            ['a', 'b'],
            [],
            id='an item on two lines',
        ),
    ),
)
def test_what_a_skill_forbids_and_requires(
    text: str, forbidden: list[str], required: list[str]
) -> None:
    assert instructions(text) == {'forbidden': forbidden, 'required': required}


def test_no_skill_says_too_much() -> None:
    text = '## Forbidden\n' + f'- {"é" * 999}\n' * 99
    found = instructions(text)['forbidden']
    assert len(found) == 50
    assert {len(each) for each in found} == {300}
