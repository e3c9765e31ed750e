from __future__ import annotations

import pytest

from interlock.state.transcript import Transcript
from tests.handoff_document.pages import (
    CODE,
    DESIGN,
    PLAN,
    errors,
    facts,
    found,
    line_of,
    page,
    state,
)

NONE = 'NO PLANNING DOCUMENTS - ad-hoc work'
EMPTY = state(documents={'design': [], 'impl': [], 'must_read': []})


@pytest.mark.parametrize(
    ('text', 'path'),
    (
        pytest.param(
            page({'0.2 Reads': '```\nRead("café.md")\n```'}), 'café.md', id='0.2'
        ),
        pytest.param(
            page({'0.2 Reads': '```\nRead("~/café.md")\n```'}), '~/café.md', id='home'
        ),
        pytest.param(
            page({'1.9 Plans': f'- x-impl.md\n- {PLAN}'}), 'x-impl.md', id='1.9, a list'
        ),
        pytest.param(
            page({'1.9 Plans': f'| Path |\n|---|\n| ./x.md |\n| {PLAN} |'}),
            './x.md',
            id='1.9, a table',
        ),
        pytest.param(
            page({'1.9 Plans': f'{PLAN}\n\n```\nDOC: x.md\n```'}),
            'x.md',
            id='1.9, progress',
        ),
        pytest.param(
            page({'1.10 Again': f'```\nRead("x.md")\nRead("{PLAN}")\n```'}),
            'x.md',
            id='1.10',
        ),
        pytest.param(
            page(None, state(documents__must_read__0__path='x.md')), 'x.md', id='1.20'
        ),
        pytest.param(
            page(None, state(project_path='café', project_encoded='café')),
            'café',
            id='project',
        ),
    ),
)
def test_a_path_that_is_not_absolute_is_an_error(text: str, path: str) -> None:
    (finding,) = found('DOC003', text)
    assert finding.severity == 'error'
    assert finding.found == path


def test_the_search_of_the_template_is_not_a_path() -> None:
    text = page({'1.9 Plans': (f'```bash\nfind . -name "*-impl.md"\n```\n\n- {PLAN}')})
    assert found('DOC003', text) == []


@pytest.mark.parametrize(
    'changes',
    (
        pytest.param({'0.2 Reads': '```\nRead("/none.md")\n```'}, id='0.2'),
        pytest.param({'1.9 Plans': f'- {PLAN}\n- /none.md'}, id='1.9'),
        pytest.param({'1.10 Again': '```\nRead("/none.md")\n```'}, id='1.10'),
    ),
)
def test_a_document_that_does_not_exist_is_an_error(changes: dict[str, str]) -> None:
    text = page(changes)
    (finding,) = found('DOC033', text)
    assert finding.severity == 'error'
    assert finding.line == line_of(text, '/none.md')


def test_a_document_of_the_state_that_does_not_exist_is_an_error() -> None:
    text = page(None, state(documents__must_read__0__path='/none.md'))
    (finding,) = found('DOC033', text)
    assert finding.line == line_of(text, 'path: /none.md')


def test_a_change_in_git_is_judged_without_the_disk() -> None:
    from interlock.handoff_document.check import check
    from interlock.model.change import Blob

    data = page({'0.2 Reads': '```\nRead("/none.md")\n```'}).encode()
    judged = check('x.md', Blob('', len(data), data))
    assert 'DOC033' not in {finding.code for finding in judged}


def test_every_plan_that_is_found_must_be_named() -> None:
    world = facts((PLAN, CODE, DESIGN), plans=(PLAN, DESIGN))
    (finding,) = found('DOC006', page(), world)
    assert finding.severity == 'error'
    assert finding.expected == DESIGN
    text = page({'1.9 Plans': f'{PLAN} {DESIGN}'})
    assert found('DOC006', text, world) == []


def test_a_plan_that_the_transcript_names_must_be_named() -> None:
    named = Transcript(paths=(DESIGN, '/gone-plan.md', '/srv/café/x.md'))
    world = facts((PLAN, CODE, DESIGN, '/srv/café/x.md'))
    assert [each.expected for each in found('DOC006', page(), world, named)] == [DESIGN]


def test_the_document_itself_is_not_a_plan_that_must_be_named() -> None:
    import os

    world = facts(plans=(os.path.realpath('handoff.md'), PLAN))
    assert found('DOC006', page(), world) == []


@pytest.mark.parametrize(
    'body', ('', 'See above.', '[/absolute/path/design.md]', 'No plans.')
)
def test_plans_are_named_or_said_to_be_none(body: str) -> None:
    text = page({'1.9 Plans': body}, EMPTY)
    assert [each.severity for each in found('DOC006', text, facts(plans=()))] == [
        'error'
    ]


def test_that_there_are_no_plans_is_said_in_fixed_words() -> None:
    text = page({'1.9 Plans': NONE, '1.10 Again': 'NO DOCUMENTS TO RE-READ'}, EMPTY)
    assert errors(text, facts(plans=())) == []


def test_no_plans_are_claimed_although_the_state_names_one() -> None:
    text = page({'1.9 Plans': NONE})
    (finding,) = found('DOC006', text, facts(plans=()))
    assert PLAN in finding.message


@pytest.mark.parametrize(
    'body', ('Re-read the plan.', 'NO DOCUMENTS TO RE-READ', 'Read(plan)')
)
def test_plans_that_are_named_must_be_read(body: str) -> None:
    (finding,) = found('DOC007', page({'1.10 Again': body}))
    assert finding.severity == 'error'
    assert PLAN in finding.message


def test_without_plans_it_must_be_said_that_nothing_is_read() -> None:
    text = page({'1.9 Plans': NONE, '1.10 Again': 'Nothing.'}, EMPTY)
    assert len(found('DOC007', text, facts(plans=()))) == 1


@pytest.mark.parametrize(
    ('changes', 'number'),
    (
        pytest.param({}, 0, id='same'),
        pytest.param({'1.9 Plans': f'- {PLAN}'}, 0, id='a list'),
        pytest.param({'1.9 Plans': f'- {PLAN}\n- {DESIGN}'}, 1, id='1.9 names more'),
        pytest.param({'1.9 Plans': f'- {DESIGN}'}, 2, id='1.9 names another'),
        pytest.param(
            {'1.10 Again': f'```\nRead("{DESIGN}")\n```'}, 2, id='1.10 reads another'
        ),
        pytest.param(
            {'1.10 Again': f'```\nRead("{PLAN}")\nRead("{CODE}")\n```'},
            1,
            id='1.10 reads more',
        ),
    ),
)
def test_the_documents_of_the_sections_are_those_of_the_state(
    changes: dict[str, str], number: int
) -> None:
    text = page(changes)
    told = found('DOC036', text, facts((PLAN, CODE, DESIGN)))
    assert len(told) == number
    for finding in told:
        assert finding.severity == 'error'
        assert finding.message.count('(line ') == 2
