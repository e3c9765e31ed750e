from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from interlock.engine import session_records, stage_commits
from interlock.engine.session_records import Confirmation
from interlock.engine.stage_commits import StageCommit
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.workflow.language.spec import Workflow
from tests import samples
from tests.conftest import Repo

PLAN = 'plugins/Bravo/.ideas/plan.md'
PHASES = '# Plan\n\n### Phase 3.1: one\n\n### Phase 3.2: two\n'


@pytest.fixture
def here(project: Repo) -> Iterator[Repository]:
    opened = Repository(os.environ)
    yield opened
    opened.close()


def workflow(here: Repository) -> Workflow:
    return Governing(here).on_disk()


def newest(here: Repository) -> StageCommit | None:
    return stage_commits.newest(here, workflow(here))


def waiting(here: Repository, item: str = 'Bravo') -> str:
    state = here.facts.common_dir
    found = stage_commits.unconfirmed(here, state, workflow(here), item)
    return found.name if found else ''


def confirm(here: Repository, commit: str, item: str = 'Bravo') -> None:
    session_records.confirm(
        here.facts.common_dir,
        Confirmation(item, '2', commit, '2026-01-02T03:04:05Z', 'séance', 'é' * 64),
    )


@pytest.mark.parametrize(
    ('subject', 'expected'),
    (
        ('feat: Bravo Stage 2 - shell', ('Bravo', '2', '')),
        ('feat(Bravo): Stage 3 Phase 3.1 - dsp', ('Bravo', '3', '3.1')),
        ('feat: Alpha Stage 3.2 - dsp', ('Alpha', '3', '3.2')),
        ('feat: Bravo build system ready', ('Bravo', '2', '')),
        ('FEAT: Bravo STAGE 2 - shell', ('Bravo', '2', '')),
    ),
)
def test_the_newest_stage_commit(
    project: Repo, here: Repository, subject: str, expected: tuple[str, str, str]
) -> None:
    project.commit({'a': '1'}, 'feat: Charlie Stage 5 - before')
    oid = project.commit({'a': '2'}, subject)
    project.commit({'a': '3'}, 'docs: Stage 4 of everything')
    assert newest(here) == StageCommit(*expected, oid)


@pytest.mark.parametrize(
    'subject',
    (
        'feat: Nobody Stage 2 - not registered',
        'fix: Stage 2',
        'feat: Bravo Stage 9 - no such stage',
        'chore: prepare',
        'feat: Bravo without any number',
    ),
)
def test_what_is_not_a_stage_commit(
    project: Repo, here: Repository, subject: str
) -> None:
    project.commit({'a': '1'}, subject)
    assert newest(here) is None
    assert waiting(here) == ''


def test_it_is_found_behind_many_others(project: Repo, here: Repository) -> None:
    oid = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    for number in range(25):
        project.commit({'a': f'{number}é'}, f'fix: Bravo at Stage {number}')
    found = newest(here)
    assert found and found.commit == oid
    assert waiting(here) == '2'


def test_a_repository_without_commits(repo: Repo) -> None:
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    opened = Repository(os.environ)
    try:
        assert newest(opened) is None
        assert waiting(opened) == ''
    finally:
        opened.close()


def test_a_stage_waits_until_its_own_commit_is_confirmed(
    project: Repo, here: Repository
) -> None:
    first = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    assert waiting(here) == '2'
    assert waiting(here, 'Alpha') == ''
    confirm(here, 'f' * 40)
    confirm(here, first, item='Alpha')
    assert waiting(here) == '2', 'neither another commit nor another item'
    confirm(here, first)
    assert waiting(here) == ''
    project.commit({'a': '2'}, 'feat: Bravo Stage 3 - dsp')
    assert waiting(here) == '3'


def test_only_the_last_phase_of_a_stage_waits(project: Repo, here: Repository) -> None:
    project.commit({PLAN: PHASES}, 'feat: Bravo Stage 3.1 - dsp')
    assert waiting(here) == ''
    project.commit({'a': '2'}, 'feat: Bravo Stage 3.2 - dsp')
    assert waiting(here) == '3.2'


@pytest.mark.parametrize(
    ('coming', 'expected'), (('3.2', ''), ('null', '3.1'), ('4.1', '3.1'))
)
def test_without_phases_in_the_plan_the_handoff_says_which_is_the_last(
    project: Repo, here: Repository, coming: str, expected: str
) -> None:
    handoff = samples.handoff('Bravo', '3', '3.1', next_phase=coming)
    project.commit(
        {samples.handoff_path('Bravo'): handoff}, 'feat: Bravo Stage 3.1 - dsp'
    )
    assert waiting(here) == expected


@pytest.mark.parametrize(
    ('confirm_as', 'expected'), (('{phases: true}', '3.1'), ('null', ''))
)
def test_the_workflow_says_what_is_confirmed(
    project: Repo, here: Repository, confirm_as: str, expected: str
) -> None:
    more = f'items: {{plugin: {{commit: {{confirm: {confirm_as}}}}}}}\n'
    project.commit(
        {'.interlock.yaml': samples.WORKFLOW + more, PLAN: PHASES},
        'feat: Bravo Stage 3.1 - dsp',
    )
    assert waiting(here) == expected


def test_what_is_not_a_record_is_left_out(here: Repository) -> None:
    state = here.facts.common_dir
    assert session_records.confirmations(state, 'Bravo') == []
    confirm(here, 'a' * 40)
    with open(session_records.path_of(state, Confirmation), 'ab') as f:
        f.write(b'{"item": "Bravo"}\n[]\n\xff\n7\n{"item": "Bra\n')
    confirm(here, 'b' * 40)
    found = session_records.confirmations(state, 'Bravo')
    assert [each.commit[0] for each in found] == ['a', 'b']
    assert found[0].prompt == 'é' * 64
