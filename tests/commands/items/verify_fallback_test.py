"""The state is written in place of the agent, if the work is there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import samples
from tests.commands.items.reports import (
    CODE,
    DAY,
    HANDOFF,
    IDEAS,
    Files,
    Verify,
    done,
    failure,
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


SAID = {
    'completed': 'Moteur fertig',
    'nextSteps': ['Interface', 'Essai'],
    'description': 'Klang läuft',
}


def test_fallback_writes_what_the_agent_did_not(verify: Verify) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    said = report(stateUpdated=False, **SAID)
    result = verify.run(said, '--fallback')
    assert json.loads(result.out) == {
        'success': True,
        'error': None,
        'written': ['PLUGINS.md', HANDOFF],
    }
    assert result.code == 0
    assert 'not verified (stateUpdated_false)' in result.err
    assert result.err.endswith(
        'interlock: dsp-agent did not update the state of Stage 3; '
        'corrected by the orchestrator\n'
    )
    text = (verify.repo.path / 'PLUGINS.md').read_text()
    assert f'| Bravo | 🚧 Stage 3 | - | {DAY} |' in text
    assert f'- **{DAY} (Stage 3):** Klang läuft\n' in text
    text = (verify.repo.path / HANDOFF).read_text()
    assert '- **Stage 3:** Moteur fertig\n' in text
    assert '## Next Steps\n\n1. Interface\n2. Essai\n' in text
    assert 'next_action: invoke_gui_agent\n' in text
    # and what was written is what an agent would have to write
    assert verify.names(report()) == []
    assert verify.interlock.check('--worktree').codes == []


def test_fallback_says_the_text_of_the_preset_by_default(verify: Verify) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    assert verify(report(), '--fallback')['success'] is True
    text = (verify.repo.path / 'PLUGINS.md').read_text()
    assert f'- **{DAY} (Stage 3):** Audio engine complete\n' in text


def test_fallback_has_nothing_to_do_where_all_is_verified(verify: Verify) -> None:
    verify.repo.write(done())
    before = verify.repo.git('diff')
    result = verify.run(report(), '--fallback')
    assert json.loads(result.out) == {'success': True, 'error': None, 'written': []}
    assert (result.err, verify.repo.git('diff')) == ('', before)


def test_fallback_writes_only_what_is_missing(verify: Verify) -> None:
    verify.repo.write(done(registry=registry(row='Stage 2')))
    before = (verify.repo.path / HANDOFF).read_bytes()
    answer = verify(report(), '--fallback')
    assert answer == {'success': True, 'error': None, 'written': ['PLUGINS.md']}
    assert (verify.repo.path / HANDOFF).read_bytes() == before
    text = (verify.repo.path / 'PLUGINS.md').read_text()
    assert text.count(f'{DAY} (Stage 3)') == 1


def test_another_agent_goes_straight_to_the_fallback(verify: Verify) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    said = report(agent='general-purpose')
    assert verify.names(said) == ['agent_mismatch']
    assert verify(said, '--fallback')['success'] is True
    assert verify.names(report()) == []


def test_a_state_that_could_not_be_written_is_written(verify: Verify) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    assert verify(failure(), '--fallback')['success'] is True
    assert verify.names(report()) == []


REFUSED = pytest.mark.parametrize(
    ('said', 'files', 'error'),
    [
        pytest.param(
            failure(
                error_type='build_failure',
                error_message='ld: échec',
                failed_operation='build',
                implementation_status='partial',
            ),
            {},
            'the work itself is not complete (build): ld: échec',
            id='the work failed',
        ),
        pytest.param(
            report(),
            {},
            f'{CODE} has not changed since the agent started',
            id='the work is not there',
        ),
        pytest.param(
            report(outputs__files_modified=['Neu.cpp']),
            {},
            'Neu.cpp does not exist',
            id='a file is missing',
        ),
        pytest.param(
            report(),
            {CODE: '//\n', f'{IDEAS}/architecture.md': 'autre\n'},
            'is frozen at Stage 2 and differs from its seal',
            id='a contract was changed',
        ),
        pytest.param(
            report(),
            {CODE: '//\n', HANDOFF: '---\nstage: [\n---\n'},
            'the frontmatter is not valid YAML',
            id='a broken handoff',
        ),
        pytest.param(
            report(),
            {CODE: '//\n', HANDOFF: samples.handoff('Bravo', evidence='')},
            '',
            id='an old handoff is written all the same',
        ),
        pytest.param(
            report(),
            {CODE: '//\n', HANDOFF: samples.handoff('Bravo', evidence='null')},
            'Stage 3 would be done, and no test of it is recorded as passed',
            id='not tried',
        ),
    ],
)


@REFUSED
def test_fallback_writes_nothing_that_is_not_so(
    verify: Verify, said: object, files: Files, error: str
) -> None:
    verify.repo.write(files)
    before = verify.repo.git('diff')
    result = verify.run(said, '--fallback')
    answer = json.loads(result.out)
    if not error:
        assert (answer['success'], result.code) == (True, 0)
        return
    assert (answer['success'], answer['written']) == (False, [])
    assert error in answer['error']
    assert 'next: ' in result.err
    assert (verify.repo.git('diff'), result.code) == (before, 1)


def test_an_amendment_is_given_to_the_fallback(verify: Verify) -> None:
    verify.repo.write({CODE: '//\n', f'{IDEAS}/architecture.md': 'autre\n'})
    answer = verify(report(), '--fallback', '--amend', 'entschieden')
    assert answer['success'] is True
    assert samples.checksum('autre\n') in (verify.repo.path / HANDOFF).read_text()


def test_a_skipped_stage_is_not_written(verify: Verify) -> None:
    said = report(
        agent='gui-agent', outputs__stage_completed=4, outputs__files_modified=[]
    )
    answer = verify(said, '--fallback', stage='4')
    assert 'may not go from Stage 2 to Stage 4' in answer['error']


def test_the_text_of_the_fallback_names_the_files(verify: Verify) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    args = ('--fallback', '--format', 'text')
    result = verify.run(report(), *args)
    assert result.out == f'PLUGINS.md: written\n{HANDOFF}: written\n'
    assert verify.run(report(), *args).out == 'verified\n'
    result = verify.run(failure(implementation_status='partial'), *args)
    assert result.out.startswith('the state was not written: ')


def test_the_first_handoff_is_written_by_the_fallback(verify: Verify) -> None:
    verify.repo.write(samples.item_files('Alpha'))
    verify.file.write_text(
        json.dumps(
            report(
                agent='research-planning-agent',
                outputs__stage_completed=0,
                outputs__files_modified=[],
                stateUpdated=False,
            )
        )
    )
    result = verify.interlock(
        'verify-update',
        'Alpha',
        '--stage',
        '0',
        '--report',
        str(verify.file),
        '--fallback',
    )
    assert (result.code, json.loads(result.out)['written']) == (
        0,
        ['PLUGINS.md', samples.handoff_path('Alpha')],
    ), result.err


def test_fallback_without_git_writes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    top = Repo(tmp_path / 'ailleurs')
    top.path.mkdir()
    top.write(
        {
            '.interlock.yaml': samples.WORKFLOW,
            **samples.item_files('Bravo'),
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            HANDOFF: samples.handoff('Bravo'),
        }
    )
    monkeypatch.chdir(top.path)
    monkeypatch.setenv('PATH', os.devnull)
    on_the_day(monkeypatch)
    checked = Verify(top, interlock, tmp_path / 'bericht.json')
    result = checked.run(report(), '--fallback')
    assert json.loads(result.out)['success'] is True
    assert 'nothing is committed' in result.err
