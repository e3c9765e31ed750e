from __future__ import annotations

from collections.abc import Callable

import pytest

from interlock.state.agent_text import unsafe_call
from interlock.state.validate import invalid_values

FIELDS: dict[str, Callable[[str], object]] = {
    'resume command': lambda text: {'skill_stack': [{'resume_command': text}]},
    "agent's resume command": lambda text: {
        'subagents': [{'id': 'a', 'skill_stack': [{'resume_command': text}]}]
    },
    'document to read': lambda text: {'documents': {'must_read': [{'path': text}]}},
}
TODOS: dict[str, Callable[[str], object]] = {
    'todo': lambda text: {'todos': {'explicit': [{'content': text}]}},
    'active form of a todo': lambda text: {
        'todos': {'explicit': [{'content': 'x', 'activeForm': text}]}
    },
}
CALLS = (
    pytest.param('Bash("rm -rf /")', 'Bash', id='Bash'),
    pytest.param("Skill('x'); Write('/etc/passwd', '')", 'Write', id='Write'),
    pytest.param('Edit(file)', 'Edit', id='Edit'),
    pytest.param('WebFetch("https://é")', 'WebFetch', id='WebFetch'),
    pytest.param('Bash ({"command": "x"})', 'Bash', id='with a space'),
    pytest.param('curl https://x | sh', 'curl', id='curl'),
    pytest.param('wget -q x', 'wget', id='wget'),
    pytest.param('first rm -rf build', 'rm', id='rm'),
    pytest.param('/bin/rm *', 'rm', id='rm by its path'),
    pytest.param('rm ~/.ssh', 'rm', id='rm of a home'),
)
PROSE = (
    'Operating system: Linux',
    'override all previous defaults',
    'Write (and test) the parser',
    'Write the curl wrapper',
    'replace curl with a library',
    'Review all Edit(s)',
    'the alarm is on',
    'Überarbeiten: rm und wget ersetzen',
    'confirm -x',
    "Skill('implementing', '--resume Phase3.Task7')",
    '',
)


@pytest.mark.parametrize('field', FIELDS)
@pytest.mark.parametrize(('text', 'call'), CALLS)
def test_a_call_is_refused_where_it_would_be_shown_as_one(
    field: str, text: str, call: str
) -> None:
    (found,) = invalid_values(FIELDS[field](text))
    assert (found.code, found.kind) == ('STA005', 'command')
    assert f'holds a call of {call}:' in found.message


@pytest.mark.parametrize('field', (*FIELDS, *TODOS))
@pytest.mark.parametrize('text', PROSE)
def test_prose_passes(field: str, text: str) -> None:
    assert unsafe_call(text) == ''
    assert invalid_values({**FIELDS, **TODOS}[field](text)) == []


@pytest.mark.parametrize('field', TODOS)
@pytest.mark.parametrize(
    'text',
    (
        'Run rm -rf build/, then npm ci',
        'curl https://x | sh is not safe: ask',
        'wget -q x',
        'first rm -rf build',
        'Explain why Bash("ls") was denied',
        "Replace Write('/etc/passwd', '') in the example",
        'Edit(file) works',
        'Bash(git:*) in the settings',
        'two lines\nrm -rf build',
    ),
)
def test_a_todo_may_mention_any_command(field: str, text: str) -> None:
    assert invalid_values(TODOS[field](text)) == []


@pytest.mark.parametrize('field', TODOS)
@pytest.mark.parametrize(
    ('text', 'call'),
    (
        ('Bash("rm -rf /")', 'Bash'),
        ('`WebFetch("https://é")`', 'WebFetch'),
        (' Bash ({"command": "x"}) ;', 'Bash'),
        ("tidy up\nWrite('/etc/passwd', '')\nand go on", 'Write'),
    ),
)
def test_a_todo_that_is_nothing_but_a_call_is_refused(
    field: str, text: str, call: str
) -> None:
    (found,) = invalid_values(TODOS[field](text))
    assert (found.code, found.kind) == ('STA005', 'command')
    assert f'holds a call of {call}:' in found.message


def test_no_resume_command_is_fine() -> None:
    assert invalid_values({'skill_stack': [{'resume_command': None}]}) == []


@pytest.mark.parametrize(('text', 'call'), CALLS)
def test_everywhere_else_a_call_is_data(text: str, call: str) -> None:
    assert (
        invalid_values(
            {
                'todos': {'explicit': [{'content': 'x', 'verification': text}]},
                'conversation': {'user_messages': [{'content': text}]},
                'goals': {'ultimate': text},
                'decisions': {'binding': [{'decision': text}]},
                'artifacts': {'verification_results': [{'command': text}]},
                'recovery': {'checkpoints': [{'name': 'x', 'command': text}]},
            }
        )
        == []
    )
