from __future__ import annotations

import pytest

from tests.handover.pages import errors
from tests.handover.pages import found
from tests.handover.pages import line_of
from tests.handover.pages import page


def fence(text: str) -> str:
    return f'```\n{text}\n```'


def test_a_good_document_has_no_error() -> None:
    assert errors(page()) == []


@pytest.mark.parametrize(
    'body',
    (
        pytest.param(
            fence('Skill("bâtir", "--resume Phase3.Task7")'), id='double',
        ),
        pytest.param(
            fence("Skill('bâtir', '--resume-from Phase3')"), id='single',
        ),
        pytest.param(fence('Skill("bâtir")'), id='no arguments'),
        pytest.param('Skill("bâtir", "--plan (x)")', id='no code block'),
        pytest.param(
            fence('# Example: Skill("[x]")\nSkill("bâtir")'), id='a remark',
        ),
        pytest.param('NO ACTIVE SKILL - proceed to 0.2', id='none'),
        pytest.param('**NO ACTIVE SKILL**', id='none, in bold'),
    ),
)
def test_a_skill_is_run_or_said_to_be_none(body: str) -> None:
    assert found('DOC001', page({'0.1 Workflow': body})) == []


@pytest.mark.parametrize(
    ('body', 'why'),
    (
        pytest.param('Continue the workflow.', 'no call', id='vague'),
        pytest.param(
            fence('Skill("[skill-name]", "[exact resume args]")'),
            'filled in', id='template',
        ),
        pytest.param(
            fence('Skill("bâtir", "--resume Phase[N].Task[M]")'),
            'filled in', id='half a template',
        ),
        pytest.param(fence('Skill(bâtir)'), 'quoted', id='no quotes'),
        pytest.param(fence('Skill("bâtir"'), 'quoted', id='not closed'),
        pytest.param(fence('Skill()'), 'names nothing', id='no name'),
        pytest.param(fence('# Skill("bâtir")'), 'no call', id='only a remark'),
        pytest.param(
            'If no active skill: "NO ACTIVE SKILL"', 'no call',
            id='the words of the template',
        ),
    ),
)
def test_a_skill_that_cannot_be_run_is_an_error(body: str, why: str) -> None:
    text = page({'0.1 Workflow': body})
    finding, = found('DOC001', text)
    assert finding.severity == 'error'
    assert why in finding.message
    assert finding.line in {
        line_of(text, '0.1 Workflow'), line_of(text, '0.1 Workflow') + 3,
    }


@pytest.mark.parametrize(
    'words',
    ('NO DOCUMENTS', 'NO DOCUMENTS TO READ', 'NO DOCUMENTS TO RE-READ'),
)
def test_it_may_be_said_that_there_is_nothing_to_read(words: str) -> None:
    assert found('DOC002', page({'0.2 Reads': words})) == []


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
            'no JSON', id='template',
        ),
        pytest.param(
            fence("TodoWrite([{'content': 'x'}])"), 'no JSON', id='python',
        ),
        pytest.param(
            fence('TodoWrite({"todos": []})'), 'no list', id='mapping',
        ),
        pytest.param(fence('TodoWrite(["x"])'), 'no object', id='texts'),
        pytest.param(
            fence('TodoWrite([{"content": "x"}])'), 'no status',
            id='no status',
        ),
        pytest.param(
            fence('TodoWrite([{"content": "[task]", "status": "pending"}])'),
            'filled in', id='placeholder',
        ),
        pytest.param(
            fence('TodoWrite([])\nTodoWrite([])'), '2 calls', id='two',
        ),
        pytest.param(fence('TodoWrite([' + '[' * 20000), 'no JSON', id='deep'),
    ),
)
def test_todos_that_cannot_be_restored_are_an_error(
        body: str,
        why: str,
) -> None:
    finding, = found('DOC004', page({'0.3 Todos': body}))
    assert finding.severity == 'error'
    assert why in finding.message


def test_an_empty_list_restores_that_there_are_no_todos() -> None:
    text = page({'0.3 Todos': fence('TodoWrite([])')})
    assert found('DOC004', text) == []


def moved() -> str:
    """Section 0 behind Section 1."""
    text = page()
    start, second = text.index('## SECTION 1'), text.index('## SECTION 2')
    return text[start:second] + text[:start] + text[second:]


@pytest.mark.parametrize(
    ('text', 'why'),
    (
        pytest.param(moved(), 'behind `SECTION 1', id='behind Section 1'),
        pytest.param(
            f'## Avant\n\nmots\n\n{page()}', 'behind `Avant`', id='a heading',
        ),
        pytest.param(
            page({'SECTION 0: FIRST': None}), 'no Section 0', id='none',
        ),
    ),
)
def test_section_0_comes_first(text: str, why: str) -> None:
    finding, = found('DOC005', text)
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
    finding, = found('DOC002', text)
    assert finding.line == line_of(text, '0.2 Reads')


def test_line_endings_make_no_difference() -> None:
    assert errors(page().replace('\n', '\r\n')) == []
