from __future__ import annotations

from collections.abc import Mapping

import pytest

from interlock.model.state import State
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.next_state import Next, after
from interlock.workflow.reading.records import Records, records
from tests.checks.trees import Tree

PLAN = """\
# Plan

### Phase 3.1: Oszillator ✓
#### Phase 3.2: Hüllkurve
### Phase 3.10: Politur

```markdown
### Phase 3.4: an example
```

### Phase 4.1: Layout
## Phase 4.2: a heading of another level
### Phase 9.1: no stage
### Phases
"""
PLACE = 'plugins/Kick/.ideas/plan.md'


def item(files: Mapping[str, str]) -> Records:
    data, _ = compile_workflow(
        '.interlock.yaml', b'extends: plugin-workflow\n', lambda _: None
    )
    (kind,) = build(data, '', '').kinds
    return records(Tree(files), kind, 'Kick')


def test_the_phases_of_a_plan_are_its_headings() -> None:
    plan = plan_phases.read(item({PLACE: PLAN}))
    assert plan is not None
    assert [(each.state, each.done, each.line) for each in plan.phases] == [
        (State('Stage 3', 1), True, 3),
        (State('Stage 3', 2), False, 4),
        (State('Stage 3', 10), False, 5),
        (State('Stage 4', 1), False, 11),
    ]
    assert plan.phases[0].title == 'Phase 3.1: Oszillator'


def test_a_plan_at_its_second_place_is_read() -> None:
    plan = plan_phases.read(item({'plugins/Kick/plan.md': PLAN}))
    assert plan is not None
    assert plan.path == 'plugins/Kick/plan.md'


def test_without_a_plan_there_are_no_phases() -> None:
    assert plan_phases.read(item({})) is None


PHASED = {'phased_implementation': 'true'}
HEADLESS = {'gui_type': 'headless'}


@pytest.mark.parametrize(
    ('state', 'fields', 'expected'),
    [
        pytest.param(
            State('Stage 0'),
            {},
            Next('invoke_foundation_shell_agent', 'null', State('Stage 2')),
            id='planned',
        ),
        pytest.param(
            State('Stage 2'),
            {},
            Next('invoke_dsp_agent', 'null', State('Stage 3')),
            id='simple',
        ),
        pytest.param(
            State('Stage 2'),
            PHASED,
            Next('invoke_dsp_agent', '3.1', State('Stage 3', 1)),
            id='first phase',
        ),
        pytest.param(
            State('Stage 3', 1),
            PHASED,
            Next('continue_dsp_phase_3.2', '3.2', State('Stage 3', 2)),
            id='next phase',
        ),
        pytest.param(
            State('Stage 3', 2),
            PHASED,
            Next('continue_dsp_phase_3.10', '3.10', State('Stage 3', 10)),
            id='phases are numbers, no decimals',
        ),
        pytest.param(
            State('Stage 3', 10),
            PHASED,
            Next(state=State('Stage 3'), led=True, closes=True),
            id='last phase: the stage is to be closed',
        ),
        pytest.param(
            State('Stage 3'),
            PHASED,
            Next('invoke_gui_agent', '4.1', State('Stage 4', 1)),
            id='stage of phases',
        ),
        pytest.param(
            State('Stage 3'),
            HEADLESS,
            Next('run_validation', 'null', State('Stage 4'), led=True),
            id='headless',
        ),
        pytest.param(
            State('Stage 4'),
            HEADLESS,
            Next('run_validation', 'null', State('Stage 5')),
            id='headless at four',
        ),
        pytest.param(
            State('Stage 4'),
            PHASED,
            Next('begin_stage_5', 'null', State('Stage 5')),
            id='validation',
        ),
        pytest.param(
            State('Stage 3'),
            {**PHASED, **HEADLESS},
            Next('run_validation', 'null', State('Stage 4'), led=True),
            id='headless has no phases of the interface',
        ),
        pytest.param(
            State('Stage 5'),
            PHASED,
            Next(
                steps=(
                    'Install {item}: interlock registry set-status {item} Installed',
                    'Or improve it first: interlock registry set-status {item} Improving',
                )
            ),
            id='last stage',
        ),
    ],
)
def test_what_comes_next_is_known_from_plan_and_handoff(
    state: State, fields: dict[str, str], expected: Next
) -> None:
    assert after(item({PLACE: PLAN}), state, fields) == expected


def test_the_next_phase_of_a_plan_without_phases_is_not_guessed() -> None:
    at = item({PLACE: '# Plan\n'})
    assert after(at, State('Stage 2'), PHASED).phase == ''
    assert after(at, State('Stage 2'), {}).phase == 'null'
    assert after(at, State('Stage 4'), PHASED).phase == 'null'


@pytest.mark.parametrize(
    ('state', 'given', 'expected'),
    [
        pytest.param(
            State('Stage 2'),
            '3.1',
            Next('invoke_dsp_agent', '3.1', State('Stage 3', 1)),
            id='the first',
        ),
        pytest.param(
            State('Stage 3', 1),
            '3.2',
            Next('continue_dsp_phase_3.2', '3.2', State('Stage 3', 2)),
            id='the next',
        ),
        pytest.param(
            State('Stage 3', 2),
            '3.2',
            Next(phase='', state=State('Stage 3'), led=True, closes=True),
            id='one that is done',
        ),
        pytest.param(
            State('Stage 3', 2),
            'null',
            Next(phase='', state=State('Stage 3'), led=True, closes=True),
            id='none',
        ),
        pytest.param(
            State('Stage 3'),
            '3.3',
            Next('invoke_gui_agent', '', State('Stage 4')),
            id='one of the stage that is done',
        ),
    ],
)
def test_what_the_plan_does_not_name_the_handoff_does(
    state: State, given: str, expected: Next
) -> None:
    fields = {**PHASED, 'next_phase': given}
    assert after(item({PLACE: '# Plan\n'}), state, fields) == expected
