from __future__ import annotations

from typing import Any

import pytest

from interlock.tasks.conditions.advice import Action, advise, pattern, resumption
from interlock.tasks.conditions.approvals import following_state
from interlock.tasks.conditions.gate import gate
from interlock.tasks.conditions.view import Agent, Main
from tests.tasks.conditions.views import AGENT, FIELDS, PLAN, WAY, view

EVIDENCE = {state: ['é'] for state in WAY}
FRESH = AGENT._replace(status='', report=None)


@pytest.mark.parametrize(
    ('changed', 'action', 'why'),
    (
        pytest.param({}, 'nothing', 'it is done', id='done'),
        pytest.param(
            {'status': 'ERROR', 'error': 'file too large'},
            'start',
            '(file too large), probably a limit of its tools: start it '
            'again with a smaller scope',
            id='a limit of its tools',
        ),
        pytest.param(
            {'status': 'ERROR', 'error': 'Missing dependency é'},
            'return',
            'a blocker: clarify the requirements: return to CLASSIFIED '
            "(interlock transition demo-task REQUIREMENTS --reason 'WHY' && "
            "interlock transition demo-task CLASSIFIED --reason 'WHY')",
            id='a blocker',
        ),
        pytest.param(
            {'status': 'ERROR', 'error': 'KeyError'},
            'start',
            'an error of its own: start it again with the same',
            id='an error of its own',
        ),
        pytest.param(
            {'status': 'ERROR'}, 'start', '(no error message)', id='without a message'
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 30.0},
            'wait',
            'it has said WORKING for 30 minutes: wait',
            id='works',
        ),
        pytest.param(
            {'status': 'IN_PROGRESS', 'silent': 30.1},
            'start',
            'over 30: start it again with the same requirements',
            id='silent for 30 minutes',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 60.1},
            'start',
            'over 60: start it again, or ask the user',
            id='silent for an hour',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': None},
            'wait',
            'it says WORKING',
            id='unknown since when',
        ),
        pytest.param(
            {
                'status': 'WORKING',
                'silent': 1.0,
                'starts': 1,
                'ended': '2025-10-16T18:00:00Z',
            },
            'start',
            'it ended at 2025-10-16T18:00:00Z, but its status is still '
            'WORKING: start it again',
            id='ended in the middle',
        ),
        pytest.param(
            {
                'status': 'WORKING',
                'silent': 1.0,
                'starts': 1,
                'ended': '2025-10-16T17:59:59Z',
            },
            'wait',
            'wait',
            id='gave a sign after its last run',
        ),
        pytest.param(
            {'written': '2025-10-16T14:00:00Z'},
            'start',
            'it was not started since then (it wrote COMPLETE at '
            '2025-10-16T14:00:00Z, before REQUIREMENTS was entered',
            id='of an earlier state',
        ),
        pytest.param(
            {'written': '2025-10-16T14:00:00Z', 'started': 4.0, 'starts': 1},
            'wait',
            'less than 5 minutes ago',
            id='started again',
        ),
        pytest.param(
            {'status': '', 'worktree': False},
            'return',
            'its worktree is missing: return to CLASSIFIED (interlock '
            "transition demo-task REQUIREMENTS --reason 'WHY' && interlock "
            "transition demo-task CLASSIFIED --reason 'WHY')",
            id='no worktree',
        ),
        pytest.param({'status': ''}, 'start', 'it was not started', id='not started'),
        pytest.param(
            {'status': '', 'started': 4.0, 'starts': 1},
            'wait',
            'less than 5 minutes ago',
            id='just started',
        ),
        pytest.param(
            {'status': '', 'started': 5.5, 'starts': 1},
            'start',
            'has no status after 5',
            id='no status after 5 minutes',
        ),
        pytest.param(
            {'report': 99},
            'start',
            'it says that it is done, but its report',
            id='no report',
        ),
        pytest.param(
            {'status': '', 'problem': 'is empty'},
            'start',
            'its status file is empty',
            id='unreadable',
        ),
        pytest.param(
            {'status': 'BLOCKED'}, 'ask the user', 'it says BLOCKED', id='blocked'
        ),
        pytest.param(
            {'status': 'ERROR', 'starts': 2}, 'start', 'error', id='one retry'
        ),
        pytest.param(
            {'status': 'ERROR', 'starts': 3},
            'ask the user',
            'it was started again 2 times: ask the user',
            id='two retries',
        ),
        pytest.param(
            {'status': 'WORKING', 'silent': 1.0, 'starts': 3},
            'wait',
            'wait',
            id='the last retry may work',
        ),
    ),
)
def test_what_to_do_about_an_agent(
    changed: dict[str, Any], action: str, why: str
) -> None:
    found = advise(AGENT._replace(**changed), view())
    assert found.action == action
    assert why in found.why


@pytest.mark.parametrize(
    ('agent', 'why'),
    (
        pytest.param(AGENT, 'it is done', id='done'),
        pytest.param(FRESH, 'CLASSIFIED asks nothing of it', id='not asked yet'),
    ),
)
def test_an_agent_that_nothing_is_asked_of(agent: Agent, why: str) -> None:
    found = advise(agent, view(state='CLASSIFIED'))
    assert (found.action, found.why) == ('nothing', why)


def agents(done: int, all_: int) -> dict[str, Any]:
    names = [
        'architect',
        'engineer',
        'formatter',
        'builder',
        'tester',
        'security',
        'performance',
    ][:all_]
    known = {**FIELDS, 'evidence': EVIDENCE, 'selection': None}
    return {
        'state': 'REQUIREMENTS',
        'fields': known,
        'agents': tuple(
            (AGENT if number < done else FRESH)._replace(name=name)
            for number, name in enumerate(names)
        ),
    }


@pytest.mark.parametrize(
    ('changed', 'expected'),
    (
        pytest.param(
            agents(0, 7),
            Action(
                'INVOKE_ALL_AGENTS',
                (
                    'architect',
                    'engineer',
                    'formatter',
                    'builder',
                    'tester',
                    'security',
                    'performance',
                ),
                'no agent is done',
            ),
            id='none was started yet',
        ),
        pytest.param(
            agents(3, 7),
            Action(
                'INVOKE_INCOMPLETE',
                ('builder', 'tester', 'security', 'performance'),
                'not done: builder, tester, security, performance',
            ),
            id='three of seven are done',
        ),
        pytest.param(
            {
                'state': 'REQUIREMENTS',
                'agents': (FRESH._replace(started=4.0, starts=1),),
            },
            Action(
                'INVOKE_ALL_AGENTS',
                ('architect',),
                'no agent is done; wait before you start architect again',
            ),
            id='one was just started',
        ),
        pytest.param(
            {
                'state': 'REQUIREMENTS',
                'agents': (
                    AGENT,
                    AGENT._replace(name='a', status='WORKING', silent=1.0),
                    FRESH._replace(name='b', started=5.5, starts=1),
                    FRESH._replace(name='c', started=1.0, starts=1),
                ),
            },
            Action(
                'INVOKE_INCOMPLETE',
                ('a', 'b', 'c'),
                'not done: a, b, c; wait before you start a, c again',
            ),
            id='some still work',
        ),
        pytest.param(
            agents(7, 7),
            Action('TRANSITION_TO_SYNTHESIS', (), 'every condition holds'),
            id='all are done',
        ),
        pytest.param(
            {**agents(0, 1), 'state': 'INIT'},
            Action('TRANSITION_TO_CLASSIFIED', (), 'every condition holds'),
            id='no agents run yet',
        ),
        pytest.param(
            {'state': 'REQUIREMENTS', 'agents': ()},
            Action(
                'GATE_CLOSED',
                (),
                'no agent is selected; next: decide which agents take part, and '
                'add each of them with interlock agents add demo-task',
            ),
            id='nobody is selected',
        ),
        pytest.param(
            {'state': 'CLEANUP'},
            Action('nothing', (), 'nothing follows CLEANUP'),
            id='the end',
        ),
        pytest.param(
            {'state': 'BANANA'},
            Action('nothing', (), 'nothing follows BANANA'),
            id='an unknown state',
        ),
        pytest.param(
            {'approvals': ()},
            Action(
                'WAIT_FOR_USER',
                (),
                'the user did not approve the plan, and was asked to',
            ),
            id='a plan waits for the user',
        ),
        pytest.param(
            {'approvals': (), 'presented': None},
            Action(
                'GATE_CLOSED',
                (),
                'the user did not approve the plan; next: interlock present demo-task',
            ),
            id='a plan was not presented',
        ),
        pytest.param(
            {'plan': PLAN.replace('Stakeholder', 'Other'), 'approvals': ()},
            Action(
                'GATE_CLOSED',
                (),
                'task.md has no section `## Stakeholder Agent '
                'Reports`; next: add the section to task.md',
            ),
            id='what the agent can do comes first',
        ),
        pytest.param(
            {'state': 'IMPLEMENTATION', 'agents': (AGENT._replace(remaining='tests'),)},
            Action('INVOKE_ALL_AGENTS', ('architect',), 'no agent is done'),
            id='work is left',
        ),
        pytest.param(
            {
                'state': 'IMPLEMENTATION',
                'agents': (AGENT._replace(written='2025-10-16T14:32:30Z'),),
            },
            Action('INVOKE_ALL_AGENTS', ('architect',), 'no agent is done'),
            id='done with an earlier state',
        ),
        pytest.param(
            {
                'state': 'VALIDATION',
                'agents': (AGENT._replace(written='2025-10-16T14:33:30Z'),),
            },
            Action('TRANSITION_TO_REVIEW', (), 'every condition holds'),
            id='nothing is asked of agents',
        ),
        pytest.param(
            {
                'state': 'REVIEW',
                'agents': (AGENT, AGENT._replace(name='test', decision='')),
            },
            Action('INVOKE_INCOMPLETE', ('test',), 'not done: test'),
            id='a review is open',
        ),
        pytest.param(
            {'state': 'REVIEW', 'agents': (AGENT._replace(decision='REJECTED'),)},
            Action(
                'GATE_CLOSED',
                (),
                'architect decided REJECTED, not APPROVED; '
                'next: interlock transition demo-task IMPLEMENTATION --reason '
                "'WHY'",
            ),
            id='rejected',
        ),
        pytest.param(
            {'state': 'COMPLETE', 'main': Main()},
            Action(
                'GATE_CLOSED',
                (),
                'the work is not part of the main branch; '
                'next: merge the branch of the task, whose last commit takes '
                'the task off todo.md',
            ),
            id='not merged',
        ),
    ),
)
def test_what_to_do_after_an_interruption(
    changed: dict[str, Any], expected: Action
) -> None:
    at = view(**{'fields': {**FIELDS, 'evidence': EVIDENCE}, **changed})
    at = at._replace(target=following_state(at.kind, at.state))
    verdicts = gate(at) if at.target else []
    assert resumption(at, verdicts) == expected


@pytest.mark.parametrize(
    ('incomplete', 'sentence'),
    (
        pytest.param(('a',), '', id='one'),
        pytest.param(('a', 'b'), 'a, b are not done and others are', id='some'),
        pytest.param(
            ('a', 'b', 'c'),
            'no agent is done: something is wrong for all of them',
            id='all',
        ),
    ),
)
def test_what_agents_have_in_common(incomplete: tuple[str, ...], sentence: str) -> None:
    at = view(
        state='REQUIREMENTS',
        agents=tuple(
            FRESH._replace(name=name, started=6.0) for name in ('a', 'b', 'c')
        ),
    )
    found = pattern(at, incomplete)
    assert found.startswith(sentence)
    assert bool(found) == bool(sentence)


def test_agents_that_were_not_started_have_nothing_in_common() -> None:
    names = ('architect', 'engineer', 'formatter')
    assert pattern(view(**agents(0, 3)), names) == ''
