"""Real commits through every way in which our hooks can be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.conftest import REV, TOOLS, Source, config, install
from tests.git import changes

IDEAS = 'plugins/Bravo/.ideas'
Refused = subprocess.CompletedProcess[str]


def _remote(project: Repo, interlock: Interlock, source: Source) -> None:
    made = interlock('init', '--pre-commit', '--source', source.url, REV)
    assert made.code == 0, made.err
    written = project.path / '.pre-commit-config.yaml'
    # it also keeps the hooks of others at their stages, and marks its lines
    assert config(source).partition('repos:')[2] in written.read_text()


def _local(project: Repo, interlock: Interlock, source: Source) -> None:
    assert interlock('init', '--pre-commit').code == 0
    written = project.path / '.pre-commit-config.yaml'
    assert 'repo: local' in written.read_text()


def _plain(project: Repo, interlock: Interlock, source: Source) -> None:
    assert interlock('init', '--git-hooks').code == 0
    hooks = project.path / '.git' / 'hooks'
    for name in ('pre-commit', 'pre-merge-commit', 'commit-msg', 'pre-push'):
        assert os.access(hooks / name, os.X_OK)


WIRINGS = (
    *(
        pytest.param((wiring, tool), id=f'{tool} {name}')
        for tool in TOOLS
        for name, wiring in (('remote', _remote), ('local', _local))
    ),
    pytest.param((_plain, ''), id='plain git hooks'),
)


@pytest.fixture(params=WIRINGS)
def wired(
    request: pytest.FixtureRequest, project: Repo, interlock: Interlock, built: Source
) -> Repo:
    wiring: Callable[[Repo, Interlock, Source], None]
    wiring, tool = request.param
    wiring(project, interlock, built)
    project.commit({}, 'chore: installer')
    if tool:
        install(project, tool)
    return project


def commit(repo: Repo, message: str, *args: str) -> Refused:
    return repo.try_git('commit', '-m', message, *args)


def refused(repo: Repo, process: Refused, *codes: str) -> None:
    said = process.stdout + process.stderr
    assert process.returncode == 1, said
    for code in codes:
        assert code in said
    assert repo.git('log', '-1', '--format=%s') == 'chore: installer'


def test_good_commits_are_accepted(wired: Repo) -> None:
    wired.stage({'README.md': 'à lire\n'})
    process = commit(wired, 'docs: à lire')
    assert process.returncode == 0, process.stderr
    wired.stage(changes.stage('3'))
    process = commit(wired, 'feat(Bravo): Stage 3 — moteur')
    assert process.returncode == 0, process.stderr
    assert wired.git('log', '--format=%s', '-2') == (
        'feat(Bravo): Stage 3 — moteur\ndocs: à lire'
    )
    assert wired.git('status', '--porcelain') == ''


def test_drift_is_refused_before_the_message_is_asked(wired: Repo) -> None:
    wired.stage(changes.bad_row())
    process = wired.try_git('-c', 'core.editor=false', 'commit', '--allow-empty')
    refused(wired, process, 'REG001')
    assert 'editor' not in process.stderr


def test_what_the_message_hides_is_refused(wired: Repo) -> None:
    wired.stage(changes.stage('3'))
    refused(wired, commit(wired, 'docs: fautes de frappe'), 'COM005')
    process = commit(wired, 'feat(Bravo): Stage 3')
    assert process.returncode == 0, process.stderr


def test_an_amendment_is_asked_of_the_message(wired: Repo) -> None:
    text = 'Révisée.\n'
    sums = {**samples.checksums('Bravo'), 'architecture': samples.checksum(text)}
    wired.stage(
        {
            f'{IDEAS}/architecture.md': text,
            samples.handoff_path('Bravo'): samples.handoff('Bravo', sums=sums),
        }
    )
    refused(wired, commit(wired, 'docs(Bravo): réviser'), 'CON006')
    process = commit(
        wired, 'docs(Bravo): réviser', '--trailer', 'Contract-Amendment: décidé à deux'
    )
    assert process.returncode == 0, process.stderr


def test_a_commit_that_only_deletes_is_refused(wired: Repo) -> None:
    wired.git('rm', '-q', f'{IDEAS}/plan.md')
    refused(wired, commit(wired, 'chore: ôter'), 'CON002')


def test_a_commit_that_only_renames_is_refused(wired: Repo) -> None:
    wired.git('mv', 'PLUGINS.md', 'REGISTRE.md')
    refused(wired, commit(wired, 'chore: renommer'), 'REG008')


def test_a_partial_commit_is_judged_by_what_it_names(wired: Repo) -> None:
    wired.stage(
        {'README.md': 'à lire\n', f'{IDEAS}/plan.md': 'Autre.\n', **changes.bad_row()}
    )
    process = commit(wired, 'docs: plan', '--', f'{IDEAS}/plan.md')
    refused(wired, process, 'CON001')
    assert 'REG001' not in process.stdout + process.stderr
    process = commit(wired, 'docs: à lire', '--', 'README.md')
    assert process.returncode == 0, process.stderr
    assert wired.git('show', '--format=', '--name-only') == 'README.md'


def test_files_that_are_not_staged_are_not_judged(wired: Repo) -> None:
    wired.stage({'README.md': 'à lire\n'})
    wired.write(changes.bad_row())
    process = commit(wired, 'docs: à lire')
    assert process.returncode == 0, process.stderr
    assert wired.git('status', '--porcelain') == ' M PLUGINS.md'


def test_a_merge_of_good_branches_is_accepted(wired: Repo) -> None:
    wired.git('checkout', '-q', '-b', 'étape')
    wired.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    wired.commit(changes.stage('4'), 'feat(Bravo): Stage 4')
    wired.git('checkout', '-q', 'main')
    wired.commit({'README.md': 'à lire\n'}, 'docs: à lire')
    process = wired.try_git('merge', '--no-ff', '-m', 'Fusionner', 'étape')
    assert process.returncode == 0, process.stdout + process.stderr
    assert len(wired.git('rev-parse', 'HEAD^@').split()) == 2


def test_a_merge_that_brings_drift_is_refused(wired: Repo) -> None:
    # each branch registers the same item, at another place of the file
    statuses = dict(samples.STATUSES)
    alpha = {'Alpha': statuses.pop('Alpha')}
    wired.git('checkout', '-q', '-b', 'étape')
    wired.commit(
        {'PLUGINS.md': samples.registry({**alpha, **statuses, 'Écho': 'Ideated'})}
    )
    wired.git('checkout', '-q', 'main')
    wired.commit(
        {'PLUGINS.md': samples.registry({**alpha, 'Écho': 'Ideated', **statuses})},
        'chore: installer',
    )
    process = wired.try_git('merge', '--no-ff', '-m', 'Fusionner', 'étape')
    refused(wired, process, 'REG007')


def test_a_merge_by_hand_is_judged_against_both_parents(wired: Repo) -> None:
    wired.git('checkout', '-q', '-b', 'étape')
    wired.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    wired.git('checkout', '-q', 'main')
    wired.commit({'README.md': 'à lire\n'}, 'chore: installer')
    wired.git('merge', '-q', '--no-ff', '--no-commit', 'étape')
    wired.stage({'PLUGINS.md': changes.registry({'Alpha': 'Stage 0'}, Bravo='Stage 3')})
    process = commit(wired, 'Fusionner')
    refused(wired, process, 'REG001')
    assert 'STG001' not in process.stdout + process.stderr
    wired.stage({'PLUGINS.md': changes.registry(Bravo='Stage 3')})
    process = commit(wired, 'Fusionner')
    assert process.returncode == 0, process.stdout + process.stderr


def test_a_linked_worktree_is_judged(wired: Repo, tmp_path: Path) -> None:
    made = tmp_path / 'à côté'
    wired.git('worktree', 'add', '-q', '-b', 'autre', str(made))
    linked = Repo(made)
    linked.stage(changes.bad_row())
    refused(linked, commit(linked, 'docs: x'), 'REG001')
    linked.git('reset', '-q', '--hard')
    linked.stage(changes.stage('3'))
    refused(linked, commit(linked, 'docs: x'), 'COM005')
    process = commit(linked, 'feat(Bravo): Stage 3')
    assert process.returncode == 0, process.stdout + process.stderr


def test_a_branch_without_a_workflow_passes_with_a_line(wired: Repo) -> None:
    wired.commit({'.interlock.yaml': None}, 'chore: installer')
    wired.stage({'README.md': 'à lire\n'})
    process = commit(wired, 'docs: à lire')
    assert process.returncode == 0
    assert 'no workflow governs here' in process.stdout + process.stderr


PLAIN_PATH = '/usr/bin:/bin'


def plain_commit(message: str) -> Refused:
    """A commit in a shell where our scripts are not on the PATH."""
    assert shutil.which('interlock', path=PLAIN_PATH) is None
    return subprocess.run(
        ('git', 'commit', '-m', message),
        env={**os.environ, 'PATH': PLAIN_PATH},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize('tool', TOOLS)
def test_a_tool_runs_what_it_installed(
    project: Repo, interlock: Interlock, built: Source, tool: str
) -> None:
    _remote(project, interlock, built)
    project.commit({}, 'chore: installer')
    install(project, tool)
    project.stage(changes.bad_row())
    refused(project, plain_commit('docs: x'), 'REG001')
    project.stage({'PLUGINS.md': changes.registry(), 'README.md': 'é\n'})
    process = plain_commit('docs: à lire')
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize('tool', TOOLS)
def test_a_tool_that_does_not_find_us_refuses(
    project: Repo, interlock: Interlock, built: Source, tool: str
) -> None:
    _local(project, interlock, built)
    project.commit({}, 'chore: installer')
    install(project, tool)
    project.stage({'README.md': 'à lire\n'})
    process = plain_commit('docs: à lire')
    assert process.returncode != 0
    assert project.git('log', '-1', '--format=%s') == 'chore: installer'


def test_a_plain_hook_that_does_not_find_us_refuses(
    project: Repo, interlock: Interlock
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    project.stage({'README.md': 'à lire\n'})
    process = plain_commit('docs: à lire')
    assert process.returncode == 1
    assert 'interlock is not on the PATH of this hook' in process.stderr


@pytest.fixture
def plain(project: Repo, interlock: Interlock) -> Repo:
    assert interlock('init', '--git-hooks').code == 0
    return project


def ranged(interlock: Interlock) -> list[str]:
    return interlock.check('--range', 'HEAD~1..HEAD').codes


def test_a_stage_commit_can_be_amended(plain: Repo, interlock: Interlock) -> None:
    plain.stage(changes.stage('3'))
    process = commit(plain, 'feat(Bravo): Stage 3')
    assert process.returncode == 0, process.stderr
    plain.stage({'README.md': 'à lire\n'})
    for args in (
        ('--no-edit',),
        ('-m', 'feat(Bravo): Stage 3 - moteur'),
        ('-m', 'feat: Bravo Stage 3'),
    ):
        process = plain.try_git('commit', '--amend', *args)
        assert process.returncode == 0, process.stdout + process.stderr
        assert ranged(interlock) == []
    assert plain.git('log', '--format=%s', '-2') == (
        'feat: Bravo Stage 3\nchore: préparer'
    )


def test_an_amended_stage_commit_may_not_name_another_stage(plain: Repo) -> None:
    plain.stage(changes.stage('3'))
    process = commit(plain, 'feat(Bravo): Stage 3')
    assert process.returncode == 0, process.stderr
    process = plain.try_git('commit', '--amend', '-m', 'feat(Bravo): Stage 4')
    assert process.returncode == 1
    assert 'COM002' in process.stdout + process.stderr


def test_a_second_stage_commit_is_not_an_amendment_in_a_range(
    plain: Repo, interlock: Interlock
) -> None:
    subject = 'feat(Bravo): Stage 3'
    plain.stage(changes.stage('3'))
    assert commit(plain, subject).returncode == 0
    plain.stage({'README.md': 'à lire\n'})
    # git does not tell a hook whether the commit is amended
    assert commit(plain, subject).returncode == 0
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.codes, result.code) == (['COM002', 'COM003'], 1)
    assert interlock.check('--commit', 'HEAD').codes == ['COM002', 'COM003']


@pytest.mark.parametrize('comment', ('#', ';', 'auto'))
@pytest.mark.parametrize(
    ('messages', 'codes'),
    (
        pytest.param(('#12 Bravo: Stage 3',), [], id='number'),
        pytest.param(('#12 fix it',), ['COM005'], id='number, hidden'),
        pytest.param(('#12 Bravo: Stage 3', 'Décidé.'), [], id='number with a body'),
        pytest.param(('# x\nBravo: Stage 3\n# y\nz',), [], id='comments inside'),
        pytest.param(
            ('docs: x', '# feat(Bravo): Stage 3\nz'),
            ['COM005'],
            id='a comment in the body',
        ),
    ),
)
def test_a_message_of_the_command_line_is_read_as_git_stores_it(
    plain: Repo,
    interlock: Interlock,
    comment: str,
    messages: tuple[str, ...],
    codes: list[str],
) -> None:
    plain.git('config', 'core.commentChar', comment)
    plain.stage(changes.stage('3'))
    args = [word for text in messages for word in ('-m', text)]
    process = plain.try_git('commit', *args)
    assert process.returncode == bool(codes), process.stderr
    for code in codes:
        assert code in process.stdout + process.stderr
    if codes:
        plain.git('commit', '-q', '--no-verify', *args)
    assert plain.git('log', '-1', '--format=%B').strip() == ('\n\n'.join(messages))
    assert ranged(interlock) == codes


@pytest.mark.parametrize(
    ('comment', 'subject'),
    (
        pytest.param('#', 'Bravo: reset', id='the usual'),
        pytest.param(';', '#1 Bravo: reset', id='another'),
        pytest.param('auto', 'Bravo: reset', id='the usual, chosen'),
        pytest.param('auto', '#1 Bravo: reset', id='another, chosen'),
    ),
)
@pytest.mark.parametrize('verbose', ((), ('-v',)))
def test_what_git_writes_for_an_editor_is_not_a_reason(
    plain: Repo, comment: str, subject: str, verbose: tuple[str, ...]
) -> None:
    plain.git('config', 'core.commentChar', comment)
    plain.stage(
        {
            'PLUGINS.md': changes.registry(Bravo='Ideated'),
            samples.handoff_path('Bravo'): None,
        }
    )
    trailer = 'Contract-Amendment: voilà'
    for text, code in ((subject, 1), (f'{subject}\n\nAutre idée.\n\n{trailer}', 0)):
        process = plain.try_git(
            '-c', 'core.editor=true', 'commit', '--edit', '-m', text, *verbose
        )
        said = process.stdout + process.stderr
        assert process.returncode == code, said
        assert ('say why in the message' in said) is bool(code)
    assert plain.git('log', '-1', '--format=%s') == subject
