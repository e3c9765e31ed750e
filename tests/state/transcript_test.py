from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.state.transcript import (
    Correction,
    Message,
    Transcript,
    message_kind,
    read,
)
from tests.profiles import some

TIME = '2026-01-02T03:04:05.678Z'


def line(kind: str, content: Any, **more: Any) -> bytes:
    entry = {
        'type': kind,
        'timestamp': TIME,
        'message': {'role': kind, 'content': content},
        **more,
    }
    text = json.dumps(entry, separators=(',', ':'), ensure_ascii=False)
    return text.encode() + b'\n'


def said(text: str, **more: Any) -> bytes:
    return line('user', text, **more)


def answered(text: str) -> bytes:
    return line('assistant', [{'type': 'text', 'text': text}])


def called(name: str, **given: Any) -> bytes:
    return line(
        'assistant', [{'type': 'tool_use', 'id': 't', 'name': name, 'input': given}]
    )


def result(text: Any, error: bool) -> bytes:
    return line(
        'user',
        [
            {
                'type': 'tool_result',
                'tool_use_id': 't',
                'content': text,
                **({'is_error': True} if error else {}),
            }
        ],
    )


@pytest.mark.parametrize(
    ('text', 'before', 'kind'),
    (
        ('Bau bitte den Parser', '', 'request'),
        ('now add the tests', 'Done.', 'request'),
        ('the second one', 'Which of the two?', 'clarification'),
        ('no, use a real database', 'I mocked it.', 'correction'),
        ("Don't touch main", 'Done.', 'correction'),
        ('use sqlite instead', 'I chose Postgres.', 'correction'),
        ('I said no mocks', 'Mocked.', 'correction'),
        ('why did you delete it', 'Deleted.', 'correction'),
        ('yes', 'Shall I go on?', 'approval'),
        ('LGTM', 'Done.', 'approval'),
        ('continue', 'Done.', 'approval'),
        ('great, it works', 'Done.', 'feedback'),
        ('it is too slow', 'Done.', 'feedback'),
        ('it still fails', 'Done.', 'feedback'),
        (f'ok now {"build " * 30}', 'Done.', 'request'),
    ),
)
def test_a_message_is_one_of_five_kinds(text: str, before: str, kind: str) -> None:
    assert message_kind(text, before, first=False) == kind


def test_the_first_message_is_a_request() -> None:
    assert message_kind('no, stop', '', first=True) == 'request'


def test_a_session() -> None:
    assert read(
        [
            said('Bau den Parser'),
            answered('I mocked the database.'),
            called('TodoWrite', todos=[{'content': 'alt', 'status': 'pending'}]),
            result('ok', error=False),
            called('Bash', command='x'),
            result([{'type': 'text', 'text': 'Exit code 3'}], error=True),
            said('no, use a real one'),
            called('Skill', skill='testing'),
            called('Read', file_path='/x/é.md'),
            called('Edit', file_path='/x/é.md'),
            called('NotebookEdit', notebook_path='/x/n.ipynb'),
            called('TodoWrite', todos=[{'content': 'neu', 'status': 'pending'}]),
        ]
    ) == Transcript(
        messages=(
            Message('Bau den Parser', 'request', TIME),
            Message('no, use a real one', 'correction', TIME),
        ),
        errors=('Exit code 3',),
        corrections=(Correction('I mocked the database.', 'no, use a real one'),),
        todos=({'content': 'neu', 'status': 'pending'},),
        skills=('testing',),
        paths=('/x/é.md', '/x/n.ipynb'),
    )


def task(use: str, **given: str) -> bytes:
    return line(
        'assistant',
        [{'type': 'tool_use', 'id': use, 'name': 'TaskCreate', 'input': given}],
    )


def made(use: str, number: str, **more: bool) -> bytes:
    return line(
        'user',
        [{'type': 'tool_result', 'tool_use_id': use, **more}],
        toolUseResult={'task': {'id': number, 'subject': 'x'}},
    )


def test_tasks_are_the_todos_of_a_session_without_a_list() -> None:
    lines = [
        said('x'),
        task('u1', subject='bâtir', activeForm='bâtit'),
        made('u1', '1'),
        task('u2', subject='peindre'),
        made('u2', '2'),
        task('u3', subject='échouer'),
        made('u3', '3', is_error=True),
        task('u4', subject='oublier'),
        made('u4', '4'),
        called('TaskUpdate', taskId='1', status='completed'),
        called('TaskUpdate', taskId='2', subject='laver'),
        called('TaskUpdate', taskId='4', status='deleted'),
        called('TaskUpdate', taskId='9', status='completed'),
        called('TaskCreate'),
    ]
    assert read(lines).todos == (
        {'content': 'bâtir', 'status': 'completed', 'activeForm': 'bâtit', 'id': '1'},
        {'content': 'laver', 'status': 'pending', 'id': '2'},
    )
    assert read(lines[:2]).todos == (
        {'content': 'bâtir', 'status': 'pending', 'activeForm': 'bâtit'},
    )
    assert read(lines[:1]).todos is None


def listed(use: str, content: str) -> bytes:
    given = {'todos': [{'content': content, 'status': 'pending'}]}
    return line(
        'assistant',
        [{'type': 'tool_use', 'id': use, 'name': 'TodoWrite', 'input': given}],
    )


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [
        pytest.param([listed('u1', 'é')], 'é', id='still to be answered'),
        pytest.param([listed('u1', 'é'), made('u1', '')], 'é', id='it worked'),
        pytest.param(
            [listed('u1', 'é'), made('u1', '', is_error=True)], None, id='no such tool'
        ),
        pytest.param(
            [
                listed('u1', 'é'),
                made('u1', ''),
                listed('u2', 'ü'),
                made('u2', '', is_error=True),
            ],
            'é',
            id='the one before stays',
        ),
    ],
)
def test_a_list_that_the_client_refused_is_not_the_list(
    lines: list[bytes], expected: str | None
) -> None:
    found = read([said('x'), *lines]).todos
    assert (found and found[0]['content']) == expected


def test_documents_that_are_spoken_of_are_named() -> None:
    assert read(
        [
            said('nach /p/é-plan.md, wie in docs/b.md; http://x/c.md'),
            answered('I read "/p/d.md"\n/p/e.md and ~/f.md'),
            result('/p/found-by-a-tool.md', error=False),
        ]
    ).paths == ('/p/é-plan.md', '/p/d.md', '/p/e.md')


@pytest.mark.parametrize(
    'entry',
    (
        pytest.param(said('x', isMeta=True), id='of the client'),
        pytest.param(said('x', isCompactSummary=True), id='a summary'),
        pytest.param(said('x', isSidechain=True), id='to a subagent'),
        pytest.param(said('<system-reminder>x</system-reminder>'), id='a reminder'),
        pytest.param(
            said('<local-command-stdout>x</local-command-stdout>'),
            id='output of a command',
        ),
        pytest.param(said('[Request interrupted by user]'), id='an interruption'),
        pytest.param(said('Caveat: x'), id='a caveat'),
        pytest.param(said('   '), id='nothing'),
        pytest.param(b'{"type":"user","message":{"con', id='half a line'),
        pytest.param(b'"user"\n', id='no object'),
        pytest.param(b'{"type":"user","message":7}\n', id='no message'),
        pytest.param(b'{"type":"user"}\n', id='nothing in it'),
        pytest.param(b'\xff"user"\n', id='no UTF-8'),
        pytest.param(b'["user"]' * 3, id='no JSON'),
    ),
)
def test_what_the_user_did_not_write_is_not_a_message(entry: bytes) -> None:
    assert read([entry, said('écrit')]).messages == (Message('écrit', 'request', TIME),)


def test_the_transcript_of_an_agent_is_all_beside_the_session() -> None:
    lines = [said('x', isSidechain=True)]
    assert read(lines).messages == ()
    assert len(read(lines, agent=True).messages) == 1


def test_a_slash_command_is_what_was_typed() -> None:
    text = (
        '<command-message>x</command-message>\n<command-name>/handoff'
        '</command-name>\n<command-args>manuel</command-args>'
    )
    assert read([said(text)]).messages[0].text == '/handoff manuel'


def test_long_texts_are_cut() -> None:
    found = read([said('é' * 9000), result('x' * 9000, error=True)])
    assert len(found.messages[0].text) == 4000
    assert len(found.errors[0]) == 500


@settings(max_examples=some(100), deadline=None)
@given(
    st.lists(
        st.binary(max_size=40)
        | st.builds(
            lambda a, b: a + b'"user"' + b + b'"assistant"' + a,
            st.binary(max_size=9),
            st.binary(max_size=9),
        )
    )
)
def test_no_input_makes_it_fail(lines: list[bytes]) -> None:
    assert read(lines) == Transcript()
