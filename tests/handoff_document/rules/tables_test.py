from __future__ import annotations

from typing import Any

import pytest

from interlock.handoff_document.outline import outline
from tests.handoff_document.pages import (
    CODE,
    PLAN,
    errors,
    facts,
    found,
    line_of,
    page,
    state,
)


def table(*rows: str) -> str:
    columns = rows[0].count('|') - 1
    return '\n'.join([rows[0], '|' + '---|' * columns, *rows[1:]])


SKILLS = '| Skill | Parent | Phase/Step | Resume Command |'
AGENTS = '| Agent ID | Persona | Task | Status | Output |'
DESIGNS = '| Path | Purpose | Status | Re-Read Priority |'
IMPLS = '| Path | From | Phase/Task | Tracking? |'
READ = '| Priority | Path (ABSOLUTE) | Why | Focus Section |'
FILES = '| Path | Expected (per plan) | Actual | Status |'
DECISIONS = '| Decision | Rationale | Confirmed | Binding |'
GATES = '| Gate | Status | Evidence | Skip? |'
POINTS = '| Checkpoint | Git Ref | Scope | Recovery |'
MESSAGES = '| # | Type | Message Summary |'
CORRECTIONS = '| Original Behavior | Correction | Lesson |'
ERRORS = '| Error | Resolution | User Involved? |'

GOOD: tuple[tuple[str, str], ...] = (
    (
        '1.1.1 Stack',
        table(
            SKILLS,
            '| bâtir | user | Phase 3, Task 7 | '
            '`Skill("bâtir", "--resume Phase3.Task7")` |',
        ),
    ),
    (
        '1.1.1 Stack',
        table(
            SKILLS,
            '| bâtir | - | Phase 3 / Task 7 | '
            "Skill('bâtir', '--resume Phase3.Task7') |",
        ),
    ),
    (
        'Active Subagents',
        table(AGENTS, '| agent-1 | essayeuse | tests | **Running** | |'),
    ),
    ('1.9 Plans', table(IMPLS, f'| `{PLAN}` | x | Phase 3, Task 7 | yes |')),
    (
        '1.10 Again',
        table(READ, f'| 1 | {PLAN} | la suite | all |')
        + f'\n\n```\nRead("{PLAN}")\n```',
    ),
    ('1.12 Files', table(FILES, f'| {CODE} | there | there | Match |')),
    ('1.15 Decisions', table(DECISIONS, '| sqlite | sans serveur | Yes | ABSOLUTE |')),
    ('1.18 Gates', table(GATES, '| review | PASSED | rapport | No |')),
    ('1.22 Points', table(POINTS, '| - | - | - | - |')),
    ('1.25 Talk', table(MESSAGES, '| 1 | request | un café |')),
    ('1.25 Talk', table(CORRECTIONS, '| mocks | vraie base | pas de mocks |')),
)


@pytest.mark.parametrize(('title', 'body'), GOOD)
def test_a_table_that_says_what_the_state_says_is_not_a_difference(
    title: str, body: str
) -> None:
    text = page({title: body})
    assert errors(text) == []
    assert found('DOC037', text) == []


@pytest.mark.parametrize(
    ('title', 'body', 'said', 'wanted'),
    (
        pytest.param(
            '1.1.1 Stack',
            table(
                SKILLS,
                '| bâtir | autre | Phase 3, Task 7 | '
                '`Skill("bâtir", "--resume Phase3.Task7")` |',
            ),
            'autre',
            'parent:',
            id='parent',
        ),
        pytest.param(
            '1.1.1 Stack',
            table(
                SKILLS,
                '| bâtir | user | Phase 2, Task 7 | '
                '`Skill("bâtir", "--resume Phase3.Task7")` |',
            ),
            'Phase 2',
            'phase:',
            id='phase',
        ),
        pytest.param(
            '1.1.1 Stack',
            table(SKILLS, '| bâtir | user | Phase 3, Task 7 | `Skill("x")` |'),
            'Skill("x")',
            'resume_command:',
            id='command',
        ),
        pytest.param(
            'Active Subagents',
            table(AGENTS, '| agent-1 | essayeuse | tests | completed | |'),
            'completed',
            'status: running',
            id='subagent',
        ),
        pytest.param(
            '1.9 Plans',
            table(IMPLS, f'| {PLAN} | x | Phase 2 | Yes |'),
            'Phase 2',
            'current_position:',
            id='position',
        ),
        pytest.param(
            '1.10 Again',
            table(READ, f'| 2 | {PLAN} | la suite | x |')
            + f'\n\n```\nRead("{PLAN}")\n```',
            '2',
            'priority: 1',
            id='priority',
        ),
        pytest.param(
            '1.12 Files',
            table(FILES, f'| {CODE} | there | gone | Match |'),
            'gone',
            'actual:',
            id='artifact',
        ),
        pytest.param(
            '1.15 Decisions',
            table(DECISIONS, '| sqlite | sans serveur | Yes | SESSION |'),
            'SESSION',
            'binding: ABSOLUTE',
            id='decision',
        ),
        pytest.param(
            '1.18 Gates',
            table(GATES, '| review | FAILED | rapport | No |'),
            'FAILED',
            'status: PASSED',
            id='gate',
        ),
        pytest.param(
            '1.18 Gates',
            table(GATES, '| review | PASSED | rapport | Yes |'),
            'Yes',
            'can_skip:',
            id='skip',
        ),
        pytest.param(
            '1.25 Talk',
            table(MESSAGES, '| 1 | correction | x |'),
            'correction',
            'type: request',
            id='message',
        ),
        pytest.param(
            '1.25 Talk',
            table(CORRECTIONS, '| autre | vraie base | pas de mocks |'),
            'autre',
            'original:',
            id='correction',
        ),
    ),
)
def test_a_difference_is_an_error_that_names_both_lines(
    title: str, body: str, said: str, wanted: str
) -> None:
    text = page({title: body})
    (finding,) = found('DOC036', text)
    assert finding.severity == 'error'
    assert finding.line == line_of(text, body.split('\n')[2])
    assert said in finding.message
    assert f'(line {line_of(text, wanted)})' in finding.message


@pytest.mark.parametrize(
    ('title', 'body', 'changes'),
    (
        pytest.param(
            '1.15 Decisions',
            table(
                DECISIONS,
                '| sqlite | sans serveur | Yes | ABSOLUTE |',
                '| cobol | non | Yes | SESSION |',
            ),
            {},
            id='only in the table',
        ),
        pytest.param('1.15 Decisions', table(DECISIONS), {}, id='no rows'),
        pytest.param(
            '1.22 Points',
            table(POINTS, '| a | abc123 | x | y |'),
            {},
            id='a checkpoint',
        ),
        pytest.param(
            '1.25 Talk', table(ERRORS, '| panne | réparée | no |'), {}, id='an error'
        ),
        pytest.param(
            '1.9 Plans',
            table(IMPLS, f'| {PLAN} | x | Phase 3, Task 7 | Yes |')
            + '\n\n'
            + table(DESIGNS, f'| {CODE} | x | DRAFT | HIGH |'),
            {},
            id='a design',
        ),
        pytest.param(
            '1.25 Talk',
            table(MESSAGES, '| 1 | request | x |', '| 2 | approval | y |'),
            {},
            id='a message more',
        ),
    ),
)
def test_a_row_that_stands_only_once_is_an_error(
    title: str, body: str, changes: dict[str, Any]
) -> None:
    (finding,) = found('DOC036', page({title: body}, state(**changes)))
    assert finding.severity == 'error'
    assert finding.message.count('(line ') == 2


def test_nothing_is_compared_where_only_one_of_them_exists() -> None:
    text = page({'1.15 Decisions': 'Aucune.'})
    assert found('DOC036', text) == []
    text = page({'1.18 Gates': table(GATES, '| x | PASSED | y | No |')})
    text = text.replace('quality_gates:', 'quality_gates: []\nother:')
    assert 'DOC036' in errors(text)


def test_a_table_of_placeholders_is_not_a_difference() -> None:
    text = page({'1.15 D': table(DECISIONS, '| [x] | [y] | Yes | SESSION |')})
    assert [each.message for each in found('DOC036', text)] == [
        f'1.20 (line {line_of(text, "decision: sqlite")}) names `sqlite`, '
        f'1.15 (line {line_of(text, DECISIONS)}) does not'
    ]


@pytest.mark.parametrize(
    ('title', 'header', 'row'),
    (
        ('1.9 Plans', DESIGNS, '| /a.md | x | FINAL | HIGH |'),
        ('1.9 Plans', DESIGNS, '| /a.md | x | DRAFT | LOW |'),
        ('1.9 Plans', IMPLS, f'| {PLAN} | x | Phase 3, Task 7 | perhaps |'),
        ('Active Subagents', AGENTS, '| agent-1 | essayeuse | tests | asleep | |'),
        ('1.12 Files', FILES, f'| {CODE} | there | there | Good |'),
        ('1.15 D', DECISIONS, '| sqlite | sans serveur | Maybe | ABSOLUTE |'),
        ('1.15 D', DECISIONS, '| sqlite | sans serveur | Yes | ALWAYS |'),
        ('1.18 Gates', GATES, '| review | GREEN | rapport | No |'),
        ('1.18 Gates', GATES, '| review | PASSED | rapport | Never |'),
        ('1.25 Talk', MESSAGES, '| 1 | order | x |'),
    ),
)
def test_a_word_that_a_column_does_not_know_is_a_warning(
    title: str, header: str, row: str
) -> None:
    told = found('DOC037', page({title: table(header, row)}))
    assert [each.severity for each in told] == ['warning']


@pytest.mark.parametrize('word', ('match', 'Match', 'MATCH', '`Match`'))
def test_case_makes_no_difference_in_a_table(word: str) -> None:
    row = f'| {CODE} | there | there | {word} |'
    text = page({'1.12 Files': table(FILES, row)})
    assert found('DOC037', text) == []


@pytest.mark.parametrize(('status', 'number'), (('failed', 0), ('needs-follow-up', 1)))
def test_the_words_of_the_state_win_over_those_of_the_text(
    status: str, number: int
) -> None:
    text = page(
        {
            'Active Subagents': table(
                AGENTS, f'| agent-1 | essayeuse | tests | {status} | |'
            )
        },
        state(subagents__0__status='failed'),
    )
    assert len(found('DOC037', text)) == number


PATTERNS = list(outline().patterns.values())


def ticks(*ticked: str) -> str:
    return ' / '.join(f'[{"x" if name in ticked else " "}] {name}' for name in PATTERNS)


def test_the_pattern_that_is_ticked_is_that_of_the_state() -> None:
    body = f'- {ticks("Sequential delegation")}'
    text = page({'Workflow Pattern': body})
    assert found('DOC036', text) == found('DOC037', text) == []
    other = page({'Workflow Pattern': f'- {ticks("Hierarchical")}'})
    (finding,) = found('DOC036', other)
    assert f'line {line_of(other, "pattern: seq")}' in finding.message


@pytest.mark.parametrize(
    'ticked', ((), ('Hierarchical', 'Parallel swarm'), tuple(PATTERNS))
)
def test_exactly_one_pattern_is_ticked(ticked: tuple[str, ...]) -> None:
    text = page({'Workflow Pattern': f'- {ticks(*ticked)}'})
    (finding,) = found('DOC037', text)
    assert finding.severity == 'warning'


RESULT = {'command': 'pytest -q', 'expected': '5', 'actual': '4', 'passed': False}


@pytest.mark.parametrize(
    ('body', 'results', 'number'),
    (
        pytest.param('pytest -q  # Result: 4', [RESULT], 0, id='same'),
        pytest.param('pytest -q  # Result: 5', [RESULT], 1, id='result'),
        pytest.param('pytest  # Result: 4', [RESULT], 2, id='command'),
        pytest.param('pytest  # Result: 4', [], 1, id='unknown'),
        pytest.param('[command] # Result: [x]', [RESULT], 0, id='template'),
    ),
)
def test_the_commands_of_1_12_are_those_of_the_state(
    body: str, results: list[dict[str, Any]], number: int
) -> None:
    text = page(
        {'1.12 Files': f'```bash\n{body}\n```\n\n**Discrepancies:** x'},
        state(
            artifacts__verification_results=results,
            artifacts__files__0__status='partial',
        ),
    )
    told = found('DOC036', text)
    assert len(told) == number
    assert all('1.20 (line' in each.message for each in told)


@pytest.mark.parametrize(
    ('said', 'status', 'number'),
    (
        pytest.param('none', 'match', 0, id='none and none'),
        pytest.param('café.py: half', 'partial', 0, id='one and one'),
        pytest.param('café.py: half', 'match', 1, id='only said'),
        pytest.param('none', 'partial', 1, id='only in the state'),
    ),
)
def test_discrepancies_are_those_of_the_state(
    said: str, status: str, number: int
) -> None:
    text = page(
        {'1.12 Files': f'x\n\n**Discrepancies:** {said}\n'},
        state(artifacts__files__0__status=status),
    )
    assert len(found('DOC036', text)) == number


@pytest.mark.parametrize(
    ('said', 'number'),
    (
        ('main, clean', 0),
        ('main, 0 uncommitted', 0),
        ('`main`', 0),
        ('other, clean', 1),
        ('main, 3 uncommitted', 1),
        ('other, ~2 changed', 2),
        ('[branch], [N] uncommitted', 0),
    ),
)
def test_1_19_expects_what_the_state_says(said: str, number: int) -> None:
    text = page(
        {'1.19 Env': (f'```bash\ngit branch; git status  # Expected: {said}\n```')}
    )
    told = found('DOC036', text, facts())
    assert len(told) == number
