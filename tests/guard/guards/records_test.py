from __future__ import annotations

import pytest

from tests.conftest import Interlock, Repo
from tests.formats import bmad, kiro, openspec, task_master
from tests.formats.presets_test import FORMATS
from tests.formats.trees import Edits, Tree, edited
from tests.guard.asking import ask, use, write

BASE = {**openspec.BASE, **task_master.BASE, **kiro.BASE}
SEALED = 'version: 1\nextends: [openspec, task-master, kiro]\n'


@pytest.fixture
def project_(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({**BASE, '.interlock.yaml': SEALED})
    assert interlock('init', '--claude').code == 0
    return repo


def answered(repo: Repo, edits: Edits, base: Tree = BASE) -> tuple[str, str]:
    (path,) = edits
    answer = ask(
        'PreToolUse',
        repo.path,
        tool_name='Write',
        tool_input={
            'file_path': str(repo.path / path),
            'content': edited(base, edits)[path],
        },
    )
    return answer.decision, answer.reason


# what one file breaks is denied, and a frozen file is asked about
BROKEN = {
    'backlog-md': {'done-with-open-criteria': 'deny'},
    'bmad': {
        'epic-done-stories-open': 'deny',
        'criteria-edited': 'ask',
        'frozen-block-edited': 'ask',
    },
    'gsd': {'plan-edited-after-summary': 'ask'},
    'kiro': {'parent-ticked-subtask-open': 'deny', 'spec-edited-after-start': 'ask'},
    'openspec': {'requirement-twice': 'deny', 'spec-edited-after-start': 'ask'},
    'spec-kit': {'task-id-twice': 'deny', 'spec-edited-after-start': 'ask'},
    'task-master': {
        'done-before-dependency': 'deny',
        'done-with-open-subtasks': 'deny',
        'id-twice': 'deny',
    },
}


@pytest.mark.parametrize('name', FORMATS)
def test_an_edit_is_judged_before_it_happens(
    repo: Repo, interlock: Interlock, name: str
) -> None:
    base: Tree = FORMATS[name].BASE
    repo.commit({**base, '.interlock.yaml': f'version: 1\nextends: {name}\n'})
    assert interlock('init', '--claude').code == 0
    for rule, decision in BROKEN[name].items():
        edits = next(
            case.edits
            for case in FORMATS[name].CASES
            if (case.rule, case.found, case.given) == (rule, True, {})
            and len(case.edits) == 1
        )
        kind, reason = answered(repo, edits, base)
        assert (rule, kind) == (rule, decision)
        assert rule in reason


def test_a_rule_of_two_files_is_left_to_the_commit(
    repo: Repo, interlock: Interlock
) -> None:
    """One of its name that one file can break is not."""
    given = {bmad.STORY: bmad.story(box=' '), bmad.V4: bmad.fourth('Review', ' ')}
    base = edited(bmad.BASE, given)
    repo.commit({**base, '.interlock.yaml': 'version: 1\nextends: bmad\n'})
    assert interlock('init', '--claude').code == 0
    assert answered(repo, {bmad.Y: bmad.sprint(one='done')}, base) == ('', '')
    decision, reason = answered(repo, {bmad.V4: bmad.fourth('Done', ' ')}, base)
    assert decision == 'deny'
    assert bmad.OPEN in reason


@pytest.mark.parametrize(
    'edits',
    (
        pytest.param({f'{openspec.C}/tasks.md': openspec.DONE}, id='ticked'),
        pytest.param({f'{openspec.C}/design.md': 'x'}, id='not frozen'),
        pytest.param(
            {f'{kiro.S}/spec.json': kiro.DONE}, id='the first step of two files'
        ),
        pytest.param({'README.md': 'x'}, id='another file'),
    ),
)
def test_honest_edits_pass(project_: Repo, edits: Edits) -> None:
    assert answered(project_, edits) == ('', '')


def test_what_the_workflow_switches_off_is_not_denied(project_: Repo) -> None:
    off = '{parent-ticked-subtask-open: "off", spec-edited-after-start: "off"}'
    project_.write({'.interlock.yaml': f'{SEALED}severity: {off}\n'})
    for edits in (
        kiro.tasks('- [x] 1. First\n  - [ ] 1.1 part\n'),
        {f'{openspec.C}/proposal.md': '# Other\n'},
    ):
        assert answered(project_, edits) == ('', '')


TABLE = {
    'FEATURES.md': '| Feature | State |\n|---|---|\n| Bread | Review |\n',
    'features/Bread/spec.md': '# é\n',
    '.interlock.yaml': """\
version: 1
items:
  feature:
    path: features/{item}
    registry:
      file: FEATURES.md
      layout: distributed
      columns: {item: Feature, status: State}
    states: {Building: {}, Review: {}, Shipped: {role: done}}
    transitions: [{from: Building, to: Review}, {from: Review, to: Shipped}]
    contracts:
      frozen: [Review, Shipped]
      files:
        spec: {paths: ['features/{item}/spec.md']}
""",
}
BUILDING = TABLE['FEATURES.md'].replace('Review', 'Building')
OFF = f'{TABLE[".interlock.yaml"]}severity: {{CON007: warning}}\n'


# the user decides, and the message of the commit gives the reason
LEFT = 'the user decides; without an answer, leave it'
EDITED = 'ask the user; then: change it with the tool for edits'


@pytest.mark.parametrize('state', ('Review', 'Shipped'))
@pytest.mark.parametrize(
    ('command', 'decision', 'way'),
    (
        pytest.param('perl -pi -e s/a/b/ {}', 'deny', EDITED, id='changed'),
        pytest.param('sed -i s/^/x/ {}', 'ask', LEFT, id='changed as is known'),
        pytest.param('make x > {}', 'deny', EDITED, id='made'),
        # no tool for edits removes a file
        pytest.param('rm {}', 'ask', LEFT, id='removed'),
        pytest.param('git rm {}', 'ask', LEFT, id='removed by git'),
        pytest.param('rm -r features', 'ask', LEFT, id='removed with its folder'),
        pytest.param('mv {} notes.md', 'ask', LEFT, id='moved away'),
        pytest.param('echo x > {}', 'ask', LEFT, id='replaced'),
    ),
)
def test_the_way_on_without_a_handoff(
    repo: Repo, state: str, command: str, decision: str, way: str
) -> None:
    table = TABLE['FEATURES.md'].replace('Review', state)
    repo.commit({**TABLE, 'FEATURES.md': table})
    spec = 'features/Bread/spec.md'
    reply = use('Bash', repo.path, command=command.format(spec))
    assert (reply.decision, reply.reason[:6]) == (decision, 'CON007')
    assert 'interlock handoff' not in reply.reason
    assert f'next: {way}' in reply.reason
    assert '`Contract-Amendment: WHY`' in reply.reason
    # as it says
    reply = write(repo.path / spec, '# è\n', repo.path)
    assert (reply.decision, reply.reason[:6]) == ('ask', 'CON007')
    assert '`Contract-Amendment: WHY`' in reply.reason


@pytest.mark.parametrize('command', ('rm {}', 'sed -i s/a/b/ {}', 'rm -r features'))
def test_a_contract_that_nothing_freezes_may_go(repo: Repo, command: str) -> None:
    spec = 'features/Bread/spec.md'
    for changed in ({'FEATURES.md': BUILDING}, {'.interlock.yaml': OFF}):
        repo.commit({**TABLE, **changed})
        assert use('Bash', repo.path, command=command.format(spec)).is_silent


@pytest.mark.parametrize(
    ('changed', 'text'),
    (
        pytest.param({}, '# é\n', id='as committed'),
        pytest.param({'.interlock.yaml': OFF}, '# è\n', id='switched off'),
        pytest.param({'FEATURES.md': BUILDING}, '# è\n', id='not yet frozen'),
        pytest.param({'features/Bread/spec.md': ''}, '', id='a new file'),
    ),
)
def test_a_contract_that_no_commit_has_frozen(
    repo: Repo, changed: Tree, text: str
) -> None:
    repo.commit({**TABLE, **changed})
    # frozen on disk, though not in the commit
    repo.write({'FEATURES.md': TABLE['FEATURES.md'], 'features/Bread/spec.md': '# è'})
    assert write(repo.path / 'features/Bread/spec.md', text, repo.path).is_silent
