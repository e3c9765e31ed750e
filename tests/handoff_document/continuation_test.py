from __future__ import annotations

import pytest

from tests.handoff_document.pages import PLAN, STATE, errors, found, page, state


@pytest.mark.parametrize(
    'command',
    (
        "Skill('bâtir', '--resume Phase3.Task7')",
        'Skill("bâtir", "--resume-from Phase3.Task7 --skip-phases 0,1,2")',
        '`Skill("bâtir")`',
        'Skill("a", "\\d")',
    ),
)
def test_a_resume_command_is_a_call_of_a_skill(command: str) -> None:
    text = page(None, state(skill_stack__0__resume_command=command))
    assert found('DOC030', text) == []


@pytest.mark.parametrize(
    'command',
    (
        'continue',
        'Skill(bâtir)',
        'Skill("a"',
        'Read("/a")',
        '',
        'Skill("a") and more',
        'Skill()',
    ),
)
def test_a_resume_command_that_cannot_be_run_is_an_error(command: str) -> None:
    text = page(None, state(skill_stack__0__resume_command=command))
    assert errors(text) == ['DOC030']


@pytest.mark.parametrize('title', ('1.14 Resume', '1.23 Entry'))
@pytest.mark.parametrize(
    'body',
    (
        'Skill("a", "--resume Phase[N].Task[M]")',
        'Skill("a", "--plan [path] --skip-phases [0,1,2]")',
        'Skill(a)',
    ),
)
def test_a_command_of_a_template_is_an_error(title: str, body: str) -> None:
    text = page({title: f'```\n{body}\n```'})
    told = found('DOC030', text)
    assert told
    assert {each.severity for each in told} == {'error'}


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
