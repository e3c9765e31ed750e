from __future__ import annotations

import pytest

from interlock.state.transcript import Transcript
from tests.handoff_document.pages import errors, found, line_of, page, state


def booted(content: str, status: str = 'in_progress') -> dict[str, str]:
    return {
        '0.3 Todos': (
            f'```\nTodoWrite([{{"content": "{content}", "status": "{status}"}}])\n```'
        )
    }


@pytest.mark.parametrize(
    ('changes', 'said'),
    (
        pytest.param(booted('Écrire des tests'), 'Écrire des tests', id='words'),
        pytest.param(booted('Écrire les tests', 'pending'), '(pending)', id='status'),
        pytest.param({'0.3 Todos': '```\nTodoWrite([])\n```'}, 'nothing', id='missing'),
        pytest.param(
            {'1.8 Pending': '**Main Agent Todos (VERBATIM):**\n- Autre\n'},
            'Autre',
            id='1.8',
        ),
        pytest.param(
            {'1.8 Pending': ('**Main Agent Todos:**\n1. [x] Écrire les tests\n')},
            '(completed)',
            id='1.8, ticked',
        ),
        pytest.param(
            {'1.8 Pending': '**Main Agent Todos:** NONE\n'}, 'nothing', id='1.8, none'
        ),
    ),
)
def test_todos_that_differ_are_an_error(changes: dict[str, str], said: str) -> None:
    told = found('DOC015', page(changes))
    assert {each.severity for each in told} == {'error'}
    assert any(said in each.message for each in told)
    assert all('1.20' in each.message or '1.8' in each.message for each in told)


def test_a_difference_names_both_lines() -> None:
    text = page(booted('Autre'))
    (finding,) = found('DOC015', text)
    assert finding.line == line_of(text, 'TodoWrite')
    at = line_of(text, "- id: '1'")
    assert f'1.20 (line {at})' in finding.message


@pytest.mark.parametrize(
    'todos',
    (
        '**Main Agent Todos (VERBATIM):**\n- Écrire les tests\n',
        '**Main Agent Todos:**\n- [ ] Écrire les tests (in_progress)\n',
        '**Main Agent Todos:** [exact wording]\n',
        'In words.',
    ),
)
def test_the_same_todos_are_no_difference(todos: str) -> None:
    text = page({'1.8 Pending': f'{todos}\n**Implicit Todos:** none\n'})
    assert errors(text) == []


def test_the_tool_has_no_word_for_blocked() -> None:
    text = page(
        booted('Écrire les tests', 'pending'),
        state(todos__explicit__0__status='blocked'),
    )
    assert errors(text) == []


def test_the_last_todos_of_the_session_are_compared_as_a_warning() -> None:
    last = Transcript(todos=({'content': 'Écrire les tests', 'status': 'completed'},))
    (finding,) = found('DOC015', page(), None, last)
    assert finding.severity == 'warning'
    assert 'the transcript says' in finding.message
    same = Transcript(todos=({'content': 'Écrire les tests', 'status': 'in_progress'},))
    assert found('DOC015', page(), None, same) == []
    assert found('DOC015', page(), None, Transcript()) == []


def test_implicit_todos_are_those_of_the_state() -> None:
    text = page({'1.8 Pending': '**Implicit Todos:**\n- Nettoyer\n'})
    (finding,) = found('DOC036', text)
    assert f'line {line_of(text, "implicit:")}' in finding.message
    good = page(
        {'1.8 Pending': '**Implicit Todos:**\n- Nettoyer\n'},
        state(todos__implicit=['Nettoyer']),
    )
    assert found('DOC036', good) == []


def test_an_open_todo_without_verification_is_a_warning() -> None:
    text = page(None, state(todos__explicit__0__verification=None))
    (finding,) = found('DOC019', text)
    assert finding.severity == 'warning'
    assert errors(text) == []


def test_a_finished_todo_needs_no_verification() -> None:
    text = page(
        booted('Écrire les tests', 'completed'),
        state(
            todos__explicit__0__verification=None,
            todos__explicit__0__status='completed',
        ),
    )
    assert found('DOC019', text) == []


HEAD = '| Task | Command | Expected | Actual |\n|---|---|---|---|\n'


@pytest.mark.parametrize(
    ('row', 'number'),
    (
        pytest.param('| 1 | `pytest -q` | 5 | - |', 0, id='by id'),
        pytest.param('| Écrire les tests | `a` | 5 | - |', 0, id='by words'),
        pytest.param('| 2 | `pytest -q` | 5 | - |', 1, id='another'),
        pytest.param('| 1 | | 5 | - |', 1, id='no command'),
        pytest.param('| 1 | [command] | 5 | - |', 1, id='placeholder'),
    ),
)
def test_1_13_has_a_command_for_each_open_todo(row: str, number: int) -> None:
    text = page({'1.13 Verify': HEAD + row})
    told = found('DOC019', text)
    assert len(told) == number
    assert all(each.severity == 'warning' for each in told)
