from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from interlock.report.html_board import MOST, counts, graph
from tests.conftest import Interlock, Repo

STEPS = [
    ('2026-01-01', 'Écho', 'Planned'),
    ('2026-01-01', 'Zoé', 'Planned'),
    ('2026-01-03', 'Écho', 'Done'),
]


def test_an_item_is_counted_where_it_was_last() -> None:
    assert counts(STEPS) == [
        ('2026-01-01', {'Planned': 2}),
        ('2026-01-03', {'Planned': 1, 'Done': 1}),
    ]


def test_a_long_history_keeps_its_last_day() -> None:
    steps = [(f'{1000 + n}-01-01', f'item {n}', 'Done') for n in range(500)]
    found = counts(steps)
    assert len(found) <= MOST
    assert found[-1] == ('1499-01-01', {'Done': 500})


def test_each_state_has_a_bar_and_a_name() -> None:
    text = ''.join(graph(STEPS, ['Planned']))
    picture, _, legend = text.partition('</svg>')
    root = ElementTree.fromstring(f'{picture}</svg>')
    titles = [title.text for title in root.iter('title')]
    assert titles == [
        '2026-01-01: 2 Planned',
        '2026-01-03: 1 Planned',
        '2026-01-03: 1 Done',
    ]
    assert legend.index('Planned') < legend.index('Done')
    assert '<span>2026-01-01</span><span>2026-01-03: 2 items</span>' in legend


def test_no_step_no_picture() -> None:
    assert list(graph([], ['Planned'])) == []


def test_an_item_that_left_is_counted_no_more() -> None:
    steps = [*STEPS, ('2026-01-04', 'Écho', ''), ('2026-01-05', 'Zoé', '')]
    assert [sum(number.values()) for _, number in counts(steps)] == [2, 2, 1, 0]
    text = ''.join(graph(steps[3:], ['Idea', 'Planned']))
    assert '2026-01-05: 0 items' in text
    # of states in order, those that were reached
    text = ''.join(graph(steps, ['Idea', 'Done', 'Planned']))
    assert text.index('</i>Done') < text.index('</i>Planned')
    assert 'Idea' not in text


def test_many_items_are_counted_in_a_moment() -> None:
    steps = [('2026-01-01', f'item {n}', 'Done') for n in range(100_000)]
    assert counts(steps) == [('2026-01-01', {'Done': 100_000})]


def test_time_does_not_run_back() -> None:
    steps = [
        ('2026-01-05', 'Old', ''),
        ('2026-01-05', 'New', 'Planned'),
        ('2026-01-03', 'New', 'Done'),
    ]
    assert counts(steps) == [('2026-01-05', {'Done': 1})]


TABLE = '| Task | State |\n|---|---|\n| Cart | Done |\n| {} | {} |\n'


@pytest.mark.parametrize('first', ('main', 'side'))
def test_an_item_that_was_renamed_on_a_branch_is_counted_once(
    repo: Repo, interlock: Interlock, first: str
) -> None:
    """It moved under its old name meanwhile, on the other side."""
    repo.commit({'tasks.md': TABLE.format('Pay', 'Planned')})
    assert interlock('init').code == 0
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    repo.git('switch', '-qc', 'side')
    repo.commit({'tasks.md': TABLE.format('Pay by card', 'Planned')})
    repo.git('switch', '-q', 'main')
    repo.commit({'tasks.md': TABLE.format('Pay', 'Done')})
    repo.git('switch', '-q', first)
    other = 'side' if first == 'main' else 'main'
    repo.git('merge', '-q', '-s', 'ours', '--no-commit', other)
    repo.commit({'tasks.md': TABLE.format('Pay by card', 'Done')}, 'Merge')
    interlock('audit', '--html', 'board.html')
    page = (repo.path / 'board.html').read_text()
    assert ': 2 items</span>' in page
    assert ': 2 Done</title>' in page


@pytest.mark.parametrize(
    ('first', 'second', 'said'),
    (
        pytest.param(
            TABLE.format('Fax', 'Planned'),
            TABLE.format('Mail', 'Planned'),
            {'Cart': ['Done'], 'Mail': ['Planned', 'Planned, renamed from Fax']},
            id='renamed',
        ),
        pytest.param(
            TABLE.format('Fax', 'Planned'),
            TABLE.format('Mail', 'Done'),
            {'Cart': ['Done'], 'Fax': ['Planned', 'left'], 'Mail': ['Done']},
            id='another item',
        ),
        pytest.param(
            TABLE.format('Fax', 'Planned'),
            TABLE.format('Fax', 'Done'),
            {'Cart': ['Done'], 'Fax': ['Planned', 'Done']},
            id='a step',
        ),
    ),
)
def test_an_item_keeps_its_steps_when_it_is_renamed(
    repo: Repo,
    interlock: Interlock,
    first: str,
    second: str,
    said: dict[str, list[str]],
) -> None:
    repo.commit({'tasks.md': first})
    assert interlock('init').code == 0
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    repo.commit({'tasks.md': second})
    interlock('audit', '--html', 'board.html')
    page = (repo.path / 'board.html').read_text()
    table = page.partition('<h2>Steps of each item</h2>')[2].partition('</table>')[0]
    rows = re.findall('<th>(.*?)</th><td>(.*?)</td>', table)
    assert {
        item: re.findall('title="[^"]*">(.*?) <span', steps) for item, steps in rows
    } == said
    assert ': 2 items</span>' in page
