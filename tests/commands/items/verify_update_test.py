"""Has an agent written the state that it reports?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.workflow_source import without_repository
from interlock.operations.verify import CHECKS
from interlock.tasks import agent_work
from interlock.workflow.reading.records import records
from tests import samples
from tests.commands.items.reports import (
    CODE,
    HANDOFF,
    IDEAS,
    Files,
    Verify,
    done,
    failure,
    handoff,
    on_the_day,
    registry,
    report,
)
from tests.conftest import Interlock, Repo


@pytest.fixture
def verify(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Verify:
    on_the_day(monkeypatch)
    return Verify(project, interlock, tmp_path / 'bericht.json')


def test_what_is_done_and_reported_is_verified(verify: Verify) -> None:
    verify.repo.write(done())
    result = verify.run(report())
    assert result.out == (
        '{"verified": true, "reason": null, "error": null, "failures": []}\n'
    )
    assert (result.err, result.code) == ('', 0)


def test_the_form_without_stateupdated_is_verified_too(verify: Verify) -> None:
    verify.repo.write(done())
    said = report(stateUpdated=..., stateUpdateError=...)
    assert verify.names(said) == []
    said = report(stateUpdated=..., outputs__state_files_updated=True)
    assert verify.names(said) == []


REPORTED = pytest.mark.parametrize(
    ('said', 'names', 'error'),
    [
        pytest.param(
            report(stateUpdated=False),
            ['stateUpdated_false'],
            'dsp-agent did not update the state',
            id='says it did not',
        ),
        pytest.param(
            report(stateUpdated=..., outputs__state_files_updated=...),
            ['stateUpdated_false', 'state_files_not_updated'],
            'dsp-agent did not update the state',
            id='names no state files',
        ),
        pytest.param(
            report(stateUpdated=..., outputs__state_files_updated=[]),
            ['stateUpdated_false', 'state_files_not_updated'],
            'dsp-agent did not update the state',
            id='an empty list of them',
        ),
        pytest.param(
            report(outputs__state_files_updated=False),
            ['state_files_not_updated'],
            'the report does not name a state file',
            id='not the state files',
        ),
        pytest.param(
            report(stateUpdateError='Platte voll'),
            ['state_update_error'],
            'Platte voll',
            id='an error',
        ),
        pytest.param(
            report(stateUpdated=False, stateUpdateError='Platte voll'),
            ['stateUpdated_false', 'state_update_error'],
            'dsp-agent did not update the state: Platte voll',
            id='both',
        ),
        pytest.param(
            failure(),
            ['stateUpdated_false', 'state_update_error', 'state_files_not_updated'],
            'dsp-agent did not update the state: Zugriff verweigert',
            id='a failure',
        ),
        pytest.param(
            {**failure(), 'stateUpdated': True},
            ['state_update_error', 'state_files_not_updated'],
            'write_continue_here: Zugriff verweigert',
            id='a failure that is not one of the state',
        ),
        pytest.param(
            report(outputs__stage_completed=2),
            ['stage_mismatch'],
            'the report speaks of stage 2, not of Stage 3',
            id='other stage',
        ),
        pytest.param(
            report(outputs__phase_completed='4.1'),
            ['stage_mismatch'],
            'the report speaks of stage 4.1, not of Stage 3',
            id='phase of another stage',
        ),
        pytest.param(
            report(outputs__phase_completed='3.3'),
            [],
            None,
            id='the last phase ends the stage',
        ),
        pytest.param(
            report(outputs__stage_completed='3'), [], None, id='the stage as text'
        ),
        pytest.param(
            report(agent='gui-agent', stateUpdated=False),
            ['agent_mismatch'],
            'gui-agent reports Stage 3, and dsp-agent does it',
            id='another agent, and nothing else is asked',
        ),
        pytest.param(
            report(outputs__files_modified=['Main.cpp']),
            [],
            None,
            id='a file by its name below the item',
        ),
        pytest.param(
            report(outputs__files_modified=['Source/Main.cpp']),
            [],
            None,
            id='a file by the end of its path',
        ),
        pytest.param(
            report(outputs__files_modified=['Nichts.cpp']),
            ['files_missing'],
            'Nichts.cpp does not exist',
            id='no file',
        ),
        pytest.param(
            report(outputs__files_modified=['plugins/Bravo/Source']),
            ['files_missing'],
            'plugins/Bravo/Source does not exist',
            id='a directory is none',
        ),
        pytest.param(
            report(outputs__files_modified=[f'{IDEAS}/plan.md', CODE]),
            ['files_unchanged'],
            f'{IDEAS}/plan.md has not changed since the agent started',
            id='a file that did not change',
        ),
        pytest.param(report(outputs__files_modified=...), [], None, id='no files'),
    ],
)


@REPORTED
def test_the_report_itself_is_judged(
    verify: Verify, said: object, names: list[str], error: str | None
) -> None:
    verify.repo.write(done())
    assert verify.names(said) == names
    assert verify(said)['error'] == error


def _without(text: str, *lines: str) -> str:
    for line in lines:
        assert line in text
        text = text.replace(line, '')
    return text


def _sums(name: str, value: str) -> dict[str, str]:
    return {**samples.checksums('Bravo'), name: value}


@pytest.mark.parametrize(
    ('files', 'names'),
    [
        pytest.param({HANDOFF: None}, ['file_exists'], id='no handoff'),
        pytest.param(
            {HANDOFF: '---\nstage: [\n---\n'}, ['valid_yaml'], id='broken YAML'
        ),
        pytest.param({HANDOFF: '# nothing\n'}, ['valid_yaml'], id='no frontmatter'),
        pytest.param(
            {HANDOFF: b'---\nstage: \xff\n---\n'}, ['valid_yaml'], id='not UTF-8'
        ),
        pytest.param(
            {HANDOFF: _without(handoff(), 'plugin: Bravo\n')},
            ['required_fields'],
            id='no name',
        ),
        pytest.param(
            {HANDOFF: handoff(plugin='Brava')},
            ['required_fields'],
            id='the name of another',
        ),
        pytest.param(
            {HANDOFF: _without(handoff(), 'stage: 3\n')},
            ['stage_mismatch', 'required_fields', 'stage_matches'],
            id='no stage',
        ),
        pytest.param(
            {HANDOFF: handoff(last_updated='')},
            ['date_not_current', 'required_fields', 'date_current'],
            id='no date',
        ),
        pytest.param(
            {HANDOFF: handoff(stage='2')},
            ['stage_mismatch', 'stage_matches'],
            id='other stage',
        ),
        pytest.param(
            {HANDOFF: handoff(phase='3.1')},
            ['stage_mismatch', 'stage_matches'],
            id='a phase',
        ),
        pytest.param(
            {HANDOFF: handoff(status='')},
            ['required_fields', 'status_valid'],
            id='no status',
        ),
        pytest.param(
            {HANDOFF: handoff(status='fertig')},
            ['required_fields', 'status_valid'],
            id='other status',
        ),
        pytest.param(
            {HANDOFF: handoff(status='workflow_complete')},
            ['status_valid'],
            id='too early for the last status',
        ),
        pytest.param(
            {HANDOFF: handoff(status='in_progress')},
            ['status_valid'],
            id='work goes on',
        ),
        pytest.param(
            {HANDOFF: handoff(last_updated='2026-03-03')},
            ['date_not_current', 'date_current'],
            id='yesterday',
        ),
        pytest.param(
            {HANDOFF: handoff(last_updated='2026-03-04 12:30:00')},
            [],
            id='a timestamp of today',
        ),
        pytest.param(
            {HANDOFF: handoff(sums={})}, ['checksums_present'] * 4, id='no checksums'
        ),
        pytest.param(
            {HANDOFF: handoff(sums=_sums('plan', 'null'))},
            ['checksums_present'],
            id='one checksum missing',
        ),
        pytest.param(
            {HANDOFF: handoff(sums=_sums('plan', 'sha256:pending'))},
            ['checksums_present'],
            id='one that is none',
        ),
        pytest.param(
            {HANDOFF: handoff(sums=_sums('plan', samples.checksum('x')))},
            ['checksums_present'],
            id='one that does not hold',
        ),
        pytest.param(
            {f'{IDEAS}/plan.md': None, HANDOFF: handoff(sums=_sums('plan', 'null'))},
            [],
            id='a contract that does not exist',
        ),
        pytest.param(
            {HANDOFF: _without(handoff(), '## Next Steps\n\n1. go\n')},
            ['markdown_sections_present'],
            id='no next steps',
        ),
        pytest.param(
            {HANDOFF: _without(handoff(), '## Current State: done\n')},
            ['markdown_sections_present'],
            id='no current state',
        ),
        pytest.param(
            {
                HANDOFF: _without(
                    handoff(), '## Completed So Far\n\n- **Stage 3:** moteur\n'
                )
            },
            ['markdown_sections_present', 'completed_section_updated'],
            id='nothing completed',
        ),
        pytest.param(
            {'PLUGINS.md': registry(status='Stage 2')},
            [
                'plugins_md_not_updated',
                'plugins_md_table_updated',
                'plugins_md_entry_updated',
            ],
            id='registry as before',
        ),
        pytest.param(
            {'PLUGINS.md': registry(row='Stage 2')},
            ['plugins_md_table_updated', 'plugins_md_consistency'],
            id='row forgotten',
        ),
        pytest.param(
            {'PLUGINS.md': registry(status='Stage 2', row='Stage 3')},
            [
                'plugins_md_not_updated',
                'plugins_md_entry_updated',
                'plugins_md_consistency',
            ],
            id='entry forgotten',
        ),
        pytest.param(
            {'PLUGINS.md': registry(status='Stage 3.1')},
            [
                'plugins_md_not_updated',
                'plugins_md_table_updated',
                'plugins_md_entry_updated',
            ],
            id='registry in a phase',
        ),
        pytest.param(
            {'PLUGINS.md': registry(status='Processing Audio')},
            [],
            id='registry with the milestone',
        ),
        pytest.param(
            {'PLUGINS.md': registry(day='2026-03-03')},
            ['timeline_updated'],
            id='timeline of another day',
        ),
        pytest.param(
            {'PLUGINS.md': registry(about='Stage 3.1')},
            ['timeline_updated'],
            id='timeline of a phase',
        ),
        pytest.param(
            {'PLUGINS.md': registry(about='Stage 30')},
            ['timeline_updated'],
            id='timeline of another stage',
        ),
        pytest.param(
            {HANDOFF: handoff(completed='**Stage 3.1:** moteur')},
            ['completed_section_updated'],
            id='a phase completed',
        ),
        pytest.param(
            {HANDOFF: handoff(completed='Processing Audio, moteur')},
            [],
            id='the milestone completed',
        ),
    ],
)
def test_each_check_has_its_name(
    verify: Verify, files: Files, names: list[str]
) -> None:
    verify.repo.write(done())
    verify.repo.write(files)
    assert verify.names(report()) == names


def test_there_are_thirteen_checks() -> None:
    assert len(set(CHECKS)) == 13


def test_open_work_is_not_verified(verify: Verify) -> None:
    verify.repo.write(done(handoff=handoff(status='in_progress')))
    result = verify.run(report())
    assert result.code == 1
    assert verify.run(report(), '--fallback').code == 0
    assert 'status: complete\n' in (verify.repo.path / HANDOFF).read_text()
    assert verify.names(report()) == []


@pytest.mark.parametrize(
    ('stage', 'phase', 'names'),
    [
        pytest.param('3', None, ['not_ready'], id='a stage'),
        pytest.param('3', '3.3', ['not_ready'], id='the last phase'),
        pytest.param('3.1', '3.1', [], id='after a phase more come'),
    ],
)
def test_an_agent_that_is_not_ready_does_not_end_the_stage(
    verify: Verify, stage: str, phase: str | None, names: list[str]
) -> None:
    number = 'null' if stage == '3' else stage
    verify.repo.write(
        done(
            registry=registry(f'Stage {stage}', about=f'Stage {stage}'),
            handoff=handoff(phase=number, completed=f'**Stage {stage}:** oui'),
        )
    )
    said = report(
        ready_for_next_stage=False, issues=['clipping'], outputs__phase_completed=phase
    )
    assert verify.names(said, stage) == names
    if names:
        result = verify.run(said, '--fallback')
        assert result.code == 1
        assert 'is not ready to continue: clipping' in result.out


@pytest.mark.parametrize(
    ('stage', 'phase', 'status', 'said', 'names'),
    [
        pytest.param('3.1', '3.1', 'Stage 3.1', '3.1', [], id='a phase'),
        pytest.param('3.1', '3.1', 'Stage 3', '3.1', [], id='registry without it'),
        pytest.param(
            '3.1',
            '3.1',
            'Stage 3.1',
            None,
            ['stage_mismatch'],
            id='the report names none',
        ),
        pytest.param(
            '3.1',
            '3.1',
            'Stage 3.1',
            '3.2',
            ['stage_mismatch'],
            id='the report names another',
        ),
        pytest.param(
            '3.1',
            'null',
            'Stage 3.1',
            '3.1',
            ['stage_mismatch', 'stage_matches'],
            id='the handoff names none',
        ),
        pytest.param(
            '3.10',
            '3.1',
            'Stage 3.1',
            '3.10',
            [
                'stage_mismatch',
                'plugins_md_not_updated',
                'stage_matches',
                'plugins_md_table_updated',
                'plugins_md_entry_updated',
                'timeline_updated',
                'completed_section_updated',
            ],
            id='3.10 is not 3.1',
        ),
    ],
)
def test_a_phase_is_verified_as_a_phase(
    verify: Verify,
    stage: str,
    phase: str,
    status: str,
    said: str | None,
    names: list[str],
) -> None:
    verify.repo.write(
        done(
            registry=registry(status, about='Stage 3.1'),
            handoff=handoff(phase=phase, completed='**Phase 3.1:** noyau'),
        )
    )
    found = verify.names(report(outputs__phase_completed=said), stage)
    assert found == names


def _last(status: str) -> dict[str, str | bytes | None]:
    return {
        'PLUGINS.md': registry('Working', about='Stage 5'),
        HANDOFF: handoff('5', status=status, completed='**Stage 5:** oui'),
    }


@pytest.mark.parametrize(
    ('status', 'names'),
    [
        ('workflow_complete', []),
        ('complete', ['status_valid']),
        ('in_progress', ['status_valid']),
    ],
)
def test_the_last_stage_has_a_status_of_its_own(
    verify: Verify, status: str, names: list[str]
) -> None:
    said = report(
        agent='orchestrator', outputs__stage_completed=5, outputs__files_modified=[]
    )
    verify.repo.write(_last(status))
    assert verify.names(said, '5') == names


@pytest.mark.parametrize(
    ('agent', 'names'),
    [
        pytest.param('orchestrator', [], id='the agent that leads'),
        pytest.param('gui-agent', ['agent_mismatch'], id='of another stage'),
    ],
)
def test_a_stage_without_an_agent_is_nobody_elses(
    verify: Verify, agent: str, names: list[str]
) -> None:
    said = report(agent=agent, outputs__stage_completed=5, outputs__files_modified=[])
    verify.repo.write(_last('workflow_complete'))
    assert verify.names(said, '5') == names


def test_a_registry_without_entries_needs_no_timeline(verify: Verify) -> None:
    rows = samples.HEAD + samples.row('Bravo', 'Stage 2')
    verify.repo.commit({'PLUGINS.md': rows})
    verify.repo.write(done(registry=rows.replace('Stage 2', 'Stage 3')))
    assert verify.names(report()) == []


def test_a_handoff_that_did_not_change_is_not_verified(verify: Verify) -> None:
    verify.repo.commit(done())
    verify.repo.write({CODE: '// encore\n'})
    assert verify.names(report()) == ['handoff_unchanged']


def test_line_endings_of_a_checkout_are_no_change(verify: Verify) -> None:
    verify.repo.git('config', 'core.autocrlf', 'true')
    verify.repo.commit(done())
    text = handoff().replace('\n', '\r\n')
    verify.repo.write({HANDOFF: text, CODE: '// encore\n'})
    assert verify.names(report()) == ['handoff_unchanged']


def _start(repo: Repo) -> None:
    """As an agent's start is recorded."""
    workflow, _ = without_repository(str(repo.path / '.interlock.yaml'))
    top = str(repo.path)
    at = records(DiskSnapshot(top), workflow.kinds[0], 'Bravo')
    agent_work.record_start(
        str(repo.path / '.git/interlock'), top, at, repo.git('rev-parse', 'HEAD')
    )


def test_what_was_when_the_agent_started_counts(verify: Verify) -> None:
    # somebody else had done it all, and had not committed it
    verify.repo.write(done())
    _start(verify.repo)
    assert verify.names(report()) == ['handoff_unchanged', 'files_unchanged']
    verify.repo.write({HANDOFF: handoff() + '\nzu Ende\n', CODE: '// neu\n'})
    assert verify.names(report()) == []


def test_a_file_that_is_new_since_the_start_has_changed(verify: Verify) -> None:
    _start(verify.repo)
    verify.repo.write({**done(), 'plugins/Bravo/Source/Neu.cpp': '//\n'})
    said = report(outputs__files_modified=['Neu.cpp', CODE])
    assert verify.names(said) == []


def test_a_file_outside_of_the_item_is_compared_with_head(verify: Verify) -> None:
    verify.repo.commit({'shared/lib.cpp': '// 1\n'})
    _start(verify.repo)
    verify.repo.write(done())
    said = report(outputs__files_modified=['shared/lib.cpp'])
    assert verify.names(said) == ['files_unchanged']
    verify.repo.write({'shared/lib.cpp': '// 2\n'})
    assert verify.names(said) == []


def test_an_ignored_file_exists_all_the_same(verify: Verify) -> None:
    verify.repo.commit({'.gitignore': 'build/\n'})
    verify.repo.write({**done(), 'build/Bravo.vst3': 'x\n'})
    said = report(outputs__files_modified=['build/Bravo.vst3'])
    assert verify.names(said) == []


def test_a_start_before_a_commit_of_the_handoff_is_over(verify: Verify) -> None:
    _start(verify.repo)
    verify.repo.commit(done())
    verify.repo.write({CODE: '// encore\n'})
    # since the start it has changed, but not since it was committed
    assert verify.names(report()) == ['handoff_unchanged']


def test_a_commit_of_another_item_ends_no_start(verify: Verify) -> None:
    verify.repo.write(done())
    _start(verify.repo)
    verify.repo.write({'plugins/Alpha/idée.md': 'x\n'})
    verify.repo.git('add', 'plugins/Alpha')
    verify.repo.git('commit', '-qm', 'chore: Alpha')
    assert 'handoff_unchanged' in verify.names(report())


def test_a_start_whose_commit_is_gone_does_not_count(verify: Verify) -> None:
    verify.repo.write(done())
    _start(verify.repo)
    file = verify.repo.path / '.git/interlock/started/Bravo.json'
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, 'head': 'f' * 40}))
    assert verify.names(report()) == []


@pytest.mark.parametrize(
    'data', [b'', b'{', b'[]', b'{"head": ""}', b'{"head": 1, "files": []}']
)
def test_a_damaged_record_of_the_start_is_refused(verify: Verify, data: bytes) -> None:
    verify.repo.write(done())
    _start(verify.repo)
    file = verify.repo.path / '.git/interlock/started/Bravo.json'
    file.write_bytes(data)
    result = verify.run(report())
    assert (result.code, result.out) == (2, '')
    assert f'{file} is damaged' in result.err
    assert f'next: rm {file}\n' in result.err


def test_the_text_for_people_says_each_thing_once(verify: Verify) -> None:
    result = verify.run(report(), '--format', 'text')
    lines = result.out.splitlines()
    assert lines[0] == 'not verified: stage_mismatch'
    assert lines[1] == f'    {HANDOFF} says Stage 2, not Stage 3'
    assert len(lines) == len(set(lines))
    # the work itself is missing, which nobody can write in its place
    assert result.err.startswith(
        'next: interlock menu Bravo --outcome build-failed --text '
    )
    assert result.code == 1
    verify.repo.write(done())
    result = verify.run(report(), '--format', 'text')
    assert (result.out, result.err, result.code) == ('verified\n', '', 0)


def test_nothing_is_written_without_fallback(verify: Verify) -> None:
    before = verify.repo.git('status', '--porcelain')
    assert verify(report())['verified'] is False
    assert verify.repo.git('status', '--porcelain') == before


def test_without_git_every_file_counts_as_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    top = Repo(tmp_path / 'ailleurs')
    top.path.mkdir()
    top.write(
        {'.interlock.yaml': samples.WORKFLOW, **samples.item_files('Bravo'), **done()}
    )
    monkeypatch.chdir(top.path)
    monkeypatch.setenv('PATH', os.devnull)
    on_the_day(monkeypatch)
    checked = Verify(top, interlock, tmp_path / 'bericht.json')
    result = checked.run(report())
    assert json.loads(result.out)['verified'] is True
    assert 'every file counts as changed' in result.err


def test_a_repository_without_a_commit(
    repo: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(
        {'.interlock.yaml': samples.WORKFLOW, **samples.item_files('Bravo'), **done()}
    )
    on_the_day(monkeypatch)
    checked = Verify(repo, interlock, tmp_path / 'bericht.json')
    assert checked.names(report()) == []
