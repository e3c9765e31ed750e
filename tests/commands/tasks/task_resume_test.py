from __future__ import annotations

import json
import os
from typing import Any

import pytest

from interlock.documents import timestamps
from tests.conftest import Interlock
from tests.desk import PARTS, PLAN, Desk
from tests.spaces import OTHER, TASK

SEVEN = [
    'architect',
    'engineer',
    'formatter',
    'builder',
    'tester',
    'security',
    'performance',
]


def resume(interlock: Interlock) -> tuple[int, dict[str, Any]]:
    result = interlock('task', 'resume', TASK, '--format', 'json')
    found: dict[str, Any] = json.loads(result.out)
    return result.code, found


def interrupted(desk: Desk, done: int) -> None:
    """In the middle of the requirements, with some agents done."""
    desk.at('REQUIREMENTS', required_agents=SEVEN)
    desk.write('task.md', PLAN)
    for agent in SEVEN:
        desk.file(f'agents/{agent}/code').mkdir(parents=True, exist_ok=True)
    for agent in SEVEN[:done]:
        desk.status(agent)
        desk.report(agent)


@pytest.mark.parametrize(
    ('done', 'code', 'action', 'agents'),
    (
        pytest.param(0, 1, 'INVOKE_ALL_AGENTS', SEVEN, id='none'),
        pytest.param(3, 1, 'INVOKE_INCOMPLETE', SEVEN[3:], id='three'),
        pytest.param(7, 0, 'TRANSITION_TO_SYNTHESIS', [], id='all'),
    ),
)
def test_what_comes_after_an_interruption(
    desk: Desk,
    interlock: Interlock,
    done: int,
    code: int,
    action: str,
    agents: list[str],
) -> None:
    interrupted(desk, done)
    before = desk.bytes()
    exit_code, found = resume(interlock)
    assert (exit_code, found['action'], found['invoke']) == (code, action, agents)
    assert found['state'] == 'REQUIREMENTS'
    assert found['worktree'] == {'path': str(desk.code.path), 'exists': True}
    assert [each['complete'] for each in found['agents']] == [
        number < done for number in range(7)
    ]
    # it never writes
    assert desk.bytes() == before


def test_the_gate_is_shown_and_does_not_decide(
    desk: Desk, interlock: Interlock
) -> None:
    interrupted(desk, 7)
    desk.change(session_id=OTHER)
    code, found = resume(interlock)
    assert code == 0
    assert found['next_state'] == 'SYNTHESIS'
    assert [each['code'] for each in found['gate'] if each['severity'] == 'error'] == [
        'GAT004'
    ]


def test_in_words(desk: Desk, interlock: Interlock) -> None:
    interrupted(desk, 3)
    result = interlock('task', 'resume', TASK)
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == f'{TASK} is in REQUIREMENTS'
    assert f'  worktree {desk.code.path} exists' in lines
    assert any(
        line.startswith('  builder          no status    no report; it ')
        for line in lines
    )
    assert lines[-1] == (
        'INVOKE_INCOMPLETE [builder, tester, security, performance]: not '
        'done: builder, tester, security, performance'
    )


def test_where_no_agents_run(desk: Desk, interlock: Interlock) -> None:
    code, found = resume(interlock)
    assert (code, found['action']) == (0, 'TRANSITION_TO_CLASSIFIED')


def test_at_the_end_nothing_comes_next(desk: Desk, interlock: Interlock) -> None:
    desk.at('CLEANUP')
    code, found = resume(interlock)
    assert (code, found['action'], found['gate']) == (0, 'nothing', [])


def test_a_worktree_that_is_gone_is_said(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.main.path)
    desk.main.git('worktree', 'remove', '--force', str(desk.code.path))
    result = interlock('task', 'resume', TASK)
    assert f'  worktree {desk.code.path} is missing' in result.out


def test_an_unknown_state_is_said(desk: Desk, interlock: Interlock) -> None:
    desk.change(state='BANANA')
    result = interlock('task', 'resume', TASK)
    assert result.out.startswith(f'{TASK} is in BANANA\n')
    assert result.code == 0


@pytest.mark.parametrize(
    ('status', 'now', 'advice'),
    (
        pytest.param(
            {'status': 'WORKING', 'updated_at': '2026-01-02T03:00:00Z'},
            '2026-01-02T03:29:00Z',
            'for 29 minutes: wait',
            id='works',
        ),
        pytest.param(
            {'status': 'WORKING', 'updated_at': '2026-01-02T04:00:00+01:00'},
            '2026-01-02T03:31:00Z',
            'over 30: start it again',
            id='stale',
        ),
        pytest.param(
            {'status': 'MERGING', 'updated_at': '2026-01-02T03:00:00Z'},
            '2026-01-02T04:01:00Z',
            'over 60: start it again, or ask',
            id='an hour',
        ),
        pytest.param(
            {'status': 'WORKING'},
            '2026-01-02T03:40:00Z',
            'for 35 minutes, over 30',
            id='by the time of the file',
        ),
    ),
)
def test_an_agent_that_is_silent(
    desk: Desk,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    status: dict[str, str],
    now: str,
    advice: str,
) -> None:
    desk.at('REQUIREMENTS')
    desk.change(
        transition_log=[
            {**step, 'timestamp': step['timestamp'].replace('T03', 'T02')}
            for step in desk.read()['transition_log']
        ]
    )
    desk.status('architect', **status)
    changed = 1767323100  # 2026-01-02T03:05:00Z
    os.utime(desk.file('agents/architect/status.json'), (changed, changed))
    monkeypatch.setattr(timestamps, 'now', lambda: now)
    _, found = resume(interlock)
    assert advice in found['agents'][0]['why']
    result = interlock('agents', 'check', TASK, 'architect')
    assert result.code == 1
    assert advice in result.out


def test_retries_are_counted_in_the_trail(desk: Desk, interlock: Interlock) -> None:
    desk.at('REQUIREMENTS')
    for number in range(3):
        assert interlock('trail', 'add', TASK, 'agent-start', 'architect').code == 0
        desk.status('architect', status='ERROR', error_message='KeyError')
        assert (
            interlock(
                'trail', 'add', TASK, 'agent-end', 'architect', '--status', 'failed'
            ).code
            == 0
        )
        _, found = resume(interlock)
        expected = 'start' if number < 2 else 'ask the user'
        assert found['agents'][0]['action'] == expected
        assert found['agents'][0]['starts'] == number + 1


@pytest.mark.parametrize(
    ('state', 'status', 'action', 'why'),
    (
        pytest.param(
            'SYNTHESIS',
            {},
            'GATE_CLOSED',
            'the user did not approve the plan; next: interlock present',
            id='a plan nobody approved',
        ),
        pytest.param(
            'IMPLEMENTATION',
            {'work_remaining': 'tests'},
            'INVOKE_ALL_AGENTS',
            'no agent is done',
            id='work is left',
        ),
        pytest.param(
            'IMPLEMENTATION',
            {'updated_at': '2026-01-02T03:03:59Z'},
            'INVOKE_ALL_AGENTS',
            'no agent is done',
            id='done with an earlier state',
        ),
        pytest.param(
            'REVIEW', {}, 'INVOKE_ALL_AGENTS', 'no agent is done', id='nobody reviewed'
        ),
        pytest.param(
            'REVIEW',
            {'decision': 'REJECTED'},
            'GATE_CLOSED',
            f"next: interlock transition {TASK} IMPLEMENTATION --reason 'WHY'",
            id='rejected',
        ),
        pytest.param(
            'COMPLETE', {}, 'GATE_CLOSED', 'next: interlock trail add', id='not merged'
        ),
    ),
)
def test_a_closed_gate_is_not_passed(
    desk: Desk,
    interlock: Interlock,
    state: str,
    status: dict[str, str],
    action: str,
    why: str,
) -> None:
    desk.at(state)
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect', **status)
    desk.report('architect')
    code, found = resume(interlock)
    assert found['action'] == action, found
    assert why in found['why']
    assert code == (1 if found['invoke'] else 0)


def test_an_agent_that_is_blocked_is_not_started_but_asked_about(
    desk: Desk, interlock: Interlock
) -> None:
    interrupted(desk, 5)
    desk.status('security', status='BLOCKED')
    _, found = resume(interlock)
    assert (found['action'], found['invoke']) == ('INVOKE_INCOMPLETE', ['performance'])
    desk.status('performance', status='BLOCKED')
    _, found = resume(interlock)
    assert (found['action'], found['invoke']) == ('GATE_CLOSED', [])
    assert found['why'].endswith('it says BLOCKED; next: ask the user')


def test_a_plan_that_was_presented_waits_for_the_user(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('SYNTHESIS')
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect')
    desk.report('architect')
    assert interlock('present', TASK).code == 0
    code, found = resume(interlock)
    assert (code, found['action']) == (0, 'WAIT_FOR_USER')


def test_agents_that_were_just_asked_for_have_not_failed(
    desk: Desk, interlock: Interlock
) -> None:
    interrupted(desk, 0)
    result = interlock('task', 'resume', TASK)
    assert 'INVOKE_ALL_AGENTS' in result.out
    assert 'something is wrong' not in result.out


@pytest.mark.parametrize(
    ('status', 'code', 'said'),
    (
        ({}, 1, 'start architect to review the work'),
        (
            {'decision': 'REJECTED'},
            1,
            f'architect: it decided REJECTED: interlock transition {TASK} '
            f"IMPLEMENTATION --reason 'WHY'",
        ),
        ({'decision': 'APPROVED'}, 0, 'architect: it is done'),
    ),
)
def test_a_reviewer_is_done_once_it_has_decided(
    desk: Desk, interlock: Interlock, status: dict[str, str], code: int, said: str
) -> None:
    desk.at('REVIEW')
    desk.status('architect', **status)
    desk.report('architect')
    result = interlock('agents', 'check', TASK, 'architect')
    assert said in result.out + interlock('gate', TASK, 'AWAITING_USER_APPROVAL').out
    assert result.code == code


def test_the_check_of_an_agent_does_not_lead_to_itself(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('REQUIREMENTS')
    result = interlock('agents', 'check', TASK, 'architect')
    assert 'next: start it\n' in result.out
    assert 'architect: it was not started: start it\n' in result.out
    assert 'next: interlock agents check' not in result.out


@pytest.mark.parametrize('command', ('menu', 'resume'))
def test_a_task_is_not_an_item_with_records(
    desk: Desk, interlock: Interlock, command: str
) -> None:
    result = interlock(command, TASK)
    assert result.code
    assert f'{TASK} is a task\n    next: interlock task resume {TASK}\n' in result.err
    assert interlock('task', 'resume', TASK).out.startswith(f'{TASK} is in ')
    unknown = interlock(command, 'nowhere')
    assert 'there is no item `nowhere`' in unknown.err
