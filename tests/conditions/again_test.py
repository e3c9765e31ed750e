"""What is tried again: the later attempt counts, the earlier one no more."""
from __future__ import annotations

from typing import Any

import pytest

from interlock.conditions.table import judge
from interlock.conditions.view import Trail
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
