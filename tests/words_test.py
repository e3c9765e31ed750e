"""Every text that people and agents read, in plain English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.texts import Text, texts

TOP = Path(__file__).parent.parent
PACKAGE = TOP / 'hooks/interlock'

# how nobody says it
ODD = {
    ' is no ': r'(?<![Tt]here )\bis no (?!longer|more|other|one\b)',
    'nobody can say': r'\bnobody (?:can say|knows)\b',
    'wants not': r'\bwants not\b',
    'as it should be': r'\bas it should be\b',
    'comes to have': r'\bcomes to have\b',
    'is said to': r'\bis said to\b',
    'mend': r'\bmend(?:s|ed|ing)?\b',
    'whoever': r'\b[Ww]hoever\b',
    'any more': r'\b(?:not|none)\b.* any more\b',
}


@pytest.fixture(scope='module')
def listed() -> list[Text]:
    return list(texts())


@pytest.mark.parametrize(
    ('path', 'text'),
    [
        ('checks/handoff.py', '`{...}` is missing'),
        ('commands/everyday/check.py', 'Judge one commit.'),
        ('rules/REG001.md', '## Why'),
        ('schemas/menus.schema.json', 'The menus by name.'),
        ('workflow/presets/task-protocol.yaml', 'compilation errors'),
    ],
)
def test_every_kind_of_text_is_listed(listed: list[Text], path: str, text: str) -> None:
    assert any(each.path == path and text in each.text for each in listed)


def test_what_only_the_code_says_is_not_listed(listed: list[Text]) -> None:
    assert not any(each.text == __doc__ for each in listed)
    assert not any('ls-files -z' in each.text for each in listed)


@pytest.mark.parametrize('phrase', ODD)
def test_nothing_reads_translated(listed: list[Text], phrase: str) -> None:
    found = re.compile(ODD[phrase])
    odd = [each for each in listed if found.search(each.text)]
    assert odd == []


def test_texts_speak_of_interlock_and_not_of_us(listed: list[Text]) -> None:
    found = re.compile(r'\b(?:[Ww]e|[Oo]urs?|us)\b')
    # a strategy of `git merge`
    odd = [each for each in listed if found.search(each.text.replace('-s ours', ''))]
    assert odd == []


def test_pages_and_comments_do_not_read_translated_either() -> None:
    any_of = re.compile('|'.join(ODD.values()))
    pages = (*TOP.glob('*.md'), *TOP.glob('docs/*.md'), *TOP.glob('commands/*.md'))
    odd = [
        f'{path.relative_to(TOP)}: {line.strip()}'
        for path in (*pages, *PACKAGE.rglob('*.py'), *PACKAGE.rglob('*.md'))
        for line in path.read_text(encoding='UTF-8').splitlines()
        if any_of.search(line)
    ]
    assert odd == []


def test_names_of_tests_do_not_read_translated_either() -> None:
    any_of = re.compile('|'.join(ODD.values()))
    odd = [
        f'{path.relative_to(TOP)}: {name}'
        for path in TOP.glob('tests/**/*_test.py')
        for name in re.findall(r'^ *def (test_\w+)', path.read_text('UTF-8'), re.M)
        if any_of.search(name.replace('_', ' '))
    ]
    assert odd == []
