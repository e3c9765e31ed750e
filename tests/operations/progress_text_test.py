from __future__ import annotations

import pytest

from interlock.model.state import State
from interlock.operations.progress_text import timeline_text
from interlock.workflow.reading.records import records
from tests import samples
from tests.checks.trees import Tree, workflow

PLAN = """\
# Plan

### Phase 3.1: Core — cœur ✓

### Phase 3.2: Filters

### Phase 4.1:
"""


def _default(
    state: State, plan: str = PLAN, given: dict[str, str] | None = None, **fields: str
) -> str:
    tree = Tree(
        {
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            **samples.item_files('Bravo'),
            'plugins/Bravo/.ideas/plan.md': plan,
            samples.handoff_path('Bravo'): samples.handoff(
                'Bravo', '2', 'null', 'complete', None, **fields
            ),
        }
    )
    at = records(tree, workflow().kinds[0], 'Bravo')
    return timeline_text(at, state, given)


@pytest.mark.parametrize(
    ('state', 'text'),
    [
        ('Stage 0', 'Research & Planning complete - Complexity 1.2'),
        ('Stage 2', 'Foundation complete - Build system operational'),
        ('Stage 3', 'Audio engine complete'),
        ('Stage 4', 'UI complete'),
        ('Stage 5', 'Validation complete - ready for installation'),
        ('Working', 'Validation complete - ready for installation'),
        ('Archived', 'Archived reached'),
    ],
)
def test_each_stage_has_its_text(state: str, text: str) -> None:
    assert _default(State(state)) == text


@pytest.mark.parametrize(
    ('phase', 'text'),
    [
        pytest.param(
            State('Stage 3', 1),
            'Phase 3.1 complete - Core — cœur',
            id='without its mark',
        ),
        pytest.param(State('Stage 3', 2), 'Phase 3.2 complete - Filters', id='open'),
        pytest.param(State('Stage 4', 1), 'Phase 4.1 complete', id='no title'),
        pytest.param(State('Stage 4', 2), 'Phase 4.2 complete', id='not planned'),
    ],
)
def test_a_phase_has_the_title_of_its_heading(phase: State, text: str) -> None:
    assert _default(phase) == text


def test_what_is_not_known_is_left_out() -> None:
    said = _default(State('Stage 0'), complexity_score='null')
    assert said == 'Research & Planning complete'


def test_what_is_given_counts() -> None:
    said = _default(State('Stage 0'), given={'complexity_score': '5.0'})
    assert said == 'Research & Planning complete - Complexity 5.0'


def test_a_workflow_without_texts_says_the_state() -> None:
    by = workflow(
        'extends: plugin-workflow\n'
        'items: {plugin: {states: {Stage 3: {timeline: Fertig}},'
        ' handoff: {phases: null}}}\n'
    )
    at = records(Tree({}), by.kinds[0], 'Bravo')
    assert timeline_text(at, State('Stage 3')) == 'Fertig'
    assert timeline_text(at, State('Stage 3', 2)) == 'Stage 3.2 reached'
