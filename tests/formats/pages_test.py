from __future__ import annotations

import pytest
from docs.formats import FOLDER, LIMITS, examples, files, printed

from tests.formats.presets_test import FORMATS
from tests.formats.trees import compiled, edited, rules


def test_the_pages_are_up_to_date() -> None:
    made = files()
    stale = [
        name
        for name, text in made.items()
        if (FOLDER / name).read_text('UTF-8') != text
    ]
    assert stale == [], 'next: make docs'
    assert {path.name for path in FOLDER.iterdir()} == {*made, 'your-own.md'}


def test_every_page_says_what_it_does_not_do() -> None:
    assert set(LIMITS) == set(FORMATS)


@pytest.mark.parametrize('name', FORMATS)
def test_the_examples_are_findings_with_a_next_step(name: str) -> None:
    for case in examples(name):
        text = printed(name, case)
        assert case.rule in text
        assert len(text.split('\n')) >= 3


def test_a_refusal_names_the_file_that_is_missing() -> None:
    summary = '.planning/phases/05-layer/05-02-SUMMARY.md is missing'
    assert summary in printed('gsd', examples('gsd')[0])


@pytest.mark.parametrize('name', FORMATS)
def test_a_rule_is_switched_off_as_the_page_says(name: str) -> None:
    text = (FOLDER / f'{name}.md').read_text('UTF-8')
    blocks = [block for block in text.split('```') if block.startswith('yaml\n')]
    assert len(blocks) == 2
    for block in blocks:
        assert compiled(block.removeprefix('yaml\n')).recorded


ADR = '# Use it\n\nStatus: {status}\n\n## Decision\n\n{text}\n'
TABLE = '| No | Status |\n|---|---|\n| 0007 | {status} |\n'
DECISION, LIST = 'docs/adr/0007-use.md', 'docs/adr/README.md'


@pytest.mark.parametrize(
    ('edits', 'expected'),
    (
        pytest.param({'README.md': 'x'}, set(), id='nothing'),
        pytest.param(
            {LIST: ('Accepted', 'Proposed')},
            {'row-and-file', 'accepted-and-listed'},
            id='the table',
        ),
        pytest.param(
            {'docs/adr/7-other.md': ADR.format(status='Accepted', text='x')},
            {'number-twice'},
            id='twice',
        ),
        pytest.param(
            {DECISION: ('so', 'not so')}, {'decision-rewritten'}, id='rewritten'
        ),
        pytest.param({DECISION: ('# Use', '# Do use')}, set(), id='another section'),
    ),
)
@pytest.mark.parametrize('page', ('configuration.md', 'formats/your-own.md'))
def test_a_format_of_ones_own_as_the_page_has_it(
    page: str, edits: dict[str, str | tuple[str, str]], expected: set[str]
) -> None:
    text = (
        (FOLDER.parent / page).read_text('UTF-8').partition('A format of your own')[2]
    )
    block = text.partition('```yaml\n')[2].partition('```')[0]
    assert len(block.splitlines()) <= 30
    base = {
        DECISION: ADR.format(status='Accepted', text='so'),
        LIST: TABLE.format(status='Accepted'),
    }
    assert rules(compiled(block), base, edited(base, edits)) == expected
