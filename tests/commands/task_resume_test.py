from __future__ import annotations

import json
import os
from typing import Any

import pytest

from interlock.world import holding
from tests.conftest import Interlock
from tests.desk import Desk
from tests.desk import PLAN
from tests.spaces import OTHER
from tests.spaces import TASK

SEVEN = [
    'architect', 'engineer', 'formatter', 'builder', 'tester', 'security',
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
    assert (exit_code, found['action'], found['invoke']) == (
        code, action, agents,
    )
    assert found['state'] == 'REQUIREMENTS'
    assert found['worktree'] == {
        'path': str(desk.code.path), 'exists': True,
    }
    assert [each['complete'] for each in found['agents']] == [
        number < done for number in range(7)
    ]
    # it never writes
    assert desk.bytes() == before


def test_the_gate_is_shown_and_does_not_decide(
        desk: Desk,
        interlock: Interlock,
) -> None:
    interrupted(desk, 7)
    desk.change(session_id=OTHER)
    code, found = resume(interlock)
    assert code == 0
    assert found['next_state'] == 'SYNTHESIS'
    assert [
        each['code'] for each in found['gate'] if each['severity'] == 'error'
    ] == ['GAT004']


def test_in_words(desk: Desk, interlock: Interlock) -> None:
    interrupted(desk, 3)
    result = interlock('task', 'resume', TASK)
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == f'{TASK} is in REQUIREMENTS'
    assert f'  worktree {desk.code.path} exists' in lines
    assert any(
        line.startswith('  builder          no status    no report; start: ')
        for line in lines
    )
    assert lines[-1] == (
        'INVOKE_INCOMPLETE [builder, tester, security, performance]: not '
        'done: builder, tester, security, performance'
    )


def test_where_no_agents_run(desk: Desk, interlock: Interlock) -> None:
    code, found = resume(interlock)
    assert (code, found['action']) == (0, 'TRANSITION_TO_CLASSIFIED')


def test_at_the_end_nothing_comes_next(
        desk: Desk,
        interlock: Interlock,
) -> None:
    desk.at('CLEANUP')
    code, found = resume(interlock)
    assert (code, found['action'], found['gate']) == (0, 'nothing', [])


def test_a_worktree_that_is_gone_is_said(
        desk: Desk,
        interlock: Interlock,
        monkeypatch: pytest.MonkeyPatch,
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
            '2026-01-02T03:29:00Z', 'since 29 minutes: wait', id='works',
        ),
        pytest.param(
            {'status': 'WORKING', 'updated_at': '2026-01-02T04:00:00+01:00'},
            '2026-01-02T03:31:00Z', 'over 30: start it again', id='stale',
        ),
        pytest.param(
            {'status': 'MERGING', 'updated_at': '2026-01-02T03:00:00Z'},
            '2026-01-02T04:01:00Z', 'over 60: start it again, or ask',
            id='an hour',
        ),
        pytest.param(
            {'status': 'WORKING'}, '2026-01-02T03:40:00Z',
            'since 35 minutes, over 30', id='by the time of the file',
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
    desk.status('architect', **status)
    changed = 1767323100  # 2026-01-02T03:05:00Z
    os.utime(
        desk.file('agents/architect/status.json'), (changed, changed),
    )
    monkeypatch.setattr(holding, 'now', lambda: now)
    _, found = resume(interlock)
    assert advice in found['agents'][0]['why']
    result = interlock('agents', 'check', TASK, 'architect')
    assert result.code == 1
    assert advice in result.out


def test_retries_are_counted_in_the_trail(
        desk: Desk,
        interlock: Interlock,
) -> None:
    desk.at('REQUIREMENTS')
    for number in range(3):
        assert interlock(
            'trail', 'add', TASK, 'agent-start', 'architect',
        ).code == 0
        desk.status('architect', status='ERROR', error_message='KeyError')
        assert interlock(
            'trail', 'add', TASK, 'agent-end', 'architect', '--status',
            'failed',
        ).code == 0
        _, found = resume(interlock)
        expected = 'start' if number < 2 else 'ask the user'
        assert found['agents'][0]['action'] == expected
        assert found['agents'][0]['starts'] == number + 1
