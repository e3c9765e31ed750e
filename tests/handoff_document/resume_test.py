from __future__ import annotations

from typing import Any

import pytest

from interlock.handoff_document.case import Case, Environment, ProjectFacts
from interlock.handoff_document.document import parse
from interlock.handoff_document.resume import (
    BAD,
    NOTE,
    OK,
    CheckedLine,
    VerifyCommand,
    commands,
    passed,
    progress,
    steps,
)
from interlock.model.change import Blob
from tests.handoff_document.pages import (
    CALL,
    CODE,
    PLAN,
    STATE,
    TOP,
    facts,
    page,
    state,
)


def case(text: str, world: ProjectFacts) -> Case:
    data = text.encode()
    return Case('handoff.md', parse(Blob('', len(data), data)), world)


def resumed(
    text: str, world: ProjectFacts | None = None
) -> dict[str, list[CheckedLine]]:
    world = world or facts()
    return steps(case(text, world), world)


def test_where_all_is_as_it_says_nothing_is_bad() -> None:
    found = resumed(page(), facts(read={PLAN: '# Plan\n'}.get))
    assert not any(line.kind == BAD for lines in found.values() for line in lines)
    assert found['Smoke test'] == [
        CheckedLine(OK, f'directory {TOP}, expected {TOP}'),
        CheckedLine(OK, PLAN),
        CheckedLine(OK, 'branch main'),
        CheckedLine(OK, '0 uncommitted'),
    ]
    assert found['Run the skill again'] == [CheckedLine(NOTE, CALL)]
    assert found['Read the documents'] == [CheckedLine(NOTE, f'Read("{PLAN}")')]
    assert found['Artifacts'] == [CheckedLine(OK, CODE)]


@pytest.mark.parametrize(
    ('world', 'bad'),
    (
        pytest.param(facts(cwd='/elsewhere'), ['/elsewhere'], id='directory'),
        pytest.param(facts((CODE,)), ['MISSING'], id='file'),
        pytest.param(
            facts(environment=Environment('autre', 2, {})),
            ['autre', '2 files'],
            id='git',
        ),
        pytest.param(facts(cwd=f'{TOP}/sous'), [], id='below the directory'),
        pytest.param(facts(environment=None), [], id='no repository'),
    ),
)
def test_the_smoke_test_finds_what_is_not_as_it_says(
    world: ProjectFacts, bad: list[str]
) -> None:
    lines = [
        line.text for line in resumed(page(), world)['Smoke test'] if line.kind == BAD
    ]
    assert len(lines) == len(bad)
    for text, line in zip(bad, lines, strict=True):
        assert text in line


@pytest.mark.parametrize(
    ('status', 'words'),
    (
        ('completed', ('process', 'fini')),
        ('running', ('wait',)),
        ('pending', ('wait',)),
        ('blocked', ('unblock', 'la base')),
        ('failed', ('replace', 'same', 'essayeuse', 'écrire')),
    ),
)
def test_each_subagent_gets_what_its_status_asks_for(
    status: str, words: tuple[str, ...]
) -> None:
    text = page(
        None,
        state(
            subagents__0__status=status,
            subagents__0__blockers=['la base'],
            subagents__0__output_summary='fini',
        ),
    )
    (line,) = resumed(text)['Subagents']
    assert line.kind == NOTE
    assert all(word in line.text for word in words)


@pytest.mark.parametrize(
    ('status', 'there', 'verdict'),
    (
        ('match', True, OK),
        ('match', False, BAD),
        ('partial', True, BAD),
        ('missing', False, BAD),
        ('missing', True, BAD),
    ),
)
def test_artifacts_are_looked_at(status: str, there: bool, verdict: str) -> None:
    text = page(None, state(artifacts__files__0__status=status))
    world = facts((PLAN, CODE) if there else (PLAN,))
    (line,) = resumed(text, world)['Artifacts']
    assert line.kind == verdict


def test_the_progress_of_a_plan_is_told() -> None:
    plan = '# Plan\n\n- [x] un\n- [x] deux\n- [ ] trois\n- [ ] quatre\n'
    (line,) = resumed(page(), facts(read={PLAN: plan}.get))['Plans']
    assert line == CheckedLine(
        NOTE, f'{PLAN}: at Phase 3, Task 7, 2 of 4 tasks done, next: trois'
    )
    (line,) = resumed(page())['Plans']
    assert line == CheckedLine(BAD, f'{PLAN} MISSING')


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        ('', (0, 0, '')),
        ('- [x] a\n', (1, 1, '')),
        ('* [ ] a\n  - [X] b\n', (1, 2, 'a')),
        ('- a\n', (0, 0, '')),
    ),
)
def test_tasks_are_boxes(text: str, expected: tuple[int, int, str]) -> None:
    assert progress(text) == expected


def test_the_exact_position_comes_last() -> None:
    text = page({'1.1 Org': 'x', 'Main agent': '- **Exact Position:** a:47'})
    assert list(resumed(text).items())[-1] == (
        'Exact Position',
        [CheckedLine(NOTE, 'a:47')],
    )
    assert resumed(page())['Exact Position'] == [CheckedLine(NOTE, 'not given')]


def test_without_a_skill_there_is_nothing_to_do() -> None:
    found = resumed(page({'0.1 W': 'NO ACTIVE SKILL'}))
    assert found['Run the skill again'] == [CheckedLine(NOTE, 'nothing to do')]


def test_the_commands_of_1_13_are_found() -> None:
    text = page(
        {
            '1.13 Verify': (
                '| Task | Command | Expected | Actual |\n|---|---|---|---|\n'
                '| 1 | `echo a \\| wc -l` | 1 | [run] |\n'
                '| 2 | [command] | 1 | [run] |\n| 3 | | 1 | - |\n'
            )
        }
    )
    assert commands(case(text, facts())) == [VerifyCommand('1', 'echo a | wc -l', '1')]


@pytest.mark.parametrize(
    ('expected', 'code', 'output', 'good'),
    (
        ('5', 0, '5\n', True),
        ('5', 0, '6\n', False),
        ('OK', 0, ' ok\n', True),
        ('exit 0', 0, 'x', True),
        ('exit 0', 1, 'x', False),
        ('exit 2', 2, '', True),
        ('-', 0, 'x', True),
        ('', 1, 'x', False),
        ('`5`', 0, '5', True),
    ),
)
def test_a_result_is_compared_with_what_is_expected(
    expected: str, code: int, output: str, good: bool
) -> None:
    assert passed(VerifyCommand('1', 'x', expected), code, output) == good


def test_any_state_can_be_resumed_from() -> None:
    damaged: dict[str, Any] = {key: 'x' for key in STATE if key != 'format_version'}
    assert resumed(page(None, damaged), facts())['Subagents'] == []


@pytest.mark.parametrize('status', ('completed', 'failed', 'blocked'))
def test_what_is_null_is_not_called_none(status: str) -> None:
    agent = {
        'id': 'a',
        'status': status,
        'persona': None,
        'task': None,
        'prompt_summary': None,
        'output_summary': None,
        'blockers': None,
    }
    plan = {**STATE['documents']['impl'][0], 'current_position': None}
    found = resumed(
        page(None, state(subagents=[agent], documents__impl=[plan])),
        facts(read={PLAN: '# Plan\n'}.get),
    )
    assert not any('None' in line.text for lines in found.values() for line in lines)
