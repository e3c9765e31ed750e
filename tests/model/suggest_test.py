from __future__ import annotations

import pytest

from interlock.model.fixes import did_you_mean, nearest

WORDS = ('Stage 3', 'Working', 'Installed', 'Été')


@pytest.mark.parametrize(
    ('word', 'expected'),
    [
        pytest.param('Stage3', 'Stage 3', id='a space'),
        pytest.param('wroking', 'Working', id='two letters swapped'),
        pytest.param('INSTALLED', 'Installed', id='case'),
        pytest.param('ete', '', id='accents count'),
        pytest.param('été', 'Été', id='case of an accent'),
        pytest.param('nichts', '', id='nothing near'),
        pytest.param('', '', id='no word'),
    ],
)
def test_the_nearest_word_is_found_without_case(word: str, expected: str) -> None:
    assert nearest(word, WORDS) == expected
    hint = f'; did you mean `{expected}`?' if expected else ''
    assert did_you_mean(word, iter(WORDS)) == hint


@pytest.mark.parametrize(
    ('word', 'expected'),
    (
        pytest.param('search', '; did you mean `Search, all filters`?', id='one'),
        pytest.param('stage', '; did you mean `Stage 3`?', id='the nearest'),
        pytest.param('imp', '', id='two'),
        pytest.param('se', '', id='too short'),
    ),
)
def test_a_beginning_is_completed(word: str, expected: str) -> None:
    words = ('Search, all filters', 'Stage 3', 'Import/Export', 'Improve the checkout')
    assert did_you_mean(word, words) == expected


def test_how_near_a_word_must_be_can_be_chosen() -> None:
    assert nearest('Stag', ['Stage 3'], 0.7) == 'Stage 3'
    assert nearest('Stag', ['Stage 3'], 0.8) == ''


def test_of_no_words_none_is_near() -> None:
    assert nearest('x', ()) == ''
