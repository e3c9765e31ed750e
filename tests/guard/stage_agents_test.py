from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.engine import session_records
from interlock.engine.session_records import Confirmation
from interlock.tasks import agent_work
from tests import samples
from tests.conftest import Repo
from tests.guard.agents import start_agent

FOUNDATION = 'foundation-shell-agent'
DSP = 'dsp-agent'
GUI = 'gui-agent'
RESEARCH = 'research-planning-agent'
BRIEF = 'plugins/Alpha/.ideas/creative-brief.md'


def confirm(repo: Repo, item: str, stage: str, commit: str) -> None:
    session_records.confirm(
        str(repo.path / '.git'),
        Confirmation(item, stage, commit, '2026-01-02T03:04:05Z', 's', 'h'),
    )


def stage(
    repo: Repo,
    number: str,
    phase: str = 'null',
    status: str = 'complete',
    **fields: str,
) -> str:
    """Bravo at a stage, as a stage commit leaves it."""
    name = number if phase == 'null' else phase
    return repo.commit(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': f'Stage {name}', 'Charlie': 'Installed'}
            ),
            samples.handoff_path('Bravo'): samples.handoff(
                'Bravo', number, phase, status, None, **fields
            ),
        },
        f'feat: Bravo Stage {name} - très bien',
    )


@pytest.fixture
def ready(project: Repo) -> Repo:
    """Bravo has done Stage 2, and the user said to go on."""
    confirm(project, 'Bravo', '2', stage(project, '2'))
    return project


def test_the_next_agent_starts_and_what_was_is_kept(ready: Repo) -> None:
    said = start_agent(DSP, ready.path, 'Build the engine of Bravo, please')
    assert said.is_silent
    found = agent_work.start_record(str(ready.path / '.git' / 'interlock'), 'Bravo')
    assert found is not None
    assert found.head == ready.git('rev-parse', 'HEAD')
    assert samples.handoff_path('Bravo') in found.files
    assert 'PLUGINS.md' in found.files


def test_an_agent_of_a_plugin_counts_by_its_name(ready: Repo) -> None:
    assert start_agent(f'audio:{DSP}', ready.path, 'Bravo').decision == ''
    said = start_agent(f'audio:{GUI}', ready.path, 'Bravo')
    assert said.decision == 'deny'


@pytest.mark.parametrize(
    ('agent', 'prompt'),
    (
        pytest.param('general-purpose', 'Bravo', id='another agent'),
        pytest.param('', 'Bravo', id='no type'),
        pytest.param('dsp-agents', 'Bravo', id='another name'),
    ),
)
def test_other_agents_pass(ready: Repo, agent: str, prompt: str) -> None:
    assert start_agent(agent, ready.path, prompt).out == ''


@pytest.mark.parametrize(
    ('prompt', 'says'),
    (
        pytest.param('go on', 'names none of Alpha, Bravo, Charlie', id='-'),
        pytest.param('bravo', 'names none', id='another case'),
        pytest.param('Bravos, Bravo-2, Bravo_x', 'names none', id='parts'),
        pytest.param('Bravo like Alpha', 'names Alpha, Bravo', id='two'),
    ),
)
def test_the_user_is_asked_which_item_is_meant(
    ready: Repo, prompt: str, says: str
) -> None:
    said = start_agent(DSP, ready.path, prompt)
    assert said.decision == 'ask'
    assert said.reason.startswith('CLD011 ')
    assert says in said.reason


@pytest.mark.parametrize(
    'prompt', ('plugins/Bravo/Source', "Bravo's engine", '`Bravo`.', '«Bravo»')
)
def test_a_name_may_stand_anywhere(ready: Repo, prompt: str) -> None:
    assert start_agent(DSP, ready.path, prompt).out == ''


def test_a_longer_name_is_not_two(ready: Repo) -> None:
    ready.commit(
        {'PLUGINS.md': samples.registry({'Bravo': 'Stage 2', 'Bravo Pro': 'Ideated'})}
    )
    said = start_agent(DSP, ready.path, 'Bravo Pro')
    assert said.reason.startswith('CLD011 Bravo Pro cannot begin')
    assert start_agent(DSP, ready.path, 'Bravo').decision == ''


@pytest.mark.parametrize(
    ('agent', 'says'),
    (
        pytest.param(
            GUI,
            'gui-agent does Stage 4; Bravo is at Stage 2, and '
            'Stage 3 (dsp-agent) comes next',
            id='too early',
        ),
        pytest.param(
            FOUNDATION,
            'foundation-shell-agent does Stage 2; Bravo is at Stage 2',
            id='its stage is done',
        ),
        pytest.param(RESEARCH, 'does Stage 0 and Stage 1', id='long ago'),
    ),
)
def test_it_has_to_be_its_turn(ready: Repo, agent: str, says: str) -> None:
    said = start_agent(agent, ready.path, 'Bravo')
    assert said.decision == 'deny'
    assert said.reason.startswith('CLD011 ')
    assert says in said.reason
    assert 'next: interlock menu Bravo' in said.reason
    assert len(said.reason) <= 600


@pytest.mark.parametrize(
    ('number', 'fields', 'agent', 'kind'),
    (
        pytest.param('3', {'status': 'in_progress'}, DSP, '', id='goes on'),
        pytest.param(
            '3',
            {'status': 'in_progress'},
            GUI,
            'deny',
            id='not before the other has ended',
        ),
        pytest.param('3', {'evidence': ''}, DSP, '', id='not proven'),
        pytest.param('3', {}, GUI, '', id='next'),
        pytest.param('3', {}, DSP, 'deny', id='done'),
        pytest.param(
            '3', {'gui_type': 'headless'}, GUI, 'deny', id='without a surface'
        ),
        pytest.param('4', {}, GUI, 'deny', id='the last agent is done'),
        pytest.param(
            '5', {'status': 'workflow_complete'}, GUI, 'deny', id='all is done'
        ),
    ),
)
def test_whose_turn_it_is(
    project: Repo, number: str, fields: dict[str, str], agent: str, kind: str
) -> None:
    confirm(project, 'Bravo', number, stage(project, number, **fields))
    said = start_agent(agent, project.path, 'Bravo')
    assert said.decision == kind, said.reason


def test_what_failed_is_dealt_with_before_the_next_stage(project: Repo) -> None:
    failed = "\n  3.test: passed 2026-01-02\n  3.build: 'failed 2026-01-02'"
    confirm(project, 'Bravo', '3', stage(project, '3', evidence=failed))
    said = start_agent(GUI, project.path, 'Bravo')
    assert said.decision == 'deny'
    assert 'the build of Stage 3 is recorded as `failed' in said.reason
    assert 'next: interlock menu Bravo --outcome build-failed' in said.reason
    # the agent of that stage may try again
    assert start_agent(DSP, project.path, 'Bravo').decision == ''


def test_work_that_is_not_committed_may_be_done_again(ready: Repo) -> None:
    ready.write(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
            ),
            samples.handoff_path('Bravo'): samples.handoff('Bravo', '3'),
        }
    )
    assert start_agent(DSP, ready.path, 'Bravo').decision == ''


def test_the_next_phase_needs_no_word_of_the_user(project: Repo) -> None:
    plan = samples.contract('Bravo', 'plan') + (
        '\n### Phase 3.1: one\n\n### Phase 3.2: two\n'
    )
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(plan)}
    project.write({'plugins/Bravo/.ideas/plan.md': plan})
    fields = {
        'complexity_score': '4',
        'phased_implementation': 'true',
        'next_phase': '3.2',
    }
    files = {
        samples.handoff_path('Bravo'): samples.handoff(
            'Bravo', '3', '3.1', sums=sums, **fields
        )
    }
    stage(project, '3', phase='3.1')
    project.commit(files, 'feat: Bravo Stage 3.1 - un')
    assert start_agent(DSP, project.path, 'Bravo').reason == ''
    assert start_agent(GUI, project.path, 'Bravo').decision == 'deny'


def test_the_user_has_to_say_how_it_goes_on(project: Repo) -> None:
    commit = stage(project, '2')
    said = start_agent(DSP, project.path, 'Bravo')
    assert said.decision == 'deny'
    assert said.reason.startswith(
        f'CLD012 stage 2 of Bravo was committed ({commit[:10]})'
    )
    assert 'interlock menu Bravo' in said.reason
    confirm(project, 'Bravo', '2', commit)
    assert start_agent(DSP, project.path, 'Bravo').decision == ''


@pytest.mark.parametrize(
    ('files', 'says'),
    (
        pytest.param(
            {samples.handoff_path('Bravo'): None}, 'it has no handoff', id='no handoff'
        ),
        pytest.param(
            {samples.handoff_path('Bravo'): samples.handoff('Bravo', '3')},
            'REG010',
            id='records disagree',
        ),
        pytest.param(
            {
                'PLUGINS.md': samples.registry(
                    {'Bravo': 'Stage 2'}, {'Bravo': 'Stage 3'}
                )
            },
            'REG001',
            id='row and entry differ',
        ),
        pytest.param(
            {'plugins/Bravo/.ideas/architecture.md': 'autre\n'},
            'CON001',
            id='a contract changed',
        ),
    ),
)
def test_the_state_has_to_be_whole(
    ready: Repo, files: dict[str, str | None], says: str
) -> None:
    ready.write(files)
    said = start_agent(DSP, ready.path, 'Bravo')
    assert said.decision == 'deny'
    assert said.reason.startswith('CLD011 the records of Bravo are not sound: ')
    assert says in said.reason
    assert '\nnext: interlock ' in said.reason


def test_a_stage_needs_its_contracts(project: Repo) -> None:
    plan = 'plugins/Bravo/.ideas/plan.md'
    sums = samples.checksums('Bravo')
    del sums['plan']
    project.write({plan: None})
    files = {samples.handoff_path('Bravo'): samples.handoff('Bravo', '0', sums=sums)}
    confirm(project, 'Bravo', '0', stage(project, '0'))
    project.write(files)
    said = start_agent(FOUNDATION, project.path, 'Bravo')
    assert said.decision == 'deny'
    assert f'needs {plan}' in said.reason
    # what makes it may start
    assert start_agent(RESEARCH, project.path, 'Bravo').reason == ''


def test_the_first_stage_needs_a_brief_and_no_handoff(project: Repo) -> None:
    said = start_agent(RESEARCH, project.path, 'Alpha')
    assert said.decision == 'deny'
    assert f'{BRIEF} is missing' in said.reason
    project.write({BRIEF: '# é\n'})
    assert start_agent(RESEARCH, project.path, 'Alpha').decision == ''
    said = start_agent(FOUNDATION, project.path, 'Alpha')
    assert said.decision == 'deny'
    assert 'Stage 0 (research-planning-agent) comes next' in said.reason


def test_a_finished_item_is_nobody_s_turn(project: Repo) -> None:
    said = start_agent(RESEARCH, project.path, 'Charlie')
    assert said.decision == 'deny'


def test_a_registry_that_cannot_be_read_is_said(ready: Repo) -> None:
    ready.write({'PLUGINS.md': b'\xff\xfe'})
    said = start_agent(DSP, ready.path, 'Bravo')
    assert said.decision == 'deny'
    assert said.reason.startswith('REG008 PLUGINS.md:1: the registry ')


def test_without_git_no_agent_of_a_stage_starts(project: Repo, tmp_path: Path) -> None:
    project.write({BRIEF: '# é\n'})
    said = start_agent(RESEARCH, project.path, 'Alpha', environ={'PATH': str(tmp_path)})
    assert said.decision == 'deny'
    assert 'git is not installed' in said.reason
    (project.path / '.git').rename(tmp_path / 'elsewhere')
    said = start_agent(RESEARCH, project.path, 'Alpha')
    assert said.decision == 'deny'
    assert 'next: git init' in said.reason


@pytest.mark.parametrize(
    'mode', ('default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions')
)
def test_the_mode_of_permissions_changes_nothing(ready: Repo, mode: str) -> None:
    said = start_agent(GUI, ready.path, 'Bravo', permission_mode=mode)
    assert said.decision == 'deny'
    said = start_agent(DSP, ready.path, 'Bravo', permission_mode=mode)
    assert said.out == ''
    # and is not a word of the user
    stage(ready, '3')
    said = start_agent(GUI, ready.path, 'Bravo', permission_mode=mode)
    assert said.reason.startswith('CLD012')


def test_text_of_others_is_shown_on_one_line(ready: Repo) -> None:
    ready.write(
        {'PLUGINS.md': samples.registry({'Bravo': 'Stage 2', 'Bad\x1b[31m': 'Ideated'})}
    )
    said = start_agent(DSP, ready.path, 'nothing')
    assert said.decision == 'ask'
    assert (
        '\x1b'
        not in json.loads(said.out)['hookSpecificOutput']['permissionDecisionReason']
    )


@pytest.mark.parametrize('agent', ('GUI-Agent', 'gui-agent ', 'x:Gui-agent'))
def test_names_are_not_told_apart_by_case(ready: Repo, agent: str) -> None:
    said = start_agent(agent, ready.path, 'Bravo')
    assert said.reason.startswith('CLD011')
