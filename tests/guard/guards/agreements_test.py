from __future__ import annotations

import pytest

from tests.conftest import Interlock, Repo
from tests.formats import kiro, openspec, task_master
from tests.formats.trees import Edits, edited
from tests.guard.asking import ask

BASE = {**openspec.BASE, **task_master.BASE, **kiro.BASE}
SEALED = 'version: 1\nextends: [openspec, task-master, kiro]\n'


@pytest.fixture
def project_(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({**BASE, '.interlock.yaml': SEALED})
    assert interlock('init', '--claude').code == 0
    return repo


def answered(repo: Repo, edits: Edits) -> tuple[str, str]:
    (path,) = edits
    answer = ask(
        'PreToolUse',
        repo.path,
        tool_name='Write',
        tool_input={
            'file_path': str(repo.path / path),
            'content': edited(BASE, edits)[path],
        },
    )
    return answer.decision, answer.reason


@pytest.mark.parametrize(
    ('edits', 'rule'),
    (
        pytest.param(
            task_master.tree(
                task_master.FIRST,
                task_master.task(2, 'pending'),
                task_master.task(3, 'done', (2,)),
            ),
            'done-before-dependency',
            id='in one file',
        ),
        pytest.param(
            kiro.tasks('- [x] 1. First\n  - [ ] 1.1 part\n'),
            'parent-ticked-subtask-open',
            id='boxes',
        ),
    ),
)
def test_what_one_file_breaks_is_denied(
    project_: Repo, edits: Edits, rule: str
) -> None:
    kind, reason = answered(project_, edits)
    assert kind == 'deny'
    assert rule in reason


def test_a_frozen_file_is_asked_about(project_: Repo) -> None:
    kind, reason = answered(project_, {f'{openspec.C}/proposal.md': '# Other\n'})
    assert kind == 'ask'
    assert 'spec-edited-after-start' in reason


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
