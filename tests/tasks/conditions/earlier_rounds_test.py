"""What is tried again: the later attempt counts, the earlier one no more."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.tasks.conditions.gate import judge
from interlock.tasks.conditions.view import Trail
from tests.tasks.conditions.views import AGENT, FIELDS, TRAIL, view


def runs(*statuses: tuple[str, str]) -> Trail:
    return TRAIL._replace(
        sections={
            **TRAIL.sections,
            'agent_invocations': tuple(
                {
                    'agent_name': agent,
                    'status': status,
                    'invocation_timestamp': f'2025-10-16T14:{40 + number}:00Z',
                }
                for number, (agent, status) in enumerate(statuses)
            ),
        }
    )


def refusals(name: str, **changed: Any) -> list[str]:
    return [
        verdict.message for verdict in judge(view(**changed), [name]) if verdict.refuses
    ]


@pytest.mark.parametrize(
    ('statuses', 'expected'),
    (
        pytest.param([('test', 'failed'), ('test', 'completed')], [], id='again'),
        pytest.param([('test', 'running'), ('test', 'completed')], [], id='lost'),
        pytest.param([('tester', 'failed'), ('test', 'completed')], [], id='synonym'),
        pytest.param(
            [('test', 'completed'), ('test', 'failed')],
            ['test, started at 2025-10-16T14:41:00Z, is failed, not completed'],
            id='failed after it had succeeded',
        ),
        pytest.param(
            [('test', 'failed'), ('style', 'completed')],
            ['test, started at 2025-10-16T14:40:00Z, is failed, not completed'],
            id='another agent succeeded',
        ),
    ),
)
def test_the_last_run_of_an_agent_counts(
    statuses: list[tuple[str, str]], expected: list[str]
) -> None:
    assert refusals('trail-complete', trail=runs(*statuses)) == expected


def steps(*states: str) -> dict[str, Any]:
    """A log through some states, one every hour from 10:00 on."""
    return {
        **FIELDS,
        'log': [
            {
                'from': origin,
                'to': target,
                'reason': 'é',
                'timestamp': f'2025-10-16T{10 + number}:00:00Z',
            }
            for number, (origin, target) in enumerate(
                zip((None, *states), states, strict=False)
            )
        ],
    }


VALIDATED = ('INIT', 'IMPLEMENTATION', 'VALIDATION')
REVIEWED = (*VALIDATED, 'REVIEW')
BACK = ('IMPLEMENTATION', 'VALIDATION')


@pytest.mark.parametrize(
    ('way', 'time', 'message'),
    (
        pytest.param(VALIDATED, '2025-10-16T12:30:00Z', '', id='first time'),
        pytest.param(
            VALIDATED,
            '2025-10-16T11:30:00Z',
            'was at 2025-10-16T11:30:00Z, before VALIDATION was entered at '
            '2025-10-16T12:00:00Z',
            id='of the state before',
        ),
        pytest.param(VALIDATED, '', 'at an unknown time', id='no time, first time'),
        pytest.param((*VALIDATED, *BACK), '2025-10-16T14:01:00Z', '', id='anew'),
        pytest.param((*VALIDATED, *BACK), '2025-10-16T14:00:00Z', '', id='at once'),
        pytest.param(
            (*VALIDATED, *BACK),
            '2025-10-16T12:30:00Z',
            'was at 2025-10-16T12:30:00Z, before VALIDATION was entered at '
            '2025-10-16T14:00:00Z',
            id='of the round before',
        ),
        pytest.param((*VALIDATED, *BACK), '', 'at an unknown time', id='no time'),
        pytest.param((*VALIDATED, *BACK), 'noon', 'at noon', id='not a time'),
    ),
)
def test_a_build_of_an_earlier_round_does_not_count(
    way: tuple[str, ...], time: str, message: str
) -> None:
    trail = TRAIL._replace(
        sections={
            **TRAIL.sections,
            'build_verifications': (
                {'command': 'make', 'result': 'SUCCESS', 'timestamp': time},
            ),
        }
    )
    said = refusals(
        'build-evidence', state='VALIDATION', fields=steps(*way), trail=trail
    )
    assert len(said) == bool(message)
    assert message in ''.join(said)


@pytest.mark.parametrize(
    ('way', 'time', 'counts'),
    (
        pytest.param(REVIEWED, '2025-10-16T13:00:00Z', True, id='first'),
        pytest.param(REVIEWED, '2025-10-16T12:59:59Z', False, id='of the state before'),
        pytest.param(
            (*REVIEWED, *BACK, 'REVIEW'), '2025-10-16T16:30:00Z', True, id='anew'
        ),
        pytest.param(
            (*REVIEWED, *BACK, 'REVIEW'),
            '2025-10-16T13:30:00Z',
            False,
            id='of the round before',
        ),
    ),
)
@pytest.mark.parametrize(
    ('decision', 'condition'),
    (('APPROVED', 'reviews-approved'), ('REJECTED', 'review-rejected')),
)
def test_a_review_of_an_earlier_round_does_not_count(
    way: tuple[str, ...], time: str, counts: bool, decision: str, condition: str
) -> None:
    agent = AGENT._replace(decision=decision, written=time)
    said = refusals(condition, state='REVIEW', fields=steps(*way), agents=(agent,))
    assert bool(said) is not counts


IMPLEMENTED = ('INIT', 'REQUIREMENTS', 'SYNTHESIS', 'IMPLEMENTATION')


@pytest.mark.parametrize(
    ('condition', 'way', 'time', 'counts'),
    (
        pytest.param(
            'agents-complete', IMPLEMENTED, '2025-10-16T13:00:00Z', True, id='done'
        ),
        pytest.param(
            'agents-complete',
            IMPLEMENTED,
            '2025-10-16T11:30:00Z',
            False,
            id='done with the requirements',
        ),
        pytest.param(
            'agents-complete',
            IMPLEMENTED[:3],
            '2025-10-16T11:30:00Z',
            True,
            id='the plan builds on the requirements',
        ),
        pytest.param(
            'agents-complete',
            (*IMPLEMENTED[:3], *IMPLEMENTED[1:3]),
            '2025-10-16T11:30:00Z',
            False,
            id='the plan builds on requirements that were gathered again',
        ),
        pytest.param(
            'agents-complete',
            (*IMPLEMENTED[:3], 'REQUIREMENTS'),
            '2025-10-16T11:30:00Z',
            False,
            id='requirements again',
        ),
        pytest.param(
            'agents-complete',
            (*IMPLEMENTED, 'VALIDATION'),
            '2025-10-16T13:30:00Z',
            True,
            id='nothing new is asked for',
        ),
        pytest.param(
            'agents-complete',
            (*IMPLEMENTED, 'REVIEW', 'IMPLEMENTATION'),
            '2025-10-16T14:30:00Z',
            False,
            id='rejected',
        ),
        pytest.param(
            'agents-complete',
            (*IMPLEMENTED, 'AWAITING_USER_APPROVAL', 'IMPLEMENTATION'),
            '2025-10-16T13:30:00Z',
            False,
            id='the user wants changes',
        ),
        pytest.param(
            'reports',
            IMPLEMENTED,
            '2025-10-16T11:30:00Z',
            True,
            id='a report is written once',
        ),
        pytest.param(
            'reports',
            (*IMPLEMENTED[:3], 'REQUIREMENTS'),
            '2025-10-16T11:30:00Z',
            False,
            id='a report of the last time',
        ),
        pytest.param(
            'reports',
            (*IMPLEMENTED[:3], *IMPLEMENTED[1:]),
            '2025-10-16T11:30:00Z',
            False,
            id='a report of the last time, later',
        ),
    ),
)
def test_what_agents_did_in_an_earlier_state_does_not_count(
    condition: str, way: tuple[str, ...], time: str, counts: bool
) -> None:
    agent = AGENT._replace(written=time, reported=time)
    said = refusals(condition, state=way[-1], fields=steps(*way), agents=(agent,))
    assert bool(said) is not counts, said


@pytest.mark.parametrize(
    ('status', 'written', 'trail', 'ended', 'expected'),
    (
        ('APPROVED', 15, '', '', ['review-rejected']),
        ('APPROVED', 15, 'APPROVED', 15, ['review-rejected']),
        ('', 15, 'REJECTED', 15, ['reviews-approved']),
        ('APPROVED', 15, 'REJECTED', 16, ['reviews-approved']),
        ('REJECTED', 15, 'APPROVED', 16, ['reviews-approved']),
        # it reviewed again, and wrote so
        ('APPROVED', 17, 'REJECTED', 16, ['review-rejected']),
        # a message alone approves nothing
        ('', 15, 'APPROVED', 15, ['reviews-approved', 'review-rejected']),
        ('APPROVED', 12, '', '', ['reviews-approved', 'review-rejected']),
    ),
)
def test_the_message_that_ends_a_review_counts_too(
    status: str, written: int, trail: str, ended: Any, expected: list[str]
) -> None:
    agent = AGENT._replace(
        decision=status,
        written=f'2025-10-16T{written}:00:00Z',
        reviewed=trail,
        ended=ended and f'2025-10-16T{ended}:00:00Z',
    )
    at = {'state': 'REVIEW', 'fields': steps(*REVIEWED), 'agents': (agent,)}
    assert [
        name for name in ('reviews-approved', 'review-rejected') if refusals(name, **at)
    ] == expected
