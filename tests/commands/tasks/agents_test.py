from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from interlock.documents import timestamps
from interlock.operations.tasks import agents as operations
from tests.conftest import Interlock
from tests.desk import PARTS, PLAN, Desk
from tests.spaces import OTHER, TASK, at_terminal

FLAG = 'user-plan-approval-obtained.flag'


def test_before_the_requirements_agents_are_selected(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('CLASSIFIED')
    result = interlock('agents', 'add', TASK, 'test', '--why', 'très utile')
    assert result.code == 0, result.err
    lock = desk.read()
    assert lock['required_agents'] == ['architect', 'test']
    assert lock['agent_selection'] == {'test': 'très utile'}
    assert 'agent_additions' not in lock
    assert desk.file('agents/test/code/README.md').exists()
    assert desk.main.git('branch', '--list', f'{TASK}-test')


def test_another_name_of_an_agent_is_the_same_agent(
    desk: Desk, interlock: Interlock
) -> None:
    assert interlock('agents', 'add', TASK, 'quality', '--why', 'x').code == 0
    result = interlock('agents', 'add', TASK, 'engineer', '--why', 'x')
    assert result.code == 1
    assert 'quality already takes part' in result.err


def test_an_agent_of_the_beginning_gets_its_reason(
    desk: Desk, interlock: Interlock
) -> None:
    args = ('agents', 'add', TASK, 'architect', '--why', 'a design')
    assert interlock(*args).code == 0
    assert desk.read()['required_agents'] == ['architect']
    assert desk.read()['agent_selection'] == {'architect': 'a design'}
    result = interlock(*args)
    assert result.code == 1
    assert 'takes part' in result.err


@pytest.mark.parametrize('state', ('REQUIREMENTS', 'SYNTHESIS', 'IMPLEMENTATION'))
def test_later_they_are_added_with_a_justification(
    desk: Desk, interlock: Interlock, state: str
) -> None:
    desk.at(state)
    desk.write('task.md', PLAN)
    desk.code.commit({'X': 'of the task\n'})
    result = interlock('agents', 'add', TASK, 'security', '--why', 'logins')
    assert result.code == 0, result.err
    assert 'security has to write a report' in result.err
    lock = desk.read()
    assert lock['required_agents'] == ['architect', 'security']
    (addition,) = lock['agent_additions']
    assert addition == {
        'agent': 'security',
        'added_at_state': state,
        'timestamp': addition['timestamp'],
        'justification': 'logins',
    }
    text = desk.file('task.md').read_text(encoding='UTF-8')
    assert text == (f'{PLAN}\n## Agent security\n\nAdded in {state}: logins\n')
    # it starts from the work of the task
    assert desk.file('agents/security/code/X').exists()
    assert interlock('agents', 'check', TASK).code == 0


def test_in_the_synthesis_it_voids_the_approval(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('SYNTHESIS')
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect')
    desk.report('architect')
    desk.write(FLAG, '')
    assert interlock('present', TASK).code == 0
    assert at_terminal('approve', TASK)[0] == 0
    assert interlock('gate', TASK, 'IMPLEMENTATION').code == 0
    result = interlock('agents', 'add', TASK, 'security', '--why', 'logins')
    assert result.code == 0
    assert 'the plan is no longer approved' in result.err
    assert not desk.file(FLAG).exists()
    desk.status('security')
    desk.report('security')
    result = interlock('gate', TASK, 'IMPLEMENTATION', '-q')
    assert result.code == 1
    assert 'GAT021 plan-approved: the plan changed since' in result.out


def test_elsewhere_flags_stay(desk: Desk, interlock: Interlock) -> None:
    desk.at('IMPLEMENTATION')
    desk.write(FLAG, '')
    assert interlock('agents', 'add', TASK, 'test', '--why', 'tests').code == 0
    assert desk.file(FLAG).exists()


@pytest.mark.parametrize(
    ('prepare', 'agent', 'why', 'sentence'),
    (
        pytest.param(
            lambda desk: desk.at('REVIEW'),
            'test',
            'x',
            'too late to add an agent without a return to REQUIREMENTS',
            id='in the review',
        ),
        pytest.param(
            lambda desk: desk.at('VALIDATION'),
            'test',
            'x',
            'too late',
            id='in the validation',
        ),
        pytest.param(
            lambda desk: desk.at('COMPLETE'), 'test', 'x', 'too late', id='at the end'
        ),
        pytest.param(
            lambda desk: desk.at('REQUIREMENTS'),
            'test',
            ' ',
            'not added without a reason',
            id='without a reason',
        ),
        pytest.param(
            lambda desk: desk.at('REQUIREMENTS'),
            'test',
            '...',
            'not added without a reason',
            id='dots are no reason',
        ),
        pytest.param(
            lambda desk: desk.at('REQUIREMENTS'),
            'architect',
            'x',
            'takes part',
            id='twice',
        ),
        pytest.param(
            lambda desk: desk.at('REQUIREMENTS'),
            '../x',
            'x',
            'cannot be the name of an agent',
            id='a name that leads away',
        ),
        pytest.param(
            lambda desk: desk.change(session_id=OTHER),
            'test',
            'x',
            'LCK001',
            id="in another session's task",
        ),
        pytest.param(
            lambda desk: (
                desk.at('IMPLEMENTATION'),
                desk.status('architect', decision='REJECTED'),
            ),
            'test',
            'x',
            'architect rejected the work, and an agent is not added against '
            'a rejection',
            id='against a rejection',
        ),
    ),
)
def test_what_is_refused_changes_nothing(
    desk: Desk, interlock: Interlock, prepare: Any, agent: str, why: str, sentence: str
) -> None:
    prepare(desk)
    before = desk.bytes()
    result = interlock('agents', 'add', TASK, agent, '--why', why)
    assert result.code == 1
    assert sentence in result.err
    assert 'next: ' in result.err
    assert desk.bytes() == before
    assert len(desk.main.git('worktree', 'list').splitlines()) == 3


def test_a_return_to_the_requirements_answers_a_rejection(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('REVIEW')
    desk.status('architect', decision='REJECTED', updated_at='2026-01-02T03:30:00Z')
    assert (
        interlock('transition', TASK, 'REQUIREMENTS', '--reason', 'a new domain').code
        == 0
    )
    assert interlock('agents', 'add', TASK, 'security', '--why', 'logins').code == 0
    assert interlock('agents', 'check', TASK).code == 0


def test_what_fails_is_undone(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.at('REQUIREMENTS')
    before = desk.bytes()
    desk.file('task.json').chmod(0o444)
    result = interlock('agents', 'add', TASK, 'test', '--why', 'x')
    assert result.code == 2
    assert 'is read-only' in result.err
    assert desk.bytes() == before
    assert not desk.file('agents/test/code').exists()
    assert not desk.main.git('branch', '--list', f'{TASK}-test')


def test_a_worktree_that_a_killed_command_left_is_used(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.at('REQUIREMENTS')

    def die(*args: object) -> None:
        raise KeyboardInterrupt

    real = operations.add
    monkeypatch.setattr(operations, 'add', die)
    monkeypatch.setattr('interlock.commands.tasks.agents._undo', lambda *_: None)
    interlock('agents', 'add', TASK, 'test', '--why', 'x')
    assert desk.file('agents/test/code').exists()
    assert desk.read()['required_agents'] == ['architect']
    monkeypatch.setattr(operations, 'add', real)
    assert interlock('agents', 'add', TASK, 'test', '--why', 'x').code == 0
    assert desk.read()['required_agents'] == ['architect', 'test']


def test_agents_that_are_an_object_stay_one(desk: Desk, interlock: Interlock) -> None:
    data = desk.read()
    del data['required_agents']
    desk.put({**data, 'agents': {'architect': {'status': 'not_started'}}})
    desk.at('REQUIREMENTS')
    assert interlock('agents', 'add', TASK, 'test', '--why', 'x').code == 0
    assert desk.read()['agents'] == {'architect': {'status': 'not_started'}, 'test': {}}


ADDITION = {
    'agent': 'security',
    'added_at_state': 'REQUIREMENTS',
    'timestamp': '2026-01-02T03:30:00Z',
    'justification': 'logins',
}


@pytest.mark.parametrize(
    ('addition', 'values', 'codes'),
    (
        pytest.param({}, {}, [], id='fine'),
        pytest.param({'justification': ''}, {}, ['GAT035'], id='no justification'),
        pytest.param({'added_at_state': 'REVIEW'}, {}, ['GAT036'], id='too late'),
        pytest.param(
            {},
            {'required_agents': ['architect']},
            ['GAT038'],
            id='not among the agents',
        ),
        pytest.param(
            {},
            {
                'required_agents': ['architect', 'security', 'style'],
                'agent_selection': {'architect': 'x'},
            },
            ['GAT038', 'GAT008'],
            id='neither selected nor added',
        ),
    ),
)
def test_the_audit_of_additions(
    desk: Desk,
    interlock: Interlock,
    addition: dict[str, str],
    values: dict[str, Any],
    codes: list[str],
) -> None:
    desk.file('agents/security/code').mkdir(parents=True)
    desk.at(
        'REQUIREMENTS',
        agent_additions=[{**ADDITION, **addition}],
        **{'required_agents': ['architect', 'security'], **values},
    )
    result = interlock('agents', 'check', TASK, '--format', 'json')
    found = json.loads(result.out)
    assert [each['code'] for each in found['conditions'] if each['severity']] == codes
    assert result.code == bool(codes)
    assert found['advice'] is None


def test_an_addition_against_a_rejection_is_found(
    desk: Desk, interlock: Interlock
) -> None:
    desk.file('agents/security/code').mkdir(parents=True)
    desk.at(
        'IMPLEMENTATION',
        required_agents=['architect', 'security'],
        agent_additions=[{**ADDITION, 'added_at_state': 'IMPLEMENTATION'}],
    )
    desk.status('architect', decision='REJECTED', updated_at='2026-01-02T03:20:00Z')
    result = interlock('agents', 'check', TASK, '-q')
    assert result.code == 1
    assert 'GAT037' in result.out


def test_one_agent_that_is_done(desk: Desk, interlock: Interlock) -> None:
    desk.status('architect')
    desk.report('architect')
    result = interlock('agents', 'check', TASK, 'architect')
    assert result.code == 0
    assert 'architect: it is done' in result.out


def test_one_agent_without_a_report(desk: Desk, interlock: Interlock) -> None:
    desk.status('architect')
    result = interlock('agents', 'check', TASK, 'architect')
    assert result.code == 1
    assert 'GAT018' in result.out
    assert 'architect: it says that it is done, but' in result.out


def test_an_agent_that_takes_no_part(desk: Desk, interlock: Interlock) -> None:
    result = interlock('agents', 'check', TASK, 'architekt')
    assert result.code == 2
    assert 'did you mean `architect`?' in result.err


def in_synthesis(desk: Desk) -> None:
    """The step to it said who took part."""
    desk.at('SYNTHESIS')
    *log, last = desk.read()['transition_log']
    desk.change(transition_log=[*log, {**last, 'agents': ['architect']}])


@pytest.mark.parametrize(
    ('agents', 'said'),
    (
        pytest.param(['architect', 'style'], 'neither selected nor added', id='added'),
        pytest.param([], 'was removed since', id='removed'),
    ),
)
def test_what_is_done_by_hand_is_seen_by_gates_and_by_task_check(
    desk: Desk, interlock: Interlock, agents: list[str], said: str
) -> None:
    in_synthesis(desk)
    assert interlock('task', 'check', TASK).code == 0
    desk.change(required_agents=agents)
    result = interlock('gate', TASK, 'IMPLEMENTATION')
    assert 'fails    GAT038' in result.out
    assert said in result.out
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (1, ['GAT038'])
    # a step back does not hide it
    result = interlock('transition', TASK, 'REQUIREMENTS', '--reason', 'é')
    assert result.code == 0, result.out
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (1, ['GAT038'])
    # they may be selected anew
    result = interlock('transition', TASK, 'CLASSIFIED', '--reason', 'é')
    assert result.code == 0, result.out
    assert interlock('task', 'check', TASK).code == 0


def test_who_is_added_by_the_command_is_nobodys_concern(
    desk: Desk, interlock: Interlock
) -> None:
    in_synthesis(desk)
    assert interlock('agents', 'add', TASK, 'style', '--why', 'é').code == 0
    assert interlock('task', 'check', TASK).code == 0
    result = interlock('gate', TASK, 'IMPLEMENTATION')
    assert 'holds    GAT038' in result.out


def test_a_return_to_the_requirements_answers_a_late_addition(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at(
        'REVIEW',
        required_agents=['architect', 'style'],
        agent_additions=[
            {
                'agent': 'style',
                'added_at_state': 'REVIEW',
                'justification': 'é',
                'timestamp': '2026-01-02T03:09:00Z',
            }
        ],
    )
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (1, ['GAT036'])
    result = interlock('transition', TASK, 'REQUIREMENTS', '--reason', 'é')
    assert result.code == 0, result.out
    assert interlock('task', 'check', TASK).code == 0


def test_a_rejection_after_an_addition_accuses_nobody(
    desk: Desk, interlock: Interlock
) -> None:
    """The status file says no time of its own."""
    desk.at('REQUIREMENTS')
    assert interlock('agents', 'add', TASK, 'security', '--why', 'é').code == 0
    steps = desk.read()['transition_log']
    for target in ('SYNTHESIS', 'IMPLEMENTATION', 'VALIDATION', 'REVIEW'):
        steps.append(
            {'from': steps[-1]['to'], 'to': target, 'timestamp': timestamps.now()}
        )
    desk.change(state='REVIEW', transition_log=steps)
    desk.status('architect', decision='REJECTED')
    assert interlock('agents', 'check', TASK).code == 0
    result = interlock('gate', TASK, 'AWAITING_USER_APPROVAL')
    assert 'holds    GAT037' in result.out
    assert interlock('transition', TASK, 'IMPLEMENTATION', '--reason', 'é').code == 0
    assert 'holds    GAT037' in interlock('gate', TASK, 'VALIDATION').out


@pytest.mark.parametrize('state', ('IMPLEMENTATION', 'VALIDATION', 'REVIEW'))
def test_an_addition_against_a_rejection_leads_all_the_way_back(
    desk: Desk, interlock: Interlock, state: str
) -> None:
    """Every command that is named as the next one can be run."""
    desk.at(state)
    desk.status('architect', decision='REJECTED', updated_at='2026-01-02T03:30:00Z')
    desk.change(
        agent_additions=[
            {
                'agent': 'style',
                'added_at_state': 'IMPLEMENTATION',
                'timestamp': '2026-01-02T04:00:00Z',
                'justification': 'a friend',
            }
        ],
        required_agents=['architect', 'style'],
    )
    said = interlock('agents', 'check', TASK).out
    assert 'fails    GAT037' in said
    line = said.partition('GAT037')[2].partition('next: ')[2].splitlines()[0]
    for command in line.split(' && '):
        args = shlex.split(command)[1:]
        result = interlock(*args)
        assert result.code == 0, result.out + result.err
    assert desk.read()['state'] == 'REQUIREMENTS'
    assert 'holds    GAT037' in interlock('agents', 'check', TASK).out
