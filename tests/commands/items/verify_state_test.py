from __future__ import annotations

import pytest

from tests import samples
from tests.conftest import Interlock, Repo

BRAVO = samples.handoff_path('Bravo')


def _registry(status: str) -> str:
    return samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'}
    )


@pytest.mark.parametrize(
    ('item', 'files', 'code', 'said'),
    (
        pytest.param('Bravo', {}, 0, 'the records are sound', id='fine'),
        pytest.param('Alpha', {}, 1, 'has no handoff', id='none yet'),
        pytest.param('Charlie', {}, 1, 'has no handoff', id='deleted'),
        pytest.param(
            'Charlie',
            {
                'plugins/Charlie/.ideas/.continue-here.md': samples.handoff(
                    'Charlie', '6'
                )
            },
            1,
            'has no handoff',
            id='a leftover is none',
        ),
        pytest.param(
            'Bravo',
            {BRAVO: samples.handoff('Bravo', '3')},
            2,
            'REG010',
            id='other stage',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Working')},
            2,
            'REG010',
            id='lower than Working',
        ),
        pytest.param('Bravo', {BRAVO: '# nothing\n'}, 2, 'HND001', id='no frontmatter'),
        pytest.param(
            'Bravo',
            {'plugins/Bravo/.ideas/architecture.md': 'autre chose\n'},
            3,
            'CON001',
            id='contract drift',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Installed')},
            4,
            'is stale',
            id='installed, before the stage is compared',
        ),
        pytest.param(
            'Bravo',
            {
                'PLUGINS.md': _registry('Working'),
                BRAVO: samples.handoff('Bravo', '6', status='workflow_complete'),
            },
            4,
            'is stale',
            id='working and said to be complete',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Working'), BRAVO: samples.handoff('Bravo', '6')},
            0,
            'the records are sound',
            id='working and kept',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Working'), BRAVO: samples.handoff('Bravo', '5')},
            0,
            'the records are sound',
            id='working, at a stage that agrees',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Working'), BRAVO: samples.handoff('Bravo', '4')},
            2,
            'REG010',
            id='working, one stage short of it',
        ),
    ),
)
def test_the_exit_code_says_what_is_wrong(
    project: Repo,
    interlock: Interlock,
    item: str,
    files: dict[str, str],
    code: int,
    said: str,
) -> None:
    project.write(files)
    result = interlock('verify-state', item)
    assert (result.code, said in result.out) == (code, True), result.out


def test_a_stale_handoff_is_deleted_only_when_asked(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'PLUGINS.md': _registry('Installed')})
    assert interlock('verify-state', 'Bravo').code == 4
    assert (project.path / BRAVO).exists()
    assert interlock('verify-state', 'Bravo', '--clean').code == 4
    assert not (project.path / BRAVO).exists()
    assert interlock('verify-state', 'Bravo').code == 1


def test_rows_that_disagree_are_a_mismatch(project: Repo, interlock: Interlock) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.write({'PLUGINS.md': samples.registry(statuses, rows={'Bravo': 'Stage 1'})})
    result = interlock('verify-state', 'Bravo')
    assert result.code == 2
    assert 'REG001' in result.out


def test_a_finished_handoff_at_working_is_reported_and_refuses_nothing(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(
        {'PLUGINS.md': _registry('Stage 4'), BRAVO: samples.handoff('Bravo', '4')}
    )
    project.stage(
        {
            'PLUGINS.md': _registry('Working'),
            BRAVO: samples.handoff('Bravo', '5', status='workflow_complete'),
        }
    )
    assert interlock('verify-state', 'Bravo').code == 4
    result = interlock.check('--staged')
    assert (result.codes, result.code) == (['HND009'], 0)
