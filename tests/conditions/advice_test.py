from __future__ import annotations

from typing import Any

import pytest

from interlock.conditions.advice import Action
from interlock.conditions.advice import advise
from interlock.conditions.advice import pattern
from interlock.conditions.advice import resumption
from tests.conditions.views import AGENT
from tests.conditions.views import view

FRESH = AGENT._replace(status='', report=None)


@pytest.mark.parametrize(
    ('changed', 'action', 'why'),
    (
        pytest.param({}, 'nothing', 'status and report are there', id='done'),
        pytest.param(
            {'status': 'ERROR', 'error': 'file too large'}, 'start',
            '(file too large), probably a limit of its tools: start it '
            'again with a smaller scope', id='a limit of its tools',
        ),
        pytest.param(
            {'status': 'ERROR', 'error': 'Missing dependency é'}, 'start',
            'a blocker: clarify the requirements: interlock transition '
            'demo-task CLASSIFIED', id='a blocker',
        ),
        pytest.param(
            {'status': 'ERROR', 'error': 'KeyError'}, 'start',
            'an error of its own: start it again with the same',
            id='an error of its own',
        ),
        pytest.param(
            {'status': 'ERROR'}, 'start', '(no error message)',
            id='without a message',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 30.0}, 'wait',
            'it says WORKING since 30 minutes: wait', id='works',
        ),
        pytest.param(
            {'status': 'IN_PROGRESS', 'silent': 30.1}, 'start',
            'over 30: start it again with the same requirements',
            id='silent for 30 minutes',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 60.1}, 'start',
            'over 60: start it again, or ask the user',
            id='silent for an hour',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': None}, 'wait',
            'it says WORKING', id='nobody knows since when',
        ),
        pytest.param(
            {'status': '', 'worktree': False}, 'return',
            'its worktree is missing: return to CLASSIFIED (interlock '
            'transition demo-task CLASSIFIED --reason TEXT)', id='no worktree',
        ),
        pytest.param(
            {'status': ''}, 'start', 'it was not started', id='not started',
        ),
        pytest.param(
            {'status': '', 'started': 4.0, 'starts': 1}, 'wait',
            'less than 5 minutes ago', id='just started',
        ),
        pytest.param(
            {'status': '', 'started': 5.5, 'starts': 1}, 'start',
            'has no status after 5', id='no status after 5 minutes',
        ),
        pytest.param(
            {'report': 99}, 'start', 'it says that it is done, but its '
            'report', id='no report',
        ),
        pytest.param(
            {'status': '', 'problem': 'is empty'}, 'start',
            'its status file is empty', id='unreadable',
        ),
        pytest.param(
            {'status': 'BLOCKED'}, 'ask the user', 'it says BLOCKED',
            id='blocked',
        ),
        pytest.param(
            {'status': 'ERROR', 'starts': 2}, 'start', 'error',
            id='one retry',
        ),
        pytest.param(
            {'status': 'ERROR', 'starts': 3}, 'ask the user',
            'it was started again 2 times: ask the user', id='two retries',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 1.0, 'starts': 3}, 'wait',
            'wait', id='the last retry may work',
        ),
    ),
)
def test_what_to_do_about_an_agent(
        changed: dict[str, Any],
        action: str,
        why: str,
) -> None:
    found = advise(AGENT._replace(**changed), view())
    assert found.action == action
    assert why in found.why


def agents(done: int, all_: int) -> dict[str, Any]:
    names = [
        'architect', 'engineer', 'formatter', 'builder', 'tester',
        'security', 'performance',
    ][:all_]
    return {'state': 'REQUIREMENTS', 'agents': tuple(
        (AGENT if number < done else FRESH)._replace(name=name)
        for number, name in enumerate(names)
    )}


@pytest.mark.parametrize(
    ('changed', 'expected'),
    (
        pytest.param(agents(0, 7), Action(
            'INVOKE_ALL_AGENTS', (
                'architect', 'engineer', 'formatter', 'builder', 'tester',
                'security', 'performance',
            ), 'no agent is done',
        ), id='none was started yet'),
        pytest.param(agents(3, 7), Action(
            'INVOKE_INCOMPLETE',
            ('builder', 'tester', 'security', 'performance'),
            'not done: builder, tester, security, performance',
        ), id='three of seven are done'),
        pytest.param(agents(7, 7), Action(
            'TRANSITION_TO_SYNTHESIS', (), 'all agents are done',
        ), id='all are done'),
        pytest.param({**agents(0, 1), 'state': 'INIT'}, Action(
            'TRANSITION_TO_CLASSIFIED', (), 'no agents run in INIT',
        ), id='no agents run yet'),
        pytest.param({'state': 'REQUIREMENTS', 'agents': ()}, Action(
            'TRANSITION_TO_SYNTHESIS', (), 'no agent is needed',
        ), id='nobody is selected'),
        pytest.param({'state': 'CLEANUP'}, Action(
            'nothing', (), 'no agents run in CLEANUP',
        ), id='the end'),
        pytest.param({'state': 'BANANA'}, Action(
            'nothing', (), 'no agents run in BANANA',
        ), id='an unknown state'),
    ),
)
def test_what_to_do_after_an_interruption(
        changed: dict[str, Any],
        expected: Action,
) -> None:
    assert resumption(view(**changed)) == expected


@pytest.mark.parametrize(
    ('incomplete', 'sentence'),
    (
        pytest.param(('a',), '', id='one'),
        pytest.param(('a', 'b'), 'a, b are not done and others are',
                     id='some'),
        pytest.param(('a', 'b', 'c'), 'no agent is done: something is wrong '
                     'for all of them', id='all'),
    ),
)
def test_what_agents_have_in_common(
        incomplete: tuple[str, ...],
        sentence: str,
) -> None:
    found = pattern(view(**agents(0, 3)), incomplete)
    assert found.startswith(sentence)
    assert bool(found) == bool(sentence)
