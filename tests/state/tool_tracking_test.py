from __future__ import annotations

from typing import Any

import pytest

from interlock.state.merge import merge
from interlock.state.tool_tracking import Sources, agent_stopped, tool_used
from interlock.state.validate import State, invalid_values
from tests.state.states import whole


def used(
    tool: str,
    given: dict[str, Any],
    response: Any = None,
    state: State | None = None,
    look: Sources | None = None,
) -> State:
    event = {
        'hook_event_name': 'PostToolUse',
        'tool_name': tool,
        'tool_input': given,
        'tool_response': response,
        'tool_use_id': 'toolu_1',
    }
    update = tool_used(event, state or {}, look or Sources())
    assert invalid_values(update) == []
    return update


@pytest.mark.parametrize('tool', ('Skill', 'mcp_skill'))
def test_a_skill_goes_onto_the_stack(tool: str) -> None:
    update = used(tool, {'skill': 'größer', 'args': '--resume "x"'})
    assert update == {
        'skill_stack': [
            {'name': 'größer', 'resume_command': 'Skill("größer", "--resume \\"x\\"")'}
        ]
    }


def test_a_skill_without_arguments_is_resumed_without() -> None:
    update = used('Skill', {'skill': 'a'})
    assert update['skill_stack'][0]['resume_command'] == 'Skill("a")'


def test_a_skill_brings_its_constraints() -> None:
    constraints = {'forbidden': ['x'], 'required': []}
    update = used('Skill', {'skill': 'a'}, look=Sources(skill={'a': constraints}.get))
    assert update['skill_stack'][0]['constraints'] == constraints
    other = used('Skill', {'skill': 'b'}, look=Sources(skill={'a': constraints}.get))
    assert 'constraints' not in other['skill_stack'][0]


@pytest.mark.parametrize('tool', ('Agent', 'Task', 'mcp_task'))
@pytest.mark.parametrize(
    ('response', 'status'),
    (
        ({'status': 'async_launched', 'agentId': 'a1'}, 'running'),
        ({'status': 'completed', 'agentId': 'a1'}, 'completed'),
    ),
)
def test_an_agent_is_one_of_the_subagents(
    tool: str, response: dict[str, str], status: str
) -> None:
    update = used(
        tool,
        {'description': 'écrire', 'prompt': 'p' * 900, 'subagent_type': 'tester'},
        response,
    )
    assert update == {
        'subagents': [
            {
                'id': 'a1',
                'persona': 'tester',
                'prompt_summary': f'{"p" * 499}…',
                'task': 'écrire',
                'status': status,
                'skill_stack': [],
            }
        ]
    }


def test_an_agent_that_has_ended_does_not_run_again() -> None:
    ended = agent_stopped(
        {'agent_id': 'a1', 'agent_type': 'x', 'last_assistant_message': 'é'}, {}
    )
    update = used(
        'Agent',
        {'description': 'd'},
        {'status': 'async_launched', 'agentId': 'a1'},
        ended,
    )
    (agent,) = merge(ended, update)['subagents']
    assert (agent['status'], agent['task']) == ('completed', 'd')


def test_an_agent_without_an_id_has_that_of_the_call() -> None:
    update = used('Task', {'prompt': 'x'})
    assert update['subagents'][0]['id'] == 'toolu_1'


@pytest.mark.parametrize(
    ('last', 'status', 'summary'),
    (
        pytest.param('fertig', 'completed', 'fertig', id='done'),
        pytest.param('', 'failed', None, id='without a word'),
        pytest.param(None, 'failed', None, id='nothing'),
        pytest.param('API Error: 500', 'failed', 'API Error: 500', id='an error'),
    ),
)
def test_a_stopped_agent_is_completed_or_failed(
    last: str | None, status: str, summary: str | None
) -> None:
    event = {
        'agent_id': 'agent-1',
        'agent_type': 'tester',
        'last_assistant_message': last,
    }
    update = agent_stopped(event, whole())
    assert update == {
        'subagents': [{'id': 'agent-1', 'status': status, 'output_summary': summary}]
    }
    (known,) = merge(whole(), update)['subagents']
    assert known['persona'] == 'tester', 'what was known stays'
    (new,) = agent_stopped(event, {})['subagents']
    assert new['persona'] == 'tester'


@pytest.mark.parametrize(
    'event', ({}, {'agent_id': 'x'}, {'agent_id': 'x', 'agent_type': ''})
)
def test_agents_of_the_client_itself_are_none(event: State) -> None:
    assert agent_stopped(event, {}) == {}


@pytest.mark.parametrize('tool', ('TodoWrite', 'mcp_todowrite'))
def test_todos_become_the_list(tool: str) -> None:
    todos = [{'content': 'Fix bug', 'status': 'pending', 'activeForm': 'Fixing'}]
    update = used(tool, {'todos': todos}, state=whole())
    assert update == {'todos': {'explicit': todos}}
    assert merge(whole(), update)['todos']['explicit'] == todos


def test_a_todo_that_stays_keeps_what_the_list_does_not_say() -> None:
    update = used(
        'TodoWrite',
        {'todos': [{'content': 'Add tests', 'status': 'completed', 'activeForm': 'x'}]},
        state=whole(),
    )
    assert update['todos']['explicit'] == [
        {
            'id': '2',
            'priority': 'high',
            'delegated_to': 'agent-1',
            'verification': 'rm -rf x; pytest -q',
            'content': 'Add tests',
            'status': 'completed',
            'activeForm': 'x',
        }
    ]


def test_tasks_are_todos_too() -> None:
    state: State = {}
    for name, given, response in (
        ('TaskCreate', {'subject': 'a', 'activeForm': 'ä'}, {'task': {'id': '1'}}),
        ('TaskCreate', {'subject': 'b'}, {'task': {'id': 2}}),
        ('TaskUpdate', {'taskId': '1', 'status': 'in_progress'}, {}),
        ('TaskUpdate', {'taskId': '2', 'subject': 'c'}, {}),
    ):
        state = merge(state, used(name, given, response, state))
    assert state['todos']['explicit'] == [
        {'content': 'a', 'status': 'in_progress', 'id': '1', 'activeForm': 'ä'},
        {'content': 'c', 'status': 'pending', 'id': '2'},
    ]
    state = merge(
        state, used('TaskUpdate', {'taskId': '1', 'status': 'deleted'}, {}, state)
    )
    assert [each['id'] for each in state['todos']['explicit']] == ['2']


@pytest.mark.parametrize('tool', ('Read', 'mcp_read'))
@pytest.mark.parametrize(
    ('path', 'kind'),
    (
        ('/x/a-design.md', 'design'),
        ('/x/a-impl.md', 'impl'),
        ('/x/a-plan.md', 'impl'),
        ('/plans/été.md', 'impl'),
        ('/plans/x-design.md', 'design'),
    ),
)
def test_a_plan_that_is_read_is_to_be_read_again(
    tool: str, path: str, kind: str
) -> None:
    update = used(tool, {'file_path': path}, look=Sources('/plans'))
    assert update == {
        'documents': {
            kind: [{'path': path}],
            'must_read': [{'path': path, 'why': 'read in this session', 'priority': 1}],
        }
    }


def test_a_plan_that_is_listed_keeps_its_reason() -> None:
    update = used('Read', {'file_path': '/x/a-impl.md'}, state=whole())
    assert 'must_read' not in update['documents']
    assert merge(whole(), update)['documents'] == whole()['documents']


@pytest.mark.parametrize(
    'path', ('/x/a.py', '/x/plan.md', '/plans/x.py', '/plansx/a.md', '')
)
def test_another_file_that_is_read_is_nothing(path: str) -> None:
    assert used('Read', {'file_path': path}, look=Sources('/plans')) == {}


@pytest.mark.parametrize(
    ('tool', 'key'),
    (
        ('Write', 'file_path'),
        ('Edit', 'file_path'),
        ('NotebookEdit', 'notebook_path'),
        ('mcp_write', 'filePath'),
    ),
)
def test_a_file_that_is_written_is_an_artifact(tool: str, key: str) -> None:
    assert used(tool, {key: '/x/é.py'}) == {
        'artifacts': {'files': [{'path': '/x/é.py', 'actual': 'written'}]}
    }


@pytest.mark.parametrize(
    'event',
    (
        {},
        {'tool_name': 'Bash', 'tool_input': {'command': 'x'}},
        {'tool_name': 'Skill'},
        {'tool_name': 'Skill', 'tool_input': []},
        {'tool_name': 'TodoWrite', 'tool_input': {'todos': 'x'}},
        {'tool_name': 'TaskCreate', 'tool_input': {}},
        {'tool_name': 'Write', 'tool_input': {'file_path': 3}},
        {'tool_name': 'Agent', 'tool_input': {}},
        {'tool_name': None},
    ),
)
def test_nothing_is_made_of_nothing(event: State) -> None:
    assert tool_used(event, {}) == {}
