"""What is tried again: the later attempt counts, the earlier one no more."""
from __future__ import annotations

from typing import Any

import pytest

from interlock.conditions.table import judge
from interlock.conditions.view import Trail
from tests.conditions.views import AGENT
from tests.conditions.views import FIELDS
from tests.conditions.views import TRAIL
from tests.conditions.views import view


def runs(*statuses: tuple[str, str]) -> Trail:
    return TRAIL._replace(sections={
        **TRAIL.sections,
        'agent_invocations': tuple(
            {'agent_name': agent, 'status': status,
             'invocation_timestamp': f'2025-10-16T14:{40 + number}:00Z'}
            for number, (agent, status) in enumerate(statuses)
        ),
    })


def refusals(name: str, **changed: Any) -> list[str]:
    return [
        verdict.message for verdict in judge(view(**changed), [name])
        if verdict.refuses
    ]


@pytest.mark.parametrize(
    ('statuses', 'expected'),
    (
        pytest.param(
            [('test', 'failed'), ('test', 'completed')], [], id='again',
        ),
        pytest.param(
            [('test', 'running'), ('test', 'completed')], [], id='lost',
        ),
        pytest.param(
            [('tester', 'failed'), ('test', 'completed')], [], id='synonym',
        ),
        pytest.param(
            [('test', 'completed'), ('test', 'failed')],
            ['test, started at 2025-10-16T14:41:00Z, is failed, not '
             'completed'],
            id='failed after it had succeeded',
        ),
        pytest.param(
            [('test', 'failed'), ('style', 'completed')],
            ['test, started at 2025-10-16T14:40:00Z, is failed, not '
             'completed'],
            id='another agent succeeded',
        ),
    ),
)
def test_the_last_run_of_an_agent_counts(
        statuses: list[tuple[str, str]],
        expected: list[str],
) -> None:
    assert refusals('trail-complete', trail=runs(*statuses)) == expected


def steps(*states: str) -> dict[str, Any]:
    """A log through some states, one every hour from 10:00 on."""
    return {**FIELDS, 'log': [
        {'from': origin, 'to': target, 'reason': 'é',
         'timestamp': f'2025-10-16T{10 + number}:00:00Z'}
        for number, (origin, target) in enumerate(
            zip((None, *states), states, strict=False),
        )
    ]}


VALIDATED = ('INIT', 'IMPLEMENTATION', 'VALIDATION')
REVIEWED = (*VALIDATED, 'REVIEW')
BACK = ('IMPLEMENTATION', 'VALIDATION')


@pytest.mark.parametrize(
    ('way', 'time', 'message'),
    (
        pytest.param(VALIDATED, '2025-10-16T11:30:00Z', '', id='first time'),
        pytest.param(VALIDATED, '', '', id='no time, first time'),
        pytest.param(
            (*VALIDATED, *BACK), '2025-10-16T14:01:00Z', '', id='anew',
        ),
        pytest.param(
            (*VALIDATED, *BACK), '2025-10-16T14:00:00Z', '', id='at once',
        ),
        pytest.param(
            (*VALIDATED, *BACK), '2025-10-16T12:30:00Z',
            'was at 2025-10-16T12:30:00Z, and VALIDATION was entered again '
            'at 2025-10-16T14:00:00Z', id='of the round before',
        ),
        pytest.param(
            (*VALIDATED, *BACK), '', 'nobody knows when', id='no time',
        ),
        pytest.param(
            (*VALIDATED, *BACK), 'noon', 'at noon', id='what is no time',
        ),
    ),
)
def test_a_build_of_an_earlier_round_does_not_count(
        way: tuple[str, ...],
        time: str,
        message: str,
) -> None:
    trail = TRAIL._replace(sections={
        **TRAIL.sections, 'build_verifications': (
            {'command': 'make', 'result': 'SUCCESS', 'timestamp': time},
        ),
    })
    said = refusals(
        'build-evidence', state='VALIDATION', fields=steps(*way), trail=trail,
    )
    assert len(said) == bool(message)
    assert message in ''.join(said)


@pytest.mark.parametrize(
    ('way', 'time', 'counts'),
    (
        pytest.param(REVIEWED, '2025-10-16T09:00:00Z', True, id='first'),
        pytest.param(
            (*REVIEWED, *BACK, 'REVIEW'), '2025-10-16T16:30:00Z', True,
            id='anew',
        ),
        pytest.param(
            (*REVIEWED, *BACK, 'REVIEW'), '2025-10-16T13:30:00Z', False,
            id='of the round before',
        ),
    ),
)
@pytest.mark.parametrize(
    ('decision', 'condition'),
    (
        ('APPROVED', 'reviews-approved'), ('REJECTED', 'review-rejected'),
    ),
)
def test_a_review_of_an_earlier_round_does_not_count(
        way: tuple[str, ...],
        time: str,
        counts: bool,
        decision: str,
        condition: str,
) -> None:
    agent = AGENT._replace(decision=decision, written=time)
    said = refusals(
        condition, state='REVIEW', fields=steps(*way), agents=(agent,),
    )
    assert bool(said) is not counts
