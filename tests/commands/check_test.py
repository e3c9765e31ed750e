from __future__ import annotations

from tests import samples
from tests.conftest import Interlock
from tests.conftest import Repo


def test_a_good_stage_commit_passes(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.stage({
        'PLUGINS.md': samples.registry({
            'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed',
        }),
        samples.handoff_path('Bravo'): samples.handoff('Bravo', '3'),
        'plugins/Bravo/Source/Main.cpp': '// 2\n',
    })
    message = project.path / 'message'
    message.write_text('feat(Bravo): Stage 3 - moteur audio\n')
    result = interlock.check('--staged', '--message', str(message))
    assert result.codes == []
    assert result.code == 0


def test_a_row_behind_its_entry_is_refused(
        project: Repo,
        interlock: Interlock,
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({
        'PLUGINS.md': samples.registry(statuses, rows={'Alpha': 'Stage 0'}),
    })
    result = interlock.check('--staged')
    assert result.codes == ['REG001']
    assert result.code == 1
