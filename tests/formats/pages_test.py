from __future__ import annotations

import pytest
from docs.formats import FOLDER, LIMITS, examples, files, printed

from tests.formats.presets_test import FORMATS
from tests.formats.trees import compiled


def test_the_pages_are_up_to_date() -> None:
    made = files()
    stale = [
        name
        for name, text in made.items()
        if (FOLDER / name).read_text('UTF-8') != text
    ]
    assert stale == [], 'next: make docs'
    assert {path.name for path in FOLDER.iterdir()} == set(made)


def test_every_page_says_what_it_does_not_do() -> None:
    assert set(LIMITS) == set(FORMATS)


@pytest.mark.parametrize('name', FORMATS)
def test_the_examples_are_findings_with_a_next_step(name: str) -> None:
    for case in examples(name):
        text = printed(name, case)
        assert case.rule in text
        assert len(text.split('\n')) >= 3


@pytest.mark.parametrize('name', FORMATS)
def test_a_rule_is_switched_off_as_the_page_says(name: str) -> None:
    text = (FOLDER / f'{name}.md').read_text('UTF-8')
    blocks = [block for block in text.split('```') if block.startswith('yaml\n')]
    assert len(blocks) == 2
    for block in blocks:
        assert compiled(block.removeprefix('yaml\n')).recorded
