from __future__ import annotations

import pytest

from tests.handoff_document.pages import (
    CALL,
    PLAN,
    STATE,
    errors,
    facts,
    found,
    line_of,
    page,
    state,
)


def fence(text: str) -> str:
    return f'```\n{text}\n```'


def test_a_good_document_has_no_error() -> None:
    assert errors(page()) == []


@pytest.mark.parametrize(
    'body',
    (
        pytest.param(fence('Skill("bâtir", "--resume Phase3.Task7")'), id='double'),
        pytest.param(fence("Skill('bâtir', '--resume-from Phase3')"), id='single'),
        pytest.param(fence('Skill("bâtir")'), id='no arguments'),
        pytest.param('Skill("bâtir", "--plan (x)")', id='no code block'),
        pytest.param(fence('# Example: Skill("[x]")\nSkill("bâtir")'), id='a remark'),
    ),
)
def test_a_skill_is_run(body: str) -> None:
    text = page({'0.1 Workflow': body})
    assert found('DOC001', text) == found('DOC036', text) == []


@pytest.mark.parametrize(
    'words', ('NO ACTIVE SKILL - proceed to 0.2', '**NO ACTIVE SKILL**')
)
def test_it_may_be_said_that_no_skill_is_active(words: str) -> None:
    text = page({'0.1 Workflow': words}, state(skill_stack=[]))
    assert errors(text) == []


TABLE = (
    '| Skill | Parent | Phase/Step | Resume Command |\n|---|---|---|---|\n'
    f'| bâtir | user | Phase 3, Task 7 | `{CALL}` |'
)
NO_SKILL: dict[str, str | None] = {'0.1 Workflow': 'NO ACTIVE SKILL'}


@pytest.mark.parametrize(
    ('changes', 'data', 'where'),
    (
        pytest.param({}, None, '1.20', id='the state'),
        pytest.param(
            {'1.1.1 Stack': TABLE}, state(skill_stack=...), '1.1.1', id='the table'
        ),
        pytest.param(
            {'1.14 Resume': fence(CALL)},
            state(skill_stack=[]),
            '1.14',
            id='the resume command',
        ),
        pytest.param(
            {'1.23 Entry': fence(CALL)},
            state(skill_stack=[]),
            '1.23',
            id='the way back',
        ),
    ),
)
def test_no_skill_is_active_while_section_1_names_one(
    changes: dict[str, str | None], data: object, where: str
) -> None:
    text = page({**NO_SKILL, **changes}, data)
    (finding,) = found('DOC001', text)
    assert finding.severity == 'error'
    assert finding.message == (f'0.1 says `NO ACTIVE SKILL`, but {where} names `bâtir`')
    assert finding.line == line_of(text, '0.1 Workflow')


def test_a_template_names_no_skill() -> None:
    text = page(
        {
            **NO_SKILL,
            '1.1.1 Stack': TABLE.replace('bâtir |', '[implementing-features] |'),
        },
        state(skill_stack=[]),
    )
    assert found('DOC001', text) == []


@pytest.mark.parametrize('stack', ([], STATE['skill_stack']))
def test_a_skill_that_is_not_on_the_stack(stack: object) -> None:
    body = fence('Skill("cuire", "--resume Phase3.Task7")')
    text = page({'0.1 Workflow': body}, state(skill_stack=stack))
    (finding,) = found('DOC036', text)
    assert finding.message.startswith('0.1 runs `cuire`, which is not in')
    assert finding.line == line_of(text, 'Skill("cuire"')


@pytest.mark.parametrize(
    ('name', 'known', 'fits'),
    (
        ('café:bâtir', 'bâtir', True),
        ('bâtir', 'café:bâtir', True),
        ('café:bâtir', 'thé:bâtir', False),
    ),
)
def test_a_skill_may_be_named_with_its_plugin(
    name: str, known: str, fits: bool
) -> None:
    text = page(
        {'0.1 Workflow': fence(f'Skill("{name}")')}, state(skill_stack__0__name=known)
    )
    assert (found('DOC036', text) == []) is fits


def test_a_parent_may_be_run_first() -> None:
    stack = [
        {**STATE['skill_stack'][0], 'name': 'cuire', 'parent': 'bâtir'},
        *STATE['skill_stack'],
    ]
    assert errors(page(None, state(skill_stack=stack))) == []


@pytest.mark.parametrize(
    ('body', 'why'),
    (
        pytest.param('Continue the workflow.', 'no call', id='vague'),
        pytest.param(
            fence('Skill("[skill-name]", "[exact resume args]")'),
            'filled in',
            id='template',
        ),
        pytest.param(
            fence('Skill("bâtir", "--resume Phase[N].Task[M]")'),
            'filled in',
            id='half a template',
        ),
        pytest.param(fence('Skill(bâtir)'), 'quoted', id='no quotes'),
        pytest.param(fence('Skill("bâtir"'), 'quoted', id='not closed'),
        pytest.param(fence('Skill()'), 'names nothing', id='no name'),
        pytest.param(fence('# Skill("bâtir")'), 'no call', id='only a remark'),
        pytest.param(
            'If no active skill: "NO ACTIVE SKILL"',
            'no call',
            id='the words of the template',
        ),
    ),
)
def test_a_skill_that_cannot_be_run_is_an_error(body: str, why: str) -> None:
    text = page({'0.1 Workflow': body})
    (finding,) = found('DOC001', text)
    assert finding.severity == 'error'
    assert why in finding.message
    assert finding.line in {
        line_of(text, '0.1 Workflow'),
        line_of(text, '0.1 Workflow') + 3,
    }


@pytest.mark.parametrize(
    'words', ('NO DOCUMENTS', 'NO DOCUMENTS TO READ', 'NO DOCUMENTS TO RE-READ')
)
def test_it_may_be_said_that_there_is_nothing_to_read(words: str) -> None:
    text = page(
        {
            '0.2 Reads': words,
            '1.9 Plans': 'NO PLANNING DOCUMENTS',
            '1.10 Again': 'NO DOCUMENTS TO RE-READ',
        },
        state(documents={'design': [], 'impl': [], 'must_read': []}),
    )
    assert errors(text, facts(plans=())) == []


@pytest.mark.parametrize(
    ('changes', 'data', 'where'),
    (
        pytest.param({}, None, '1.9', id='the plans'),
        pytest.param(
            {'1.9 Plans': 'NO PLANNING DOCUMENTS'},
            None,
            '1.10',
            id='the documents to read again',
        ),
        pytest.param(
            {
                '1.9 Plans': 'NO PLANNING DOCUMENTS',
                '1.10 Again': 'NO DOCUMENTS TO RE-READ',
            },
            None,
            '1.20',
            id='the state',
        ),
    ),
)
def test_nothing_is_to_be_read_while_section_1_names_something(
    changes: dict[str, str | None], data: object, where: str
) -> None:
    text = page({'0.2 Reads': 'NO DOCUMENTS TO READ', **changes}, data)
    (finding,) = found('DOC002', text)
    assert finding.severity == 'error'
    assert finding.message == (f'0.2 says `NO DOCUMENTS`, but {where} names `{PLAN}`')


@pytest.mark.parametrize(
    'body',
    (
        pytest.param('see design doc', id='vague'),
        pytest.param(fence('Read(the plan)'), id='no quotes'),
        pytest.param(fence('Read("")'), id='no path'),
        pytest.param('NOTHING', id='other words'),
    ),
)
def test_reads_that_cannot_be_carried_out_are_an_error(body: str) -> None:
    assert errors(page({'0.2 Reads': body})) == ['DOC002']


@pytest.mark.parametrize(
    ('body', 'why'),
    (
        pytest.param('Restore the todos.', 'no call', id='words'),
        pytest.param(
            fence('TodoWrite([{"content": "x", "status": "pending"}, ...])'),
            'not JSON',
            id='template',
        ),
        pytest.param(fence("TodoWrite([{'content': 'x'}])"), 'not JSON', id='python'),
        pytest.param(fence('TodoWrite({"todos": []})'), 'not a list', id='mapping'),
        pytest.param(fence('TodoWrite(["x"])'), 'not an object', id='texts'),
        pytest.param(
            fence('TodoWrite([{"content": "x"}])'), 'no status', id='no status'
        ),
        pytest.param(
            fence('TodoWrite([{"content": "[task]", "status": "pending"}])'),
            'filled in',
            id='placeholder',
        ),
        pytest.param(fence('TodoWrite([])\nTodoWrite([])'), '2 calls', id='two'),
        pytest.param(fence('TodoWrite([' + '[' * 20000), 'not JSON', id='deep'),
    ),
)
def test_todos_that_cannot_be_restored_are_an_error(body: str, why: str) -> None:
    (finding,) = found('DOC004', page({'0.3 Todos': body}))
    assert finding.severity == 'error'
    assert why in finding.message


def test_an_empty_list_restores_that_there_are_no_todos() -> None:
    text = page({'0.3 Todos': fence('TodoWrite([])')})
    assert found('DOC004', text) == []


def moved() -> str:
    """Section 0 after Section 1."""
    text = page()
    start, second = text.index('## SECTION 1'), text.index('## SECTION 2')
    return text[start:second] + text[:start] + text[second:]


@pytest.mark.parametrize(
    ('text', 'why'),
    (
        pytest.param(moved(), 'after `SECTION 1', id='after Section 1'),
        pytest.param(f'## Avant\n\nmots\n\n{page()}', 'after `Avant`', id='a heading'),
        pytest.param(page({'SECTION 0: FIRST': None}), 'no Section 0', id='none'),
    ),
)
def test_section_0_comes_first(text: str, why: str) -> None:
    (finding,) = found('DOC005', text)
    assert finding.severity == 'error'
    assert why in finding.message


@pytest.mark.parametrize(
    'before',
    (
        pytest.param('---\na: 1\n---\n', id='frontmatter'),
        pytest.param('# Passation\n\nDe Zoë.\n\n', id='title'),
        pytest.param('<!-- x -->\n', id='comment'),
        pytest.param('\ufeff', id='byte order mark'),
    ),
)
def test_frontmatter_and_a_title_may_precede_it(before: str) -> None:
    assert errors(before + page()) == []


def test_lines_are_counted_with_the_frontmatter() -> None:
    text = '---\na: 1\n---\n' + page({'0.2 Reads': 'see'})
    (finding,) = found('DOC002', text)
    assert finding.line == line_of(text, '0.2 Reads')


def test_line_endings_make_no_difference() -> None:
    assert errors(page().replace('\n', '\r\n')) == []


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
