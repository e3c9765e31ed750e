from __future__ import annotations

import pytest

from interlock.model.errors import InvalidWorkflow
from interlock.model.finding import Finding
from tests import samples
from tests.checks.trees import Files, found, workflow
from tests.conftest import Interlock, Repo
from tests.handoff_document import pages

NAMED = (
    f'{samples.WORKFLOW}documents:\n  handoffs: [handoffs/*.md]\n'
    "  markdown: ['**.md']\n"
)
HANDOFF = 'handoffs/à.md'
OPEN = '# A\n\nx.\n\n```\nouvert\n'
CLOSED = '# A\n\nx.\n'


def judged(before: Files, after: Files, everything: bool = False) -> list[Finding]:
    return found(
        before, after, only=('document',), by=workflow(NAMED), everything=everything
    )


def errors(findings: list[Finding]) -> list[tuple[str, str, bool]]:
    return [(f.path, f.code, f.introduced) for f in findings if f.refuses]


def test_a_handoff_document_is_judged_by_all_rules_about_the_file() -> None:
    assert errors(judged({}, {HANDOFF: pages.page()})) == []
    bad = pages.page({'0.2 Reads': 'see'}, pages.state(mode='nightly'))
    assert errors(judged({}, {HANDOFF: bad})) == [
        (HANDOFF, 'DOC002', True),
        (HANDOFF, 'DOC013', True),
    ]


def test_the_world_is_not_asked_about_a_change() -> None:
    text = pages.page(None, pages.state(mode='auto', artifacts__files__0__path='/none'))
    assert errors(judged({}, {HANDOFF: text})) == []


def test_other_files_are_searched_for_signs_of_partial_work() -> None:
    assert errors(judged({}, {'docs/b.md': OPEN})) == [('docs/b.md', 'DOC027', True)]
    assert errors(judged({}, {'docs/b.txt': OPEN})) == []


def test_what_was_there_before_is_inherited() -> None:
    before = {'b.md': OPEN}
    after = {'b.md': f'# Z\n\ny.\n\n{OPEN}'}
    assert errors(judged(before, after)) == [('b.md', 'DOC027', False)]


def test_a_file_that_is_not_touched_is_not_judged() -> None:
    files = {'b.md': OPEN, 'c.md': CLOSED}
    assert judged(files, {**files, 'c.md': CLOSED + 'y.\n'}) == []
    assert errors(judged(files, files, everything=True)) == [('b.md', 'DOC027', False)]


def test_a_file_that_is_deleted_is_not_judged() -> None:
    assert judged({'b.md': OPEN}, {}) == []


def test_subsections_that_a_change_removes_are_told() -> None:
    before = {'b.md': '# A\n\nx.\n\n## B\n\ny.\n'}
    (finding,) = judged(before, {'b.md': CLOSED})
    assert 'has lost its subsections' in finding.message
    assert finding.introduced


@pytest.mark.parametrize('name', (HANDOFF, 'b.md'))
@pytest.mark.parametrize(
    'data',
    (
        pytest.param(b'\xff', id='encoding'),
        pytest.param(b'a\0', id='nul'),
        pytest.param(None, id='too large'),
    ),
)
def test_what_cannot_be_read_is_a_finding(name: str, data: bytes | None) -> None:
    assert errors(judged({}, {name: data})) == [(name, 'DOC032', True)]
    # and no reason not to judge what replaces it
    assert judged({name: data}, {name: CLOSED}) is not None


def test_without_documents_in_the_workflow_nothing_is_judged() -> None:
    assert found({}, {'b.md': OPEN}, only=('document',)) == []


@pytest.mark.parametrize(
    ('text', 'why'),
    (
        ('documents: {handoff: [a]}', 'unknown key `handoff`'),
        ('documents: {markdown: ["/a"]}', 'must stay inside'),
        ('documents: {markdown: ["*/*/*/*"]}', 'more than 3 placeholders'),
        ('documents: {plans: {patterns: x}}', 'documents.plans.patterns'),
    ),
)
def test_documents_of_a_workflow_are_validated(text: str, why: str) -> None:
    with pytest.raises(InvalidWorkflow) as info:
        workflow(f'{samples.WORKFLOW}{text}\n')
    assert why in info.value.message


def test_documents_of_the_working_tree_are_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'.interlock.yaml': NAMED})
    project.write({'neuf.md': OPEN})
    result = interlock.check('--worktree', '--only', 'document')
    assert result.code == 1
    assert result.codes == ['DOC027']


def test_a_severity_can_be_changed(project: Repo, interlock: Interlock) -> None:
    project.commit({'.interlock.yaml': f'{NAMED}severity: {{DOC027: off}}\n'})
    project.stage({'neuf.md': OPEN})
    assert interlock.check('--staged').code == 0
