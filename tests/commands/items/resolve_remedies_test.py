"""Every shipped remedy fixes a finding that it is offered for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.workflow.language.menus_test import REMEDIES, SHIPPED

BRAVO = samples.handoff_path('Bravo')
CHARLIE = samples.handoff_path('Charlie')
IDEAS = 'plugins/Bravo/.ideas'
ARCHITECTURE = f'{IDEAS}/architecture.md'
OLDER = f'{IDEAS}/.continue-here.md'
DRAFT = {**samples.checksums('Bravo'), 'plan': 'sha256:pending'}
Files = Mapping[str, str | bytes | None]


def registry(status: str = 'Stage 2', day: str = '', **rows: str) -> str:
    text = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'}, rows
    )
    old = samples.row('Bravo', status)
    return text.replace(old, samples.row('Bravo', status, day or '2026-01-02'))


def handoff(**fields: Any) -> str:
    return samples.handoff('Bravo', **fields)


CASES: dict[tuple[str, str], tuple[str, Files, tuple[str, ...]]] = {
    ('registry-drift', '1'): ('REG001', {'PLUGINS.md': registry(Bravo='Stage 1')}, ()),
    ('registry-drift', 'fix'): (
        'REG004',
        {'PLUGINS.md': registry(day='2026-01-01')},
        (),
    ),
    ('contract-drift', '1'): ('CON001', {ARCHITECTURE: 'autre\n'}, ()),
    ('contract-drift', 'restore'): ('CON002', {ARCHITECTURE: None}, ()),
    ('contract-drift', '2'): (
        'CON001',
        {ARCHITECTURE: 'autre\n'},
        ('--text', 'le client'),
    ),
    ('seal', '1'): ('CON004', {BRAVO: handoff(sums={})}, ()),
    ('stages-differ', '1'): ('REG010', {'PLUGINS.md': registry('Stage 1')}, ()),
    ('stages-differ', '2'): ('REG010', {BRAVO: samples.handoff('Bravo', '1')}, ()),
    ('stages-differ', 'delete'): ('REG010', {'PLUGINS.md': registry('Ideated')}, ()),
    ('stages-differ', 'restore'): (
        'REG010',
        {BRAVO: samples.handoff('Bravo', '3')},
        (),
    ),
    ('not-registered', '1'): (
        'REG014',
        {
            samples.handoff_path('Délay'): samples.handoff(
                'Délay', 'ideation', status='', sums={}
            )
        },
        ('--text', 'Synth'),
    ),
    ('broken-handoff', '1'): ('HND001', {BRAVO: '# rien\n'}, ()),
    ('broken-handoff', 'restore'): ('HND002', {BRAVO: '---\n{: ]\n---\n'}, ()),
    ('broken-handoff', '2'): ('HND001', {BRAVO: '# rien\n'}, ()),
    ('old-handoff', '1'): ('HND010', {BRAVO: handoff(phased_implementation='')}, ()),
    ('stale-handoff', '1'): ('HND005', {CHARLIE: samples.handoff('Charlie', '6')}, ()),
    ('misplaced-handoff', '1'): (
        'HND007',
        {BRAVO: None, OLDER: samples.handoff('Bravo')},
        (),
    ),
    ('misplaced-handoff', '2'): (
        'HND007',
        {BRAVO: None, OLDER: samples.handoff('Bravo')},
        (),
    ),
    # both files exist
    ('leftover-handoff', '1'): ('HND007', {OLDER: samples.handoff('Bravo', '1')}, ()),
    # there is only the older one, and nothing to hand over
    ('leftover-handoff', 'delete'): (
        'HND007',
        {
            BRAVO: None,
            OLDER: samples.handoff('Bravo', '5'),
            'PLUGINS.md': registry('Installed'),
        },
        (),
    ),
    ('by-hand', 'restore'): (
        'REG005',
        {'PLUGINS.md': registry().replace('Stage 2', 'Staeg 2')},
        (),
    ),
}


@pytest.mark.parametrize(
    ('menu', 'choice'), CASES, ids=[' '.join(case) for case in CASES]
)
def test_a_remedy_fixes_what_it_is_offered_for(
    project: Repo, interlock: Interlock, menu: str, choice: str
) -> None:
    code, files, more = CASES[menu, choice]
    assert menu in {
        line.menu for line in SHIPPED.remedies.get(code, SHIPPED.remedies['default'])
    }
    project.write(files)
    if code == 'HND007':
        # git moves and removes only what it knows
        project.git('add', '-A')
    result = interlock('resolve', '--finding', code, '--choose', choice, *more)
    assert ': gone\n' in result.out, result.err
    assert result.code == 0
    left = interlock.check('--worktree', '--inherited').codes
    assert code not in left


def test_every_remedy_that_runs_and_ends_a_menu_is_tried() -> None:
    tried = {
        (menu, option.label)
        for (menu, choice) in CASES
        for number, option in enumerate(SHIPPED.menus[menu].options, 1)
        if choice in {str(number), *option.keywords}
    }
    for name in REMEDIES:
        for option in SHIPPED.menus[name].options:
            if option.run and option.kind == 'directive':
                assert (name, option.label) in tried
