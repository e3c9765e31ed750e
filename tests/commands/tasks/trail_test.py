from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

from tests.conftest import Interlock
from tests.desk import TRAIL, Desk
from tests.spaces import OTHER, TASK


def add(interlock: Interlock, *args: str) -> None:
    result = interlock('trail', 'add', TASK, *args)
    assert result.code == 0, result.err


def last(desk: Desk, section: str) -> dict[str, Any]:
    entry: dict[str, Any] = desk.trail[section][-1]
    return entry


@pytest.mark.parametrize(
    ('args', 'section', 'expected'),
    (
        pytest.param(
            ('transition', 'INIT->CLASSIFIED'),
            'state_transitions',
            {
                'from_state': 'INIT',
                'to_state': 'CLASSIFIED',
                'verification_passed': True,
            },
            id='transition',
        ),
        pytest.param(
            ('agent-start', 'architect', '--mode', 'requirements', '--directory', '/é'),
            'agent_invocations',
            {
                'agent_name': 'architect',
                'agent_mode': 'requirements',
                'working_dir': '/é',
                'status': 'running',
            },
            id='agent-start',
        ),
        pytest.param(
            (
                'tool',
                'Edit',
                '--file',
                'todo.md',
                '--note',
                'coördination',
                '--agent',
                'architect',
                '--directory',
                '/x',
            ),
            'tool_usage',
            {
                'tool': 'Edit',
                'file_path': 'todo.md',
                'note': 'coördination',
                'agent_name': 'architect',
                'working_dir': '/x',
            },
            id='tool',
        ),
        pytest.param(
            (
                'build',
                './mvnw verify',
                '--result',
                'SUCCESS',
                '--tests-run',
                '34',
                '--tests-passed',
                '34',
                '--tests-failed',
                '0',
            ),
            'build_verifications',
            {
                'command': './mvnw verify',
                'result': 'SUCCESS',
                'tests_run': 34,
                'tests_passed': 34,
                'tests_failed': 0,
            },
            id='build',
        ),
    ),
)
def test_a_step_is_logged(
    desk: Desk,
    interlock: Interlock,
    args: tuple[str, ...],
    section: str,
    expected: dict[str, Any],
) -> None:
    before = desk.trail
    add(interlock, *args)
    entry = last(desk, section)
    times = {key for key in entry if 'timestamp' in key}
    assert len(times) == 1
    assert {k: v for k, v in entry.items() if k not in times} == expected
    after = desk.trail
    after[section].pop()
    assert after == before


def test_an_agent_that_ends_closes_what_it_was_started_for(
    desk: Desk, interlock: Interlock
) -> None:
    for _ in range(2):
        add(interlock, 'agent-start', 'architect')
    add(interlock, 'agent-end', 'architect', '--report', 'r.md')
    first, second = desk.trail['agent_invocations']
    assert first['status'] == 'running'
    assert second['status'] == 'completed'
    assert second['report_location'] == 'r.md'
    assert second['completion_timestamp'] >= second['invocation_timestamp']
    add(interlock, 'agent-end', 'architect', '--status', 'failed')
    assert desk.trail['agent_invocations'][0]['status'] == 'failed'
    result = interlock('trail', 'add', TASK, 'agent-end', 'architect')
    assert result.code == 1
    assert 'architect is not running' in result.err


def test_a_commit_is_logged_with_what_git_knows(
    desk: Desk, interlock: Interlock
) -> None:
    sha = desk.code.commit(
        {'é.txt': 'x', 'README.md': 'changed\n'}, '[agent:architect] Add é\n\nmore'
    )
    add(interlock, 'commit', 'HEAD', '--agent', 'architect')
    entry = last(desk, 'commits')
    assert entry == {
        'sha': sha,
        'agent': 'architect',
        'branch': TASK,
        'timestamp': entry['timestamp'],
        'files_created': ['é.txt'],
        'files_modified': ['README.md'],
        'message': '[agent:architect] Add é',
    }


@pytest.mark.parametrize(
    ('args', 'code', 'sentence'),
    (
        pytest.param(('commit', 'nope'), 2, '`nope` is not a commit', id='no commit'),
        pytest.param(('transition', 'INIT'), 2, 'FROM->TO', id='one state'),
        pytest.param(('transition', 'INIT->BANANA'), 2, 'FROM->TO', id='no state'),
        pytest.param(('build', 'make'), 2, 'a build has a --result', id='no result'),
        pytest.param(
            ('build', 'make', '--result', 'X', '--tests-run', '-1'),
            2,
            'Invalid value',
            id='fewer than none',
        ),
        pytest.param(('nap', 'x'), 2, 'Invalid value', id='no such kind'),
        pytest.param(('agent-end', 'x'), 1, 'is not running', id='no agent'),
    ),
)
def test_what_makes_no_sense_is_not_logged(
    desk: Desk, interlock: Interlock, args: tuple[str, ...], code: int, sentence: str
) -> None:
    before = desk.bytes()
    result = interlock('trail', 'add', TASK, *args)
    assert result.code == code
    assert sentence in result.err
    assert desk.bytes() == before


def test_only_the_holder_logs(desk: Desk, interlock: Interlock) -> None:
    desk.change(session_id=OTHER)
    before = desk.bytes()
    result = interlock('trail', 'add', TASK, 'tool', 'Edit')
    assert result.code == 1
    assert 'LCK001' in result.err
    assert desk.bytes() == before


@pytest.mark.parametrize(
    ('changed', 'message'),
    (
        pytest.param({}, '', id='complete'),
        pytest.param({'tool_usage': []}, '', id='no tools'),
        pytest.param(
            {
                'agent_invocations': [
                    {
                        'agent_type': 'x',
                        'status': 'completed',
                        'invocation_timestamp': '2026-01-02T03:01:00+01:00',
                    }
                ]
            },
            '',
            id='another name of the agent',
        ),
        pytest.param(
            {'state_transitions': []},
            'nothing in `state_transitions`',
            id='no transitions',
        ),
        pytest.param(
            {'agent_invocations': []}, 'nothing in `agent_invocations`', id='no agents'
        ),
        pytest.param({'commits': []}, 'nothing in `commits`', id='no commits'),
        pytest.param(
            {
                'agent_invocations': [
                    {
                        'agent_name': 'x',
                        'status': 'running',
                        'invocation_timestamp': '2026-01-02T03:01:00Z',
                    }
                ]
            },
            'x, started at 2026-01-02T03:01:00Z, is running',
            id='running',
        ),
        pytest.param(
            {
                'agent_invocations': [
                    {
                        'agent_name': 'x',
                        'status': 'COMPLETED',
                        'invocation_timestamp': '2026-01-02T03:01:00Z',
                    }
                ]
            },
            'malformed: `agent_invocations.0.status`',
            id='upper case',
        ),
        pytest.param({'commits': {}}, 'malformed: `commits`', id='no list'),
        pytest.param(
            {'commits': [{'sha': 'xyz', 'timestamp': 'now'}]},
            'malformed: `commits.0.',
            id='no commit',
        ),
        pytest.param({'task_name': 3}, 'malformed: `task_name`', id='no name'),
        pytest.param({'started_at': None}, 'malformed: `started_at`', id='no time'),
    ),
)
def test_is_the_trail_complete(
    desk: Desk, interlock: Interlock, changed: dict[str, Any], message: str
) -> None:
    desk.write('audit-trail.json', json.dumps({**TRAIL, **changed}))
    before = desk.bytes()
    result = interlock('trail', 'check', TASK)
    assert result.code == bool(message), result.out
    assert message in result.out
    assert 'GAT033' in result.out
    assert desk.bytes() == before


@pytest.mark.parametrize(
    ('content', 'message'),
    (
        pytest.param(None, 'there is no audit trail', id='missing'),
        pytest.param('', 'the audit trail is empty', id='empty'),
        pytest.param('{"a"', 'is not valid JSON', id='truncated'),
        pytest.param('3', 'is not an object', id='a number'),
    ),
)
def test_a_trail_that_cannot_be_read_is_not_complete(
    desk: Desk, interlock: Interlock, content: str | None, message: str
) -> None:
    desk.file('audit-trail.json').unlink()
    if content is not None:
        desk.write('audit-trail.json', content)
    result = interlock('trail', 'check', TASK)
    assert result.code == 1
    assert message in result.out


def test_a_life_by_commands_has_a_trail_that_its_schema_accepts(
    desk: Desk, interlock: Interlock
) -> None:
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0
    add(interlock, 'agent-start', 'architect')
    add(interlock, 'agent-end', 'architect')
    add(interlock, 'tool', 'Edit')
    add(interlock, 'commit', 'HEAD')
    add(interlock, 'build', 'make', '--result', 'SUCCESS')
    assert interlock('trail', 'check', TASK).code == 0


@pytest.mark.parametrize(
    ('changed', 'kinds'),
    (
        pytest.param(
            {
                'agent_invocations': [
                    {
                        'agent_name': 'architect',
                        'status': 'running',
                        'invocation_timestamp': '2026-01-02T03:01:00Z',
                    }
                ]
            },
            ['agent-end'],
            id='runs',
        ),
        pytest.param(
            {
                'agent_invocations': [
                    {
                        'agent_name': 'architect',
                        'status': 'failed',
                        'invocation_timestamp': '2026-01-02T03:01:00Z',
                    }
                ]
            },
            ['agent-start', 'agent-end'],
            id='failed',
        ),
        pytest.param(
            {'agent_invocations': []}, ['agent-start', 'agent-end'], id='never started'
        ),
        pytest.param({'commits': []}, ['commit'], id='no commit'),
        pytest.param({'state_transitions': []}, ['transition'], id='no transition'),
    ),
)
def test_the_commands_that_are_named_complete_it(
    desk: Desk, interlock: Interlock, changed: dict[str, Any], kinds: list[str]
) -> None:
    desk.at('CLASSIFIED')
    desk.write('audit-trail.json', json.dumps({**TRAIL, **changed}))
    for kind in kinds:
        result = interlock('trail', 'check', TASK)
        assert result.code == 1
        named = re.search('next: interlock (.*)', result.out)
        assert named is not None and f' {kind} ' in named[1], result.out
        again = interlock(*shlex.split(named[1]))
        assert again.code == 0, again.err
    assert interlock('trail', 'check', TASK).code == 0


def test_without_a_trail_the_first_commit_begins_it(
    desk: Desk, interlock: Interlock
) -> None:
    desk.file('audit-trail.json').unlink()
    result = interlock('trail', 'check', TASK)
    assert f'next: interlock trail add {TASK} commit HEAD' in result.out
    assert interlock('trail', 'add', TASK, 'commit', 'HEAD').code == 0
    assert len(desk.trail['commits']) == 1
