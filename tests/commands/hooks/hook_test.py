from __future__ import annotations

import shlex
import subprocess

import pytest

from interlock.checks.all_checks import CHECKS
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.samples import STATUSES

HOOKS = [name for name in CHECKS if name != 'workflow']


def script(name: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (str(SCRIPTS / f'interlock-{name}'), *args), capture_output=True, text=True
    )


NAMED = f'{samples.WORKFLOW}documents: {{markdown: ["*.md"]}}\n'


@pytest.fixture
def documented(project: Repo) -> Repo:
    """A project whose workflow gives every hook something to judge."""
    project.commit({'.interlock.yaml': NAMED})
    return project


def break_everything(repo: Repo) -> str:
    """Stages a violation for each check; the path of the message."""
    repo.stage(
        {
            'PLUGINS.md': samples.registry(
                {**STATUSES, 'Bravo': 'Stage 4'}, rows={'Alpha': 'Stage 0'}
            ),
            samples.handoff_path('Alpha'): samples.handoff('Zorro', '0', sums={}),
            'plugins/Bravo/.ideas/architecture.md': 'autre\n',
            'notes.md': '# Notes\n\n```\n',
        }
    )
    message = repo.path.parent / 'COMMIT_EDITMSG'
    message.write_text('feat(Bravo): Stage 5 - fini\n# commentaire\n')
    return str(message)


@pytest.mark.parametrize(
    ('name', 'code'),
    (
        pytest.param('registry', 'REG001', id='registry'),
        pytest.param('contracts', 'CON001', id='contracts'),
        pytest.param('stages', 'STG001', id='stages'),
        pytest.param('commit', 'COM001', id='commit'),
        pytest.param('handoff', 'HND004', id='handoff'),
        pytest.param('message', 'COM002', id='message'),
        pytest.param('document', 'DOC027', id='document'),
    ),
)
def test_each_script_runs_its_check_only(
    documented: Repo, interlock: Interlock, name: str, code: str
) -> None:
    message = break_everything(documented)
    process = script(name, message)
    assert process.returncode == 1
    assert process.stderr == ''
    assert code in process.stdout
    alone = interlock('check', '--staged', '--message', message, '--only', name)
    assert process.stdout == alone.out


def test_an_impossible_step_is_one_refusal_with_one_next_step(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {**STATUSES, 'Bravo': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses)})
    text = interlock('check', '--staged')
    refusal, fix, others, verdict = text.out.splitlines()
    assert text.code == 1
    assert 'error: STG001 Bravo: ' in refusal
    assert fix.strip().startswith('set it back to ')
    assert others == '    this settles COM001, HND005 too (-v shows them)'
    assert verdict == 'interlock: refused: 1 error (interlock explain STG001)'
    # programs still get all of them
    assert interlock('check', '--staged', '--format', 'json').codes == [
        'COM001',
        'HND005',
        'STG001',
    ]
    assert interlock(*shlex.split(fix.split(': ', 1)[1])[1:]).code == 0
    project.git('add', '-A')
    assert interlock('check', '--staged').code == 0


@pytest.mark.parametrize('name', HOOKS)
def test_each_script_passes_a_good_change(documented: Repo, name: str) -> None:
    documented.stage({'autre.txt': 'é\n'})
    message = documented.path.parent / 'COMMIT_EDITMSG'
    message.write_text('docs: été\n')
    process = script(name, str(message))
    assert (process.returncode, process.stdout, process.stderr) == (0, '', '')


@pytest.mark.parametrize('name', HOOKS)
def test_the_help_of_a_script_is_the_text_of_its_check(name: str) -> None:
    process = script(name, '--help')
    assert process.returncode == 0
    assert process.stdout.startswith(f'Usage: interlock-{name} ')
    text = CHECKS[name].title
    assert text
    assert text.split('\n')[0] in process.stdout


def test_all_checks_run_in_one_process(project: Repo, interlock: Interlock) -> None:
    message = break_everything(project)
    result = interlock('hook', message)
    assert result.code == 1
    for code in ('REG001', 'CON001', 'STG001', 'HND004', 'COM002'):
        assert code in result.out
    without = interlock('hook')
    assert without.code == 1
    assert 'COM002' not in without.out


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('a', 'b'), 'b', id='two files'),
        pytest.param(
            ('nirgends',), 'the message file nirgends does not exist', id='no such file'
        ),
        pytest.param(('',), 'the message file  does not exist', id='an empty name'),
    ),
)
def test_a_hook_that_is_called_wrongly_passes_nothing(
    project: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock('hook', *args)
    assert result.code == 2
    assert sentence in result.err


def test_the_check_of_the_message_needs_one(project: Repo) -> None:
    process = script('message')
    assert process.returncode == 2
    assert 'no message file was given' in process.stderr


def test_a_script_without_a_workflow_passes(repo: Repo) -> None:
    process = script('registry')
    assert process.returncode == 0
    assert 'no workflow governs here' in process.stderr


@pytest.mark.parametrize('name', HOOKS)
def test_each_script_looks_after_the_workflow(documented: Repo, name: str) -> None:
    message = documented.path.parent / 'COMMIT_EDITMSG'
    message.write_text('chore: été\n')
    documented.stage({'.interlock.yaml': None})
    process = script(name, str(message))
    assert process.returncode == 1
    assert 'CFG003' in process.stdout
