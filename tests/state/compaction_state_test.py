from __future__ import annotations

from typing import Any

import pytest

from interlock.state.compaction_state import Session, compaction_state
from interlock.state.sanitize import sanitized
from interlock.state.transcript import Correction, Message, Transcript
from interlock.state.validate import MAX_STATE, State, invalid_values
from tests.state.states import SESSION, whole

NOW = 1_767_322_800.0
HERE = Session(
    '/home/zoë/projet',
    SESSION,
    NOW,
    {
        'git_branch': 'main',
        'git_status': '2 uncommitted',
        'worktrees': [{'path': '/w', 'branch': 'été'}],
    },
)
TOLD = Transcript(
    messages=(Message('Weiter', 'approval', '2026-01-02T03:00:00Z'),),
    errors=('Exit code 3',),
    corrections=(Correction('mocked', 'use a real one'),),
)


def test_the_state_of_a_session_that_nothing_is_known_of() -> None:
    state, left_out = compaction_state({}, TOLD, HERE)
    assert left_out == []
    assert invalid_values(state) == []
    assert state == {
        'format_version': '3.0',
        'mode': 'auto',
        'project_path': '/home/zoë/projet',
        'project_encoded': 'home-zoë-projet',
        'session_id': SESSION,
        'timestamp': '2026-01-02T03:00:00Z',
        'compaction_count': 1,
        'environment': HERE.environment,
        'conversation': {
            'user_messages': [
                {
                    'content': 'Weiter',
                    'type': 'approval',
                    'timestamp': '2026-01-02T03:00:00Z',
                }
            ],
            'corrections': [
                {
                    'original': 'mocked',
                    'correction': 'use a real one',
                    'lesson': 'use a real one',
                }
            ],
            'errors': [{'error': 'Exit code 3', 'fix': None, 'user_feedback': None}],
        },
    }


def test_what_nobody_tells_stays_as_it_was_saved() -> None:
    state, _ = compaction_state(whole(), TOLD, HERE)
    for key in (
        'identity',
        'skill_stack',
        'subagents',
        'workflow',
        'goals',
        'todos',
        'documents',
        'decisions',
        'artifacts',
        'quality_gates',
        'recovery',
    ):
        assert state[key] == whole()[key], key


def test_the_purpose_of_a_worktree_stays() -> None:
    saved = whole()
    saved['environment']['worktrees'] = [{'path': '/w', 'purpose': 'fixes'}]
    state, _ = compaction_state(saved, TOLD, HERE)
    assert state['environment']['worktrees'] == [
        {'path': '/w', 'purpose': 'fixes', 'branch': 'été'}
    ]


def test_each_compaction_counts() -> None:
    state = whole()
    for count in (1, 2, 3):
        state, _ = compaction_state(state, TOLD, HERE)
        assert state['compaction_count'] == count


def test_what_is_told_again_is_kept_once() -> None:
    once, _ = compaction_state({}, TOLD, HERE)
    twice, _ = compaction_state(once, TOLD, HERE)
    assert twice['conversation'] == once['conversation']


def test_what_was_said_twice_is_kept_twice() -> None:
    again = Message('Weiter', 'approval', '')
    told = Transcript(messages=(again, again))
    state, _ = compaction_state({}, told, HERE)
    assert len(state['conversation']['user_messages']) == 2
    state, _ = compaction_state(state, told, HERE)
    assert len(state['conversation']['user_messages']) == 2


def test_a_fix_that_was_saved_stays() -> None:
    saved: State = {
        'conversation': {
            'errors': [
                {'error': 'Exit code 3', 'fix': 'quoted it', 'user_feedback': None}
            ]
        }
    }
    state, _ = compaction_state(saved, TOLD, HERE)
    assert state['conversation']['errors'] == saved['conversation']['errors']


@pytest.mark.parametrize(
    ('about', 'absent'),
    (
        (HERE._replace(session=''), 'session_id'),
        (HERE._replace(environment={}), 'environment'),
    ),
)
def test_what_is_not_known_is_not_made_up(about: Session, absent: str) -> None:
    assert absent not in compaction_state({}, TOLD, about)[0]


def test_calls_that_no_hook_saw_are_taken_from_the_transcript() -> None:
    told = Transcript(
        todos=({'content': 'x', 'status': 'pending', 'zz': 1},), skills=('a', 'b')
    )
    state, _ = compaction_state({}, told, HERE)
    assert state['todos'] == {'explicit': [{'content': 'x', 'status': 'pending'}]}
    assert state['skill_stack'] == [{'name': 'b'}]
    assert compaction_state(whole(), told, HERE)[0]['todos'] == whole()['todos']


def test_a_good_state_is_left_as_it_is() -> None:
    assert sanitized(whole()) == (whole(), [])


@pytest.mark.parametrize(
    ('state', 'rest', 'said'),
    (
        pytest.param(
            {
                'todos': {
                    'explicit': [
                        {'content': 'Bash("x")', 'status': 'pending'},
                        {'content': 'größer', 'status': 'pending'},
                    ]
                }
            },
            {
                'todos': {
                    'explicit': [
                        {
                            'content': '(left out: it is a call of Bash)',
                            'status': 'pending',
                        },
                        {'content': 'größer', 'status': 'pending'},
                    ]
                }
            },
            ['`todos.explicit[0].content` is shown to an agent', '(STA005)'],
            id='a todo',
        ),
        pytest.param(
            {'skill_stack': [{'name': 'a', 'resume_command': 'rm -rf /'}]},
            {'skill_stack': [{'name': 'a'}]},
            ['`skill_stack[0].resume_command`'],
            id='a resume command',
        ),
        pytest.param(
            {'mode': 'auto', 'größe': 1}, {'mode': 'auto'}, ['`größe`'], id='a key'
        ),
        pytest.param(
            {'todos': {'explicit': [{'content': 'x', 'status': 'done'}]}},
            {'todos': {'explicit': [{'content': 'x'}]}},
            ['`todos.explicit[0].status`'],
            id='a value',
        ),
    ),
)
def test_what_must_not_be_saved_is_left_out_and_said(
    state: State, rest: State, said: list[str]
) -> None:
    left, sentences = sanitized(state)
    assert left == rest
    assert invalid_values(left) == []
    (sentence,) = sentences
    for part in said:
        assert part in sentence


def test_of_a_state_that_is_too_large_the_oldest_messages_go() -> None:
    messages = [
        {'content': f'{number}:{"x" * 4000}', 'type': 'request'}
        for number in range(400)
    ]
    state: dict[str, Any] = {
        'mode': 'auto',
        'conversation': {'user_messages': messages},
    }
    left, sentences = sanitized(state)
    assert sentences == [
        'the oldest 200 of `conversation.user_messages`: the state is too large'
    ]
    assert left['conversation']['user_messages'] == messages[200:]
    assert len(messages) == 400, 'the state itself is not touched'


def test_as_a_last_resort_the_largest_part_goes() -> None:
    texts = ['x' * 100_000] * (MAX_STATE // 100_000 + 1)
    left, sentences = sanitized({'mode': 'auto', 'todos': {'implicit': texts}})
    assert left == {'mode': 'auto'}
    assert sentences == ['`todos`: the state is too large']
