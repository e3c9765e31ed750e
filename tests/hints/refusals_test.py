"""What a refused command names leads on, as printed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.hints.ways import Walk, check_printed, shell

BRAVO = samples.handoff_path('Bravo')
SPEC = 'plugins/Bravo/.ideas/parameter-spec.md'


def registry(**statuses: str) -> str:
    return samples.registry({**samples.STATUSES, **statuses})


def handoff(stage: str = '2', **fields: Any) -> str:
    return samples.handoff('Bravo', stage, **fields)


@pytest.mark.parametrize(
    ('files', 'command', 'expected'),
    (
        pytest.param(
            {},
            "interlock registry set-status Bravo 'Stage 5'",
            'interlock menu Bravo',
            id='skip',
        ),
        pytest.param(
            {},
            "interlock registry set-status Bravo 'Stage 0'",
            'interlock menu Bravo',
            id='back',
        ),
        pytest.param(
            {},
            "interlock registry set-status Charlie 'Stage 3'",
            'interlock registry set-status Charlie Improving',
            id='from an item that is finished',
        ),
        pytest.param(
            {},
            "interlock registry set-status Alpha 'Stage 3'",
            'interlock handoff create Alpha',
            id='before the first stage',
        ),
        pytest.param(
            {
                'PLUGINS.md': registry(Bravo='Stage 1'),
                BRAVO: handoff('1', sums={}),
                SPEC: None,
            },
            "interlock registry set-status Bravo 'Stage 2'",
            'interlock contracts verify Bravo',
            id='a contract is missing',
        ),
        pytest.param(
            {},
            "interlock registry set-status Bravo 'Stage 3' && "
            'interlock commit-stage Bravo 5 -m skip',
            'interlock menu Bravo',
            id='the end of a stage that was skipped',
        ),
        pytest.param(
            {},
            'interlock registry add Bravo --type Synth',
            'interlock resume Bravo',
            id='registered already',
        ),
    ),
)
def test_a_refused_step_names_one_that_is_legal(
    project: Repo, files: dict[str, str | None], command: str, expected: str
) -> None:
    project.commit(files)
    refused = shell(project, command)
    assert refused.code == 1, refused
    assert refused.following == expected
    check_printed(expected)
    followed = shell(project, expected)
    assert followed.code == 0, followed
    assert 'refused' not in followed.err


def test_who_makes_a_missing_contract_is_said(project: Repo) -> None:
    project.commit(
        {'PLUGINS.md': registry(Bravo='Stage 1'), BRAVO: handoff('1'), SPEC: None}
    )
    refused = shell(project, "interlock registry set-status Bravo 'Stage 2'")
    assert f'{SPEC} is missing (the UI mockup makes it)' in refused.err
    named = shell(project, refused.following)
    assert f'missing    {SPEC} (the UI mockup makes it)' in named.out


WHOLE = 0
NONE = 1
WRONG = 2


@pytest.mark.parametrize(
    ('files', 'code', 'said'),
    (
        pytest.param({}, WHOLE, 'the records are sound', id='whole'),
        pytest.param({BRAVO: handoff('foo')}, WRONG, 'HND008', id='word'),
        pytest.param({BRAVO: handoff('9')}, WRONG, 'HND003', id='unknown'),
        pytest.param({BRAVO: handoff('')}, WRONG, 'HND003', id='no stage'),
        pytest.param(
            {BRAVO: handoff().replace('plugin: Bravo', 'plugin: Other')},
            WRONG,
            'HND004',
            id='another item',
        ),
        pytest.param({BRAVO: handoff(status='done')}, WRONG, 'HND003', id='status'),
        pytest.param(
            {
                'PLUGINS.md': registry(Bravo='Stage 0'),
                BRAVO: handoff('0', status='done'),
            },
            WRONG,
            'HND003',
            id='status at the first stage',
        ),
        pytest.param(
            {'PLUGINS.md': registry(Bravo='Ideated'), BRAVO: handoff('3')},
            WRONG,
            'REG010',
            id='a stage beside none',
        ),
        pytest.param(
            {
                'PLUGINS.md': registry(Bravo='Ideated'),
                BRAVO: handoff('0', status='in_progress'),
            },
            WHOLE,
            'the records are sound',
            id='the first stage is begun',
        ),
        pytest.param(
            {
                'PLUGINS.md': registry(Bravo='Ideated'),
                BRAVO: handoff('ideation', status=''),
            },
            WHOLE,
            'the records are sound',
            id='a word before the stages',
        ),
        pytest.param(
            {
                'PLUGINS.md': registry(Bravo='Working'),
                BRAVO: handoff('Stage 3 (GUI) - Bug Fixes Required'),
            },
            WRONG,
            'HND008',
            id='a sentence beside Working',
        ),
    ),
)
@pytest.mark.parametrize('command', ('verify-state', 'resume'))
def test_every_broken_record_is_seen_and_led_on_from(
    project: Repo,
    interlock: Interlock,
    files: dict[str, str],
    code: int,
    said: str,
    command: str,
) -> None:
    project.commit(files)
    result = interlock(command, 'Bravo')
    assert (result.code, said in result.out) == (code, True), result.out
    if code == WRONG:
        assert 'next: interlock resolve Bravo\n' in result.out + result.err
        resolved = interlock('resolve', 'Bravo')
        assert 'nothing to resolve' not in resolved.out
        assert '(recommended)' in resolved.out


@pytest.mark.parametrize(
    ('item', 'following'),
    (
        pytest.param('Alpha', 'interlock handoff create Alpha', id='begin'),
        pytest.param('Charlie', 'interlock menu Charlie', id='finished'),
        pytest.param('Bravi', 'interlock verify-state Bravo', id='near'),
        pytest.param('Zulu', 'interlock status', id='unknown'),
    ),
)
def test_without_a_handoff_the_next_step_is_named(
    project: Repo, interlock: Interlock, item: str, following: str
) -> None:
    result = interlock('verify-state', item)
    assert result.code == NONE
    assert result.err.endswith(f'next: {following}\n')


def test_the_menu_of_a_broken_state_does_not_lead_in_a_circle(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'PLUGINS.md': registry(Bravo='Ideated'), BRAVO: handoff('3')})
    result = interlock('menu', 'Bravo')
    assert result.out.startswith('Bravo cannot continue as it is:\n')
    assert 'Continue with Stage' not in result.out
    result = interlock('menu', 'Bravo', '--choice', 'continue')
    assert 'REG010' in result.out
    result = interlock(
        'resolve', 'Bravo', '--finding', 'REG010', '--choose', 'continue'
    )
    assert result.out.endswith('REG010 Bravo: gone\n')
    assert 'Start the research and planning' in interlock('menu', 'Bravo').out


@pytest.mark.parametrize('code', ('REG010', 'HND010', 'HND005', 'REG002'))
def test_the_recommended_remedy_of_resolve_works(
    project: Repo, interlock: Interlock, code: str
) -> None:
    charlie = samples.handoff_path('Charlie')
    project.stage(
        {
            'REG010': {'PLUGINS.md': registry(Bravo='Stage 3')},
            'HND010': {BRAVO: handoff(complexity_score='null')},
            'HND005': {charlie: samples.handoff('Charlie', '6')},
            'REG002': {
                'PLUGINS.md': registry().replace(samples.entry('Bravo', 'Stage 2'), '')
            },
        }[code]
    )
    result = interlock('resolve', '--finding', code, '--choose', '1')
    assert result.out.endswith(': gone\n'), result.err
    # in the index too, from which a commit is made
    assert code not in interlock.check('--staged').codes


def test_what_has_to_be_edited_is_named_and_nobody_is_sent_into_an_editor(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({BRAVO: handoff().replace('## Next Steps', '## Then')})
    for session in ('', 's-1'):
        monkeypatch.setenv('INTERLOCK_SESSION', session)
        (found,) = json.loads(interlock.check('--worktree').out)['findings']
        assert found['fix'] == {
            'label': f'correct the file by hand: {BRAVO}:1',
            'command': '',
        }


def test_a_hook_names_files_from_where_git_was_called(project: Repo) -> None:
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nexec interlock check --staged\n')
    hook.chmod(0o755)
    charlie = samples.handoff_path('Charlie')
    project.stage({charlie: samples.handoff('Charlie', '6')})
    (project.path / charlie).unlink()
    below = 'plugins/Bravo/Source'
    refused = shell(project, 'git commit -m x', below)
    named = '../../Charlie/.continue-here.md'
    assert f'git add -A -- {named}\n' in refused.out + refused.err
    shell(project, f'git add -A -- {named}', below)
    assert shell(project, 'git commit --allow-empty -m x', below).code == 0


def _report(path: Path, **values: Any) -> str:
    path.write_text(
        json.dumps(
            {
                'agent': 'dsp-agent',
                'status': 'success',
                'stateUpdated': False,
                'outputs': {'stage_completed': 3, 'files_modified': []},
                'issues': [],
                'ready_for_next_stage': True,
                **values,
            }
        )
    )
    return str(path)


def test_work_that_failed_leads_to_its_menu(project: Repo, tmp_path: Path) -> None:
    file = _report(
        tmp_path / 'r.json',
        status='failure',
        outputs={
            'error_type': 'build',
            'error_message': 'undefined symbol',
            'failed_operation': 'link',
            'implementation_status': 'failed',
            'state_status': 'none',
        },
    )
    for options in ('', ' --fallback'):
        refused = shell(
            project,
            (f'interlock verify-update Bravo --stage 3 --report {file}{options}'),
        )
        assert refused.code == 1
        check_printed(refused.following)
        ran = shell(project, refused.following)
        assert ran.code == 0
        assert 'undefined symbol' in ran.out
        assert '1. Investigate' in ran.out


def test_a_state_that_was_not_written_is_written_by_the_command_named(
    project: Repo, tmp_path: Path
) -> None:
    project.commit({'plugins/Bravo/Source/Main.cpp': '// avant\n'})
    project.write({'plugins/Bravo/Source/Main.cpp': '// moteur\n'})
    file = _report(tmp_path / 'r.json')
    refused = shell(project, f'interlock verify-update Bravo --stage 3 --report {file}')
    assert refused.code == 1
    assert refused.following.endswith(' --fallback')
    assert Walk(project).step(refused.following).code == 0
    assert 'stage: 3\n' in (project.path / BRAVO).read_text()


BROKEN: dict[str, str | bytes | None] = {
    'no table': '# rien\n',
    'another column': registry().replace('| Status', '| État'),
    'a NUL byte': registry().encode() + b'\0',
    'empty': '',
    'UTF-16': registry().encode('UTF-16'),
    'gone': None,
}


@pytest.mark.parametrize('name', BROKEN)
@pytest.mark.parametrize(
    'command',
    (
        "interlock registry set-status Alpha 'Stage 0'",
        'interlock registry show',
        'interlock status',
    ),
)
def test_a_registry_that_no_commit_since_can_read_is_restored(
    project: Repo, name: str, command: str
) -> None:
    """What is broken in HEAD too is not fixed by what HEAD has."""
    project.commit({'PLUGINS.md': BROKEN[name]})
    project.commit({'README.md': 'x\n'})
    walk, said = Walk(project), shell(project, command)
    while said.following.startswith('interlock '):
        assert walk.step(said.following).code == 0
        said = shell(project, command)
    if name == 'gone' and not said.code:
        # a project may begin without one, so a question only warns
        said = shell(project, 'interlock registry restore')
    assert said.code == 0, said
    assert samples.row('Bravo', 'Stage 2') in (project.path / 'PLUGINS.md').read_text()


def test_a_registry_that_was_never_readable_is_a_matter_of_its_owner(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': '# rien\n'})
    for _ in range(2):
        result = interlock('registry', 'restore')
        assert result.code == 1
        assert 'no commit has one that can be read' in result.err
        assert 'items.plugin.registry in .interlock.yaml' in result.err


def test_what_can_be_read_is_not_restored(project: Repo, interlock: Interlock) -> None:
    project.write({'PLUGINS.md': registry(Alpha='Stage 0')})
    assert 'nothing to restore' in interlock('registry', 'restore').out
    assert 'nothing to restore' in interlock('registry', 'restore', 'Bravo').out
    assert (project.path / 'PLUGINS.md').read_text() == registry(Alpha='Stage 0')


def test_an_invalid_workflow_says_what_may_stand_there(project: Repo) -> None:
    text = (project.path / '.interlock.yaml').read_text()
    project.stage({'.interlock.yaml': f'{text}\nitems: {{plugin: {{path: 3}}}}\n'})
    for command in ('interlock check --staged', 'interlock status'):
        refused = shell(project, command)
        assert refused.code, refused
        found = re.search('interlock config explain .*', refused.out + refused.err)
        assert found, refused
        assert shell(project, found[0]).out.startswith(found[0].split()[-1])
