from __future__ import annotations

from pathlib import Path

import pytest
from docs.pages import PAGES, SOURCES, files, rules
from docs.rule_source import read_rule

import interlock
from interlock.model.errors import Unreadable
from interlock.model.finding import Rule
from interlock.rules.index import RULES

TOP = Path(str(interlock.__file__)).parents[2]
GOOD = """\
---
code: REG001
check: registry
severity: error
title: "é: a title"
since: 0.10.0
---

## Why

One line,
and `another`.

## How to fix

Do it.
"""


def test_a_rule_is_read_from_its_file() -> None:
    assert read_rule(GOOD, 'REG001') == Rule(
        'REG001',
        'registry',
        'error',
        'é: a title',
        '0.10.0',
        'One line, and `another`.',
        'Do it.',
    )


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    (
        pytest.param('---\ncode', 'code', 'does not start', id='no fence'),
        pytest.param('---\ncode', '\ufeff---\ncode', 'does not start', id='BOM'),
        pytest.param('---\ncode', 'é\n---\ncode', 'does not start', id='prose'),
        pytest.param('---\n\n##', '\n##', '(none)', id='never closed'),
        pytest.param('check: registry\n', '', 'has the fields', id='a key less'),
        pytest.param('check:', 'é: x\ncheck:', 'has the fields', id='a key more'),
        pytest.param('check:', 'code: REG001\ncheck:', 'twice', id='duplicate'),
        pytest.param('registry', '[registry]', 'texts', id='list'),
        pytest.param('registry', '', 'texts', id='nothing'),
        pytest.param('0.10.0', '0.10', 'texts', id='number'),
        pytest.param('0.10.0', 'soon', 'a release', id='no release'),
        pytest.param('REG001', 'REG002', 'expected `REG001`', id='another code'),
        pytest.param('code:', 'canary: {é: x}\ncode:', '`canary`', id='planting'),
        pytest.param('error', 'fatal', 'severity `fatal`', id='severity'),
        pytest.param('## Why\n\n', '', 'consist of', id='no reason'),
        pytest.param('## How to fix\n\nDo it.\n', '', 'consist of', id='no fix'),
        pytest.param('\n\nDo it.', '', 'consist of', id='empty fix'),
        pytest.param('it.', 'it.\n\nOr so.', 'paragraph', id='two paragraphs'),
        pytest.param('it.', 'it.\n\n## More\n\nEh.', 'paragraph', id='section'),
    ),
)
def test_a_file_that_is_not_a_rule_is_refused(old: str, new: str, message: str) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(Unreadable) as e:
        read_rule(text, 'REG001')
    assert message in e.value.message


def test_an_unknown_prefix_is_refused() -> None:
    with pytest.raises(Unreadable):
        read_rule(GOOD.replace('REG001', 'XYZ001'), 'XYZ001')


def test_the_index_says_what_the_files_say() -> None:
    assert list(RULES.items()) == [(rule.code, rule) for rule in rules()]


def test_what_is_generated_from_the_rules_is_up_to_date() -> None:
    made = files()
    stale = [
        name
        for name, text in made.items()
        if (TOP / name).read_text(encoding='UTF-8') != text
    ]
    assert stale == [], 'next: make docs'


def test_every_file_is_a_rule_and_every_page_has_one() -> None:
    codes = {f'{code}.md' for code in RULES}
    assert {path.name for path in SOURCES.glob('*.md')} == codes
    assert {path.name for path in (TOP / PAGES).iterdir()} == codes
