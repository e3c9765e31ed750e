from __future__ import annotations

import datetime
from typing import Any

import pytest

from interlock.handoff_document.case import Environment
from tests.handoff_document.pages import (
    CODE,
    PLAN,
    STATE,
    WRITTEN,
    errors,
    facts,
    found,
    line_of,
    page,
    state,
)

POINT = {'name': 'avant', 'git_ref': 'abc123', 'scope': 'x', 'command': 'y'}
FAILED = {'quality_gates__0__status': 'FAILED'}


@pytest.mark.parametrize(
    ('changes', 'number'),
    (
        pytest.param({}, 0, id='passed'),
        pytest.param(FAILED, 1, id='failed, no checkpoint'),
        pytest.param(
            {**FAILED, 'recovery__checkpoints': [POINT]}, 0, id='failed, checkpoint'
        ),
        pytest.param(
            {'recovery__checkpoints': [{**POINT, 'git_ref': 'dead'}]},
            1,
            id='a ref that is none',
        ),
        pytest.param({'quality_gates__0__status': 'PENDING'}, 0, id='pending'),
    ),
)
def test_where_a_gate_failed_there_is_a_checkpoint(
    changes: dict[str, Any], number: int
) -> None:
    told = found('DOC016', page(None, state(**changes)))
    assert len(told) == number
    assert all(each.severity == 'error' for each in told)


@pytest.mark.parametrize(
    ('status', 'there', 'good'),
    (
        ('match', True, True),
        ('match', False, False),
        ('partial', True, True),
        ('partial', False, False),
        ('missing', False, True),
        ('missing', True, False),
    ),
)
def test_artifacts_are_in_the_state_that_is_said(
    status: str, there: bool, good: bool
) -> None:
    world = facts((PLAN, CODE) if there else (PLAN,))
    text = page(None, state(artifacts__files__0__status=status))
    assert errors(text, world) == ([] if good else ['DOC017'])


def test_a_relative_artifact_is_looked_for_in_the_project() -> None:
    text = page(None, state(artifacts__files__0__path='café.py'))
    assert found('DOC017', text) == []


SECOND = datetime.timedelta(seconds=1)


@pytest.mark.parametrize('mode', ('auto', 'checkpoint'))
@pytest.mark.parametrize(
    ('saved', 'good'),
    (
        pytest.param(None, False, id='not saved'),
        pytest.param(WRITTEN - SECOND, False, id='saved before'),
        pytest.param(WRITTEN, True, id='in the same second'),
        pytest.param(WRITTEN + SECOND, True, id='saved after'),
    ),
)
def test_an_automatic_document_has_its_state_saved(
    mode: str, saved: datetime.datetime | None, good: bool
) -> None:
    text = page(None, state(mode=mode))
    world = facts(saved=lambda session: saved)
    assert errors(text, world) == ([] if good else ['DOC018'])


def test_the_state_of_its_own_session_is_asked_for() -> None:
    world = facts(saved={STATE['session_id']: WRITTEN}.get)
    assert errors(page(None, state(mode='auto')), world) == []
    other = '22222222-2222-4222-8222-222222222222'
    text = page(None, state(mode='auto', session_id=other))
    assert errors(text, world) == ['DOC018']


def test_the_store_knows_no_fractions_of_a_second() -> None:
    text = page(None, state(mode='auto', timestamp='2026-02-19T10:00:00.9Z'))
    assert errors(text, facts(saved=lambda session: WRITTEN)) == []


def test_a_document_by_hand_need_not_be_saved() -> None:
    def saved(session: str) -> None:
        raise AssertionError('the store is not asked')

    assert errors(page(), facts(saved=saved)) == []


@pytest.mark.parametrize(
    ('world', 'changes', 'said'),
    (
        pytest.param(Environment('main', 0, {}), {}, '', id='true'),
        pytest.param(Environment('autre', 0, {}), {}, 'branch', id='branch'),
        pytest.param(Environment('main', 3, {}), {}, '3 files', id='changes'),
        pytest.param(
            Environment('main', 3, {}),
            {'environment__git_status': '3 uncommitted'},
            '',
            id='counted',
        ),
        pytest.param(
            Environment('main', 0, {}),
            {
                'environment__worktrees': [
                    {
                        'path': '/srv/w',
                        'branch': 'b',
                        'purpose': 'x',
                        'assigned_to': None,
                    }
                ]
            },
            'does not exist',
            id='worktree',
        ),
        pytest.param(
            Environment('main', 0, {'/srv/w': 'c'}),
            {
                'environment__worktrees': [
                    {
                        'path': '/srv/w',
                        'branch': 'b',
                        'purpose': 'x',
                        'assigned_to': None,
                    }
                ]
            },
            'is at `c`',
            id='another branch',
        ),
        pytest.param(None, {}, '', id='no repository'),
    ),
)
def test_an_untrue_environment_is_a_warning(
    world: Environment | None, changes: dict[str, Any], said: str
) -> None:
    text = page(None, state(**changes))
    told = found('DOC028', text, facts(environment=world))
    assert len(told) == bool(said)
    for finding in told:
        assert finding.severity == 'warning'
        assert said in finding.message


@pytest.mark.parametrize(
    ('changes', 'moved', 'number'),
    (
        pytest.param({}, True, 0, id='no file named'),
        pytest.param(
            {'quality_gates__0__evidence': 'tests of café.py pass'},
            True,
            1,
            id='changed',
        ),
        pytest.param(
            {'quality_gates__0__evidence': f'read {CODE}'}, False, 0, id='unchanged'
        ),
        pytest.param(
            {
                'quality_gates__0__evidence': 'café.py',
                'quality_gates__0__status': 'RECHECK',
            },
            True,
            0,
            id='recheck',
        ),
        pytest.param({'quality_gates__0__evidence': 'autre.py'}, True, 0, id='gone'),
    ),
)
def test_a_passed_gate_whose_files_changed_is_to_be_rechecked(
    changes: dict[str, Any], moved: bool, number: int
) -> None:
    text = page(None, state(**changes))
    asked = []

    def changed_since(path: str, when: datetime.datetime) -> bool:
        asked.append((path, when))
        return moved

    told = found('DOC039', text, facts(changed_since=changed_since))
    assert [each.severity for each in told] == ['warning'] * number
    assert all(each.expected == 'RECHECK' for each in told)
    assert all(pair == (CODE, WRITTEN) for pair in asked)
    for finding in told:
        assert finding.line == line_of(text, 'status: PASSED')
