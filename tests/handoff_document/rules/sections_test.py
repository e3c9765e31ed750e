from __future__ import annotations

import pytest

from interlock.handoff_document.outline import outline
from interlock.model.finding import Finding
from tests.handoff_document.pages import PLAN, STATE, found, line_of, page, state

CRITICAL = ('0.1', '0.2', '0.3', '1.9', '1.10', '1.20', 'SECTION 2')
TITLES = {
    '0.1': '0.1 Workflow',
    '0.2': '0.2 Reads',
    '0.3': '0.3 Todos',
    '1.9': '1.9 Plans',
    '1.10': '1.10 Again',
    '1.20': '1.20 State',
    'SECTION 2': 'SECTION 2: CONTINUE',
}
ALL = (
    *(f'0.{n}' for n in range(1, 6)),
    *(f'1.{n}' for n in range(1, 26)),
    '1.1.1',
    '1.1.2',
    'subagents',
    'pattern',
    'S2',
    *(f'Step {n}' for n in (0, 0.5, 1, 2, 3, 3.5, 4, 5, 6, 7, 8, 9)),
)


def of(text: str, severity: str) -> list[Finding]:
    return [each for each in found('DOC031', text) if each.severity == severity]


@pytest.mark.parametrize('id', ALL)
def test_the_outline_knows_every_section(id: str) -> None:
    assert id in outline().sections


@pytest.mark.parametrize('id', CRITICAL)
def test_a_critical_section_that_is_missing_is_an_error(id: str) -> None:
    (finding,) = of(page({TITLES[id]: None}), 'error')
    assert 'is missing' in finding.message


def test_only_the_critical_sections_are_errors() -> None:
    errors = {
        spec.id for spec in outline().sections.values() if spec.missing == 'error'
    }
    assert errors == {'0.1', '0.2', '0.3', '1.9', '1.10', '1.20', 'S2'}


def test_another_section_that_is_missing_is_a_warning() -> None:
    assert of(page(), 'error') == []
    missing = {id for finding in of(page(), 'warning') for id in finding.key.split(',')}
    assert missing == set(outline().sections) - {
        'S0',
        '0.1',
        '0.2',
        '0.3',
        'S1',
        '1.9',
        '1.10',
        '1.20',
        'S2',
    }


@pytest.mark.parametrize('id', CRITICAL[:-2])
def test_a_critical_section_that_is_empty_is_an_error(id: str) -> None:
    text = page({TITLES[id]: ''})
    (finding,) = of(text, 'error')
    assert finding.message == f'`{TITLES[id]}` is empty'
    assert finding.line == line_of(text, TITLES[id])


def test_section_2_without_a_word_is_an_error() -> None:
    (finding,) = of(page({'SECTION 2: CONTINUE': ''}), 'error')
    assert 'is empty' in finding.message


def test_another_section_that_is_empty_is_a_warning() -> None:
    text = page({'1.11 Narrative': '---'})
    assert [each.line for each in of(text, 'warning') if 'empty' in each.message] == [
        line_of(text, '1.11 Narrative')
    ]


def test_a_section_that_only_holds_others_is_not_empty() -> None:
    text = page({'1.1 Organisation': '', 'Main agent': '- **x:** y'})
    assert not any('empty' in each.message for each in of(text, 'warning'))


@pytest.mark.parametrize(
    ('title', 'severity'), (('0.1 Workflow', 'error'), ('1.15 Decisions', 'warning'))
)
def test_a_section_that_stands_twice_is_told(title: str, severity: str) -> None:
    text = page({'1.15 Decisions': 'x'})
    start = text.index(f'### {title}')
    block = text[start : text.index('\n#', start) + 1]
    text = text.replace(block, f'{block}\n{block}')
    (finding,) = [each for each in of(text, severity) if 'already' in each.message]
    assert f'already on line {line_of(text, title)}' in finding.message


@pytest.mark.parametrize(
    ('title', 'severity'), (('1.9 Plans', 'error'), ('1.15 Decisions', 'warning'))
)
def test_a_section_out_of_its_order_is_told(title: str, severity: str) -> None:
    text = page({'1.15 Decisions': 'x'})
    start = text.index(f'### {title}')
    block = text[start : text.index('\n#', start) + 1]
    text = text.replace(block, '') + block
    told = [each for each in of(text, severity) if 'comes after' in each.message]
    assert [each.line for each in told] == [line_of(text, title)]


@pytest.mark.parametrize('first', ('1.24', '1.25'))
def test_1_24_and_1_25_stand_in_either_order(first: str) -> None:
    second = '1.25' if first == '1.24' else '1.24'
    text = page().replace(
        '## SECTION 2', f'### {first} x\n\ny\n\n### {second} x\n\ny\n\n## SECTION 2'
    )
    assert not any('comes after' in each.message for each in found('DOC031', text))


@pytest.mark.parametrize(
    'value',
    (
        'src/café.py:47',
        'Phase 3, Task 7',
        'Phase3.Task7',
        'Phase 2.1 / Step 4',
        '/a/b.py:12, in the loop',
    ),
)
def test_an_exact_position_is_a_line_or_a_task(value: str) -> None:
    body = f'- **Exact Position:** {value}'
    text = page({'1.1 Org': 'x', 'Main agent': body})
    assert found('DOC038', text) == []


@pytest.mark.parametrize(
    'body', ('- **Exact Position:** the parser', '- **Persona:** x', 'words')
)
def test_a_vague_position_is_a_warning(body: str) -> None:
    text = page({'1.1 Org': 'x', 'Main agent': body})
    (finding,) = found('DOC038', text)
    assert finding.severity == 'warning'


@pytest.mark.parametrize(
    ('title', 'id'),
    (
        ('0.1 Workflow Restoration (EXECUTE FIRST)', '0.1'),
        ('**1.1 Organisation**', '1.1'),
        ('1.1.1: Stack', '1.1.1'),
        ('1.10. Documents', '1.10'),
        ('section 2: continue', 'S2'),
        ('Step 3.5: Test', 'Step 3.5'),
        ('Step 3: Skills', 'Step 3'),
        ('Active Subagent Hierarchy', 'subagents'),
    ),
)
def test_a_heading_is_known_by_its_start(title: str, id: str) -> None:
    from interlock.handoff_document.document import parse
    from interlock.model.change import Blob

    data = f'## {title}\n\nx\n'.encode()
    (section,) = parse(Blob('', len(data), data)).sections
    assert section.spec.id == id


STACK = [
    {**STATE['skill_stack'][0], 'name': 'enfant', 'parent': 'bâtir'},
    STATE['skill_stack'][0],
]


@pytest.mark.parametrize(
    ('body', 'number'),
    (
        pytest.param('```\nSkill("bâtir")\n```', 0, id='a call'),
        pytest.param(
            '"Continue bâtir from Phase 3. Resume at: Task 7."', 0, id='prose'
        ),
        pytest.param('Continue `bâtir` from src/x.py:47.', 0, id='a line of a file'),
        pytest.param('bâtir: resume at: the review', 0, id='a named task'),
        pytest.param('NONE', 0, id='none'),
        pytest.param('Run it.', 1, id='nothing of that'),
        pytest.param('continue the workflow', 1, id='vague'),
        pytest.param('Continue the workflow.', 1, id='the anti-pattern'),
        pytest.param('Continue bâtir from where we left off.', 1, id='no position'),
        pytest.param('Continue bâtir. Resume at: ', 1, id='no value'),
        pytest.param('Continue from Phase 3.', 1, id='no skill'),
        pytest.param('Resume at: Task 7', 1, id='a position of no skill'),
        pytest.param('```\nSkill("bâtir")\nSkill("enfant")\n```', 0, id='parent first'),
        pytest.param('```\nSkill("enfant")\nSkill("bâtir")\n```', 1, id='child first'),
    ),
)
def test_1_14_resumes_parents_before_children(body: str, number: int) -> None:
    text = page({'1.14 Resume': body}, state(skill_stack=STACK))
    told = found('DOC041', text)
    assert len(told) == number
    assert all(each.severity == 'warning' for each in told)


ENTRY = (
    f'```\nSkill("bâtir", "--impl-plan {PLAN}")\n'
    'Context: Plans APPROVED. Position: Task 7. Decisions: 1.15.\n```'
)


@pytest.mark.parametrize(
    ('old', 'new', 'lacks'),
    (
        pytest.param('', '', '', id='all'),
        pytest.param(PLAN, 'caf-impl.md', 'absolute path', id='relative'),
        pytest.param(f'--impl-plan {PLAN}', '', 'absolute path', id='no path'),
        pytest.param('APPROVED', 'fine', 'APPROVED', id='approval'),
        pytest.param('Position: Task 7', '', 'position', id='position'),
        pytest.param('Decisions: 1.15', '', 'decisions', id='decisions'),
    ),
)
def test_1_23_hands_over_what_a_skill_needs(old: str, new: str, lacks: str) -> None:
    told = found('DOC042', page({'1.23 Entry': ENTRY.replace(old, new)}))
    assert len(told) == bool(lacks)
    for finding in told:
        assert finding.severity == 'warning'
        assert lacks in finding.message


DONE = (
    '- [ ] Le café est prêt: `make test`\n- [x] All 1.13 verification passes\n'
    '- [ ] User approved\n'
)


@pytest.mark.parametrize(
    ('body', 'said'),
    (
        pytest.param(DONE, '', id='good'),
        pytest.param('When it works.', 'to tick off', id='no boxes'),
        pytest.param(
            DONE.replace('- [x] All 1.13 verification passes\n', ''),
            '1.13 and verification',
            id='without 1.13',
        ),
        pytest.param(
            DONE.replace('- [ ] User approved\n', ''),
            'user and approved',
            id='without the user',
        ),
        pytest.param(
            DONE.replace('`make test`', 'vu'), 'no condition', id='no command'
        ),
    ),
)
def test_it_can_be_checked_when_the_work_is_done(body: str, said: str) -> None:
    told = found('DOC029', page({'1.21 Done': body}))
    assert len(told) == bool(said)
    for finding in told:
        assert finding.severity == 'warning'
        assert said in finding.message
