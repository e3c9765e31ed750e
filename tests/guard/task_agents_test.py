from __future__ import annotations

import json
from typing import Any

import pytest

from tests import spaces
from tests.conftest import Repo
from tests.desk import FORWARD, Desk
from tests.guard.agents import desk_of, start_agent
from tests.guard.asking import OTHER, SESSION
from tests.spaces import TASK, Space

MODES = ('default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions')


@pytest.fixture
def desk(space: Space, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A task of ours with two agents, in REQUIREMENTS."""
    monkeypatch.delenv('INTERLOCK_SESSION')
    made = desk_of(space, 'REQUIREMENTS')
    made.file('agents/architect/code').mkdir(parents=True)
    return made


def invocations(desk: Desk) -> Any:
    return desk.trail['agent_invocations']


def test_an_agent_starts_and_the_trail_says_so(desk: Desk) -> None:
    assert start_agent('architect', desk.code.path).is_silent
    (entry,) = invocations(desk)
    assert entry['agent_name'] == 'architect'
    assert entry['agent_mode'] == 'REQUIREMENTS'
    assert entry['status'] == 'running'
    assert entry['working_dir'] == str(desk.file('agents/architect/code'))
    assert desk.trail['session_id'] == SESSION


@pytest.mark.parametrize('agent', ('Architect', ' architect ', 'A:ARCHITECT'))
def test_names_of_agents_are_not_told_apart_by_case(desk: Desk, agent: str) -> None:
    assert start_agent(agent, desk.path).reason.startswith('CLD011')
    assert start_agent(agent, desk.code.path).is_silent
    assert [each['agent_name'] for each in invocations(desk)] == ['architect']


def test_a_synonym_is_logged_by_the_name_of_the_lock(desk: Desk) -> None:
    below = desk.code.path / 'below'
    below.mkdir()
    assert start_agent('team:engineer', below).is_silent
    assert [each['agent_name'] for each in invocations(desk)] == ['quality']


@pytest.mark.parametrize('state', ('INIT', *FORWARD))
def test_agents_run_in_some_states_only(desk: Desk, state: str) -> None:
    running = {'REQUIREMENTS', 'SYNTHESIS', 'IMPLEMENTATION', 'VALIDATION', 'REVIEW'}
    if state == 'INIT':
        desk.change(state=state, transition_log=spaces.log(state))
    else:
        desk.at(state)
    said = start_agent('architect', desk.code.path)
    if state in running:
        assert said.is_silent
        return
    assert said.decision == 'deny'
    assert said.reason.startswith(f'CLD011 {TASK} is in {state}, where ')
    assert not desk.file('audit-trail.json').exists()


@pytest.mark.parametrize(
    ('state', 'hint'),
    (
        pytest.param(
            'AWAITING_USER_APPROVAL',
            f"interlock transition {TASK} IMPLEMENTATION --reason 'WHY'",
            id='the user asked for changes',
        ),
        pytest.param(
            'CLASSIFIED',
            f'interlock transition {TASK} REQUIREMENTS',
            id='one step too early',
        ),
        pytest.param('COMPLETE', f'interlock task resume {TASK}', id='too late'),
    ),
)
def test_a_denial_names_the_one_command(desk: Desk, state: str, hint: str) -> None:
    desk.at(state)
    said = start_agent('architect', desk.code.path)
    assert said.reason.endswith(f'\nnext: {hint}')
    assert said.reason.count('interlock ') == 1


def test_where_a_change_leads_back_to_is_the_workflow_s_to_say(desk: Desk) -> None:
    desk.configure(
        'items:\n  task:\n    transitions:\n'
        '      - {from: nothing, to: INIT}\n'
        '      - {from: INIT, to: AWAITING_USER_APPROVAL, kind: forward}\n'
        '      - from: AWAITING_USER_APPROVAL\n        to: SYNTHESIS\n'
        '        kind: back\n        reason: reason\n'
    )
    desk.change(
        state='AWAITING_USER_APPROVAL',
        transition_log=spaces.log('INIT', 'AWAITING_USER_APPROVAL'),
    )
    said = start_agent('architect', desk.code.path)
    assert said.reason.endswith(f"transition {TASK} SYNTHESIS --reason 'WHY'")


@pytest.mark.parametrize(
    'where', ('main', f'tasks/{TASK}', f'tasks/{TASK}/agents/architect/code')
)
def test_agents_are_started_from_the_worktree_of_the_task(
    desk: Desk, where: str
) -> None:
    said = start_agent('architect', desk.path / where)
    assert said.decision == 'deny'
    assert said.reason.startswith('CLD011 start architect of bake-bread from')
    assert f'next: cd {desk.code.path}' in said.reason
    # a client that does not stay there is told what the user does
    assert f'claude --add-dir {desk.tasks}' in said.reason


@pytest.mark.parametrize(
    ('agent', 'session'),
    (
        pytest.param('general-purpose', SESSION, id='another agent'),
        pytest.param('performance', SESSION, id='not of this task'),
        pytest.param('architect', OTHER, id='another session'),
    ),
)
def test_other_agents_pass(desk: Desk, agent: str, session: str) -> None:
    desk.at('AWAITING_USER_APPROVAL')
    said = start_agent(agent, desk.main.path, session=session)
    assert said.is_silent
    assert not desk.file('audit-trail.json').exists()


def test_without_a_session_the_owner_of_an_agent_is_unknown(desk: Desk) -> None:
    said = start_agent('architect', desk.code.path, session='')
    assert said.decision == 'deny'
    assert said.reason.startswith('LCK003 ')
    assert start_agent('other', desk.code.path, session='').is_silent


def test_a_session_may_be_written_in_any_way(desk: Desk) -> None:
    escaped = ''.join(f'\\u{ord(char):04x}' for char in SESSION)
    file = desk.file('task.json')
    file.write_text(file.read_text('UTF-8').replace(SESSION, escaped))
    assert start_agent('architect', desk.main.path).decision == 'deny'


@pytest.mark.parametrize('mode', MODES)
def test_the_mode_of_permissions_changes_nothing(desk: Desk, mode: str) -> None:
    code = desk.code.path
    assert start_agent('architect', code, permission_mode=mode).is_silent
    desk.at('AWAITING_USER_APPROVAL')
    said = start_agent('architect', code, permission_mode=mode)
    assert said.decision == 'deny'


def test_a_trail_that_cannot_be_written_lets_no_agent_start(desk: Desk) -> None:
    desk.write('audit-trail.json', '{')
    said = start_agent('architect', desk.code.path)
    assert said.decision == 'deny'
    assert 'audit-trail.json' in said.reason


def test_many_agents_that_start_at_once_are_all_logged(desk: Desk) -> None:
    import concurrent.futures

    desk.change(required_agents=['architect', 'quality', 'style', 'test'])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        replies = list(
            pool.map(
                lambda agent: start_agent(agent, desk.code.path),
                ('architect', 'quality', 'style', 'test'),
            )
        )
    assert all(reply.is_silent for reply in replies)
    names = {each['agent_name'] for each in invocations(desk)}
    assert names == {'architect', 'quality', 'style', 'test'}


def test_both_workflows_side_by_side(project: Repo) -> None:
    project.write(
        {'.interlock.yaml': ('version: 1\nextends: [plugin-workflow, task-protocol]\n')}
    )
    said = start_agent('gui-agent', project.path, 'Bravo')
    assert said.decision == 'deny'
    assert start_agent('architect', project.path).is_silent
    assert json.loads(said.out)
