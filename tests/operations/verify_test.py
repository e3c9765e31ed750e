from __future__ import annotations

import pytest

from interlock.model.state import State
from interlock.operations.verify import mentions
from tests.checks.trees import workflow

KIND = workflow().kinds[0]
STAGE = State('Stage 3')
PHASE = State('Stage 3', 1)


@pytest.mark.parametrize(
    ('text', 'state', 'expected'),
    [
        pytest.param('- **Stage 3:** oui', STAGE, True, id='stage'),
        pytest.param('(stage 3)', STAGE, True, id='without case'),
        pytest.param('Processing Audio complete', STAGE, True, id='alias'),
        pytest.param('Stage 3.', STAGE, True, id='end of a sentence'),
        pytest.param('audio engine working', STAGE, True, id='subject form'),
        pytest.param('- **Stage 3.1:** oui', STAGE, False, id='its phase'),
        pytest.param('Stage 30', STAGE, False, id='longer number'),
        pytest.param('Stage 13', STAGE, False, id='other number'),
        pytest.param('Backstage 3', STAGE, False, id='inside of a word'),
        pytest.param('', STAGE, False, id='nothing'),
        pytest.param('- **Stage 3.1:** oui', PHASE, True, id='phase'),
        pytest.param('Phase 3.1 complete', PHASE, True, id='phase word'),
        pytest.param('Stage 3 Phase 3.1', PHASE, True, id='both words'),
        pytest.param('Processing Audio.1', PHASE, True, id='alias, phase'),
        pytest.param('Stage 3', PHASE, False, id='stage of a phase'),
        pytest.param('Stage 3.10', PHASE, False, id='3.10'),
        pytest.param('Phase 4.1', PHASE, False, id='phase of another'),
        pytest.param('audio engine working', PHASE, False, id='stage form'),
    ],
)
def test_a_line_speaks_of_a_state(text: str, state: State, expected: bool) -> None:
    assert mentions(text, state, KIND) is expected
