from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from interlock.model.finding import Fix
from interlock.report.html_board import (
    BoardLine,
    Holder,
    Move,
    Page,
    Series,
    Wait,
    render_page,
)
from interlock.rules.index import RULES
from interlock.rules.new_finding import Location

REG001 = RULES['REG001']
EVIL = '<script>alert("ö")</script>\udcff'
PAGE = Page(
    title='Interlock: prüfen',
    facts=('3 commits', '1 of them would be refused'),
    board=[
        BoardLine('Bravo', 'plugin', 'Stage 2', '', '2026-01-03', 2, 1, 2),
        BoardLine('Charlie', 'plugin', 'Installed', '', '', None, 0, 0),
    ],
    moves=[
        Move('2026-01-02', 'Bravo', 'Stage 0', 'abc feat'),
        Move('2026-01-03', 'Bravo', 'Stage 2', 'def feat'),
    ],
    steps=[('2026-01-02', 'Bravo', 'Stage 0'), ('2026-01-03', 'Bravo', 'Stage 2')],
    states=['Stage 0', 'Stage 2', 'Installed'],
    periods=('2026-01-02', '2026-01-03'),
    series=[Series('REG001', 'REG001', (0, 4))],
    findings=[
        Location('Bravo', 'PLUGINS.md', 7).finding(
            'REG001', 'row `**a**`', fix=Fix('sync it', 'fix it')
        )
    ],
    locks=[Holder('fix-x', 'SYNTHESIS', 'a session')],
    waits=[Wait('fix-x', 'plan', '03:04', 'interlock approve fix-x')],
)
EMPTY = Page('leer', (), (), (), (), (), (), (), ())


class Reader(HTMLParser):
    """What a reader sees, and what a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ''
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.inside = ''

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.inside = tag
        for name, value in attrs:
            if name in {'src', 'href', 'srcset', 'action', 'data'}:
                self.fetched.append(value or '')

    def handle_data(self, data: str) -> None:
        if self.inside not in {'style', 'script'}:
            self.text += data


def read(page: Page) -> Reader:
    reader = Reader()
    reader.feed(render_page(page))
    return reader


def test_a_page_shows_everything() -> None:
    text = ' '.join(read(PAGE).text.split())
    for part in (
        'Interlock: prüfen',
        '3 commits · 1 of them would be refused',
        'Stage 2 1',
        'Bravo2 days ago1 error2 warnings',
        'Installed 1',
        'Stage 0 2026-01-02',
        'Stage 2 2026-01-03',
        f'REG001 {REG001.title}',
        '·',
        '44',
        'Bravo: row aPLUGINS.md:7sync itfix it',
        f'REG001 {REG001.title}{REG001.why}{REG001.fix}',
        'fix-x SYNTHESIS held by a session',
        'fix-x: the plan since 03:04interlock approve fix-xcopy',
    ):
        assert part in text


def test_what_somebody_has_to_do_stands_before_the_rest() -> None:
    text = read(PAGE).text
    order = ('Wrong now', 'Waiting for a person', 'Items by state', 'Locks')
    places = [text.index(title) for title in order]
    assert places == sorted(places)


def test_a_page_without_anything_says_so() -> None:
    text = read(EMPTY).text
    for part in (
        'no items',
        'no findings',
        'no lock is held',
        'nothing is waiting',
        'no steps',
        'no rule was ever broken',
    ):
        assert part in text


def test_a_page_needs_no_network() -> None:
    assert {each[:1] for each in read(PAGE).fetched} == {'#'}
    text = render_page(PAGE)
    assert not re.search(r'https?:|url\(|@import|<script src|<link', text)


@pytest.mark.parametrize(
    'page',
    (
        pytest.param(PAGE._replace(title=EVIL), id='title'),
        pytest.param(PAGE._replace(facts=(EVIL,)), id='facts'),
        pytest.param(
            PAGE._replace(board=[BoardLine(EVIL, EVIL, EVIL, EVIL, EVIL, -1, 0, 0)]),
            id='board',
        ),
        pytest.param(
            PAGE._replace(moves=[Move(EVIL, EVIL, EVIL, EVIL)], steps=[(EVIL,) * 3]),
            id='moves',
        ),
        pytest.param(
            PAGE._replace(periods=(EVIL,), series=[Series(EVIL, 'REG001', (1,))]),
            id='series',
        ),
        pytest.param(
            PAGE._replace(
                findings=[
                    Location(EVIL, EVIL).finding('REG001', EVIL, fix=Fix(EVIL, EVIL))
                ]
            ),
            id='findings',
        ),
        pytest.param(PAGE._replace(locks=[Holder(EVIL, EVIL, EVIL)]), id='locks'),
        pytest.param(PAGE._replace(waits=[Wait(EVIL, EVIL, EVIL, EVIL)]), id='waits'),
    ),
)
def test_no_value_becomes_part_of_the_page(page: Page) -> None:
    reader = read(page)
    # but for our own
    assert reader.tags.count('script') == 1
    assert '<script>alert("ö")</script>\\udcff' in reader.text
    render_page(page).encode()
