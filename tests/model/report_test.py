from __future__ import annotations

import pytest

from interlock.model.report import Report, counts, plural, sentence
from interlock.report.text import FORMATS, render
from tests.report.findings import ALL, ERROR, INFO, WARNING


@pytest.mark.parametrize(
    ('report', 'refuses'),
    (
        pytest.param(Report(()), False, id='nothing'),
        pytest.param(Report((ERROR,)), True, id='error'),
        pytest.param(
            Report((ERROR._replace(introduced=False),)), False, id='inherited error'
        ),
        pytest.param(
            Report((WARNING._replace(introduced=True), INFO)), False, id='milder ones'
        ),
        pytest.param(ALL, True, id='all'),
        pytest.param(Report((), (INFO,) * 3, ('x',), 1), False, id='suppressed'),
    ),
)
def test_an_introduced_error_refuses(report: Report, refuses: bool) -> None:
    assert report.refuses is refuses


def test_everything_is_counted() -> None:
    report = ALL._replace(excused=(INFO,) * 4, stale=('x', 'y'), commits=5)
    assert counts(report) == {
        'errors': 1,
        'warnings': 1,
        'infos': 1,
        'introduced': 2,
        'inherited': 1,
        'suppressed': 4,
        'stale': 2,
        'commits': 5,
    }


@pytest.mark.parametrize(
    ('report', 'expected'),
    (
        pytest.param(Report(()), 'nothing to refuse', id='nothing'),
        pytest.param(Report((ERROR,)), '1 error', id='one'),
        pytest.param(Report((ERROR, ERROR, INFO)), '2 errors, 1 info', id='two'),
        pytest.param(ALL, '1 error, 1 warning, 1 info; 1 inherited', id='inherited'),
        pytest.param(
            Report((), (INFO,) * 3),
            'nothing to refuse; 3 suppressed by the baseline',
            id='suppressed alone',
        ),
        pytest.param(
            Report((INFO,), (INFO,) * 3),
            '1 info; 3 suppressed by the baseline',
            id='suppressed',
        ),
        pytest.param(
            Report((), (), ('x',)),
            'nothing to refuse; 1 entry of the baseline no longer occurs '
            '(interlock audit --write-baseline)',
            id='one stale',
        ),
        pytest.param(
            Report((WARNING,), (INFO,), ('x', 'y')),
            '1 warning; 1 inherited; 1 suppressed by the baseline; '
            '2 entries of the baseline no longer occur '
            '(interlock audit --write-baseline)',
            id='everything',
        ),
    ),
)
def test_the_sentence_says_it_all(report: Report, expected: str) -> None:
    assert sentence(report) == expected


@pytest.mark.parametrize(
    ('number', 'word', 'expected'),
    (
        (0, 'error', '0 errors'),
        (1, 'error', '1 error'),
        (2, 'entry', '2 entries'),
        (1, 'entry', '1 entry'),
    ),
)
def test_numbers_have_their_word(number: int, word: str, expected: str) -> None:
    assert plural(number, word) == expected


@pytest.mark.parametrize('form', FORMATS)
@pytest.mark.parametrize('findings', ((), (ERROR,), (INFO,)))
@pytest.mark.parametrize('verbosity', (-1, 0, 1))
def test_every_format_names_what_is_suppressed(
    form: str, findings: tuple[()], verbosity: int
) -> None:
    report = Report(findings, excused=(INFO,) * 4711)
    text = render(report, form, verbosity=verbosity)
    assert '4711' in text
    assert 'suppressed' in text


@pytest.mark.parametrize('form', ('text', 'agent'))
def test_where_there_is_nothing_to_say_nothing_is_said(form: str) -> None:
    assert render(Report(()), form) == ''
