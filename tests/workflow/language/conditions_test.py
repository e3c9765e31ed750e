"""What a workflow says of gates and their conditions is looked at."""

from __future__ import annotations

import pytest

from interlock.model.errors import Refusal
from tests.tasks.conditions.views import workflow


@pytest.mark.parametrize(
    ('protocol', 'message'),
    (
        pytest.param(
            'conditions: {plan-file: {origin: CLASIFIED}}',
            'no state is named `CLASIFIED`; did you mean `CLASSIFIED`?',
            id='an unknown state',
        ),
        pytest.param(
            'conditions: {plan-fiel: {cause: x}}',
            'plan-fiel',
            id='an unknown condition',
        ),
        pytest.param(
            'conditions: {plan-file: {cure: x}}',
            'unknown key `cure`',
            id='an unknown key',
        ),
        pytest.param(
            'decisions: {approved: null}',
            'the key `approved` is missing',
            id='no word for an approval',
        ),
        pytest.param('scopes: null', 'the key `scopes` is missing', id='no scopes'),
        pytest.param('errors: []', 'errors`: [] ', id='no classes of errors'),
        pytest.param(
            'keys: {approvals: null}',
            'the key `approvals` is missing',
            id='nowhere to keep approvals',
        ),
    ),
)
def test_what_makes_no_sense_is_refused(protocol: str, message: str) -> None:
    with pytest.raises(Refusal) as refused:
        workflow(f'items: {{task: {{protocol: {{{protocol}}}}}}}\n')
    assert message in refused.value.message


def test_a_gate_names_conditions_that_there_are() -> None:
    with pytest.raises(Refusal) as refused:
        workflow(
            'items: {task: {transitions: '
            '[{from: INIT, to: CLASSIFIED, gate: [worktre]}]}}\n'
        )
    assert 'did you mean `worktree`?' in refused.value.message


def test_a_project_may_say_other_words() -> None:
    flow = workflow(
        'items: {task: {protocol: {conditions: '
        '{plan-file: {recovery: "schreibe {item}"}}}}}\n'
    )
    protocol = flow.kinds[0].protocol
    assert protocol is not None
    texts = protocol.conditions['plan-file']
    assert texts.recovery == 'schreibe {item}'
    # the rest stays as the preset has it
    assert texts.origin == 'CLASSIFIED'
