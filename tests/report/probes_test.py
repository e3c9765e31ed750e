from __future__ import annotations

import pytest

from interlock.report.probes import render_probes


@pytest.mark.parametrize(
    ('left_out', 'lines'),
    (
        pytest.param({}, ['interlock: 0 live, 0 dead, 0 not wired'], id='no'),
        pytest.param(
            {'REG001': 'déjà'},
            [
                'left out: 1 rule: déjà',
                'interlock: 0 live, 0 dead, 0 not wired; 1 rule left out',
            ],
            id='one',
        ),
        pytest.param(
            {'REG001': 'déjà', 'REG002': 'déjà', 'REG003': 'rien'},
            [
                'left out: 2 rules: déjà',
                'left out: 1 rule: rien',
                'interlock: 0 live, 0 dead, 0 not wired; 3 rules left out',
            ],
            id='some',
        ),
    ),
)
def test_what_is_left_out_is_counted_in_words(
    left_out: dict[str, str], lines: list[str]
) -> None:
    assert render_probes((), left_out).split('\n') == lines
