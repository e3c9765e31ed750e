"""Clones that lack objects: refused is only what needs them, and at once."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.git import changes

BRAVO = samples.handoff_path('Bravo')


def clone(source: Repo, path: Path, *options: str) -> Repo:
    source.git('config', 'uploadpack.allowFilter', 'true')
    source.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    subprocess.run(
        ('git', 'clone', '-q', *options, source.path.as_uri(), str(path)),
        check=True,
        capture_output=True,
    )
    return Repo(path)


def packs(repo: Repo) -> int:
    return len(list((repo.path / '.git/objects/pack').glob('*.pack')))


def next_command(said: str) -> str:
    return said.partition('next: ')[2].partition('\n')[0]


@pytest.fixture
def history(project: Repo) -> Repo:
    for number in ('3', '4', '5'):
        project.commit(changes.stage(number), f'feat(Bravo): Stage {number}')
    return project


def test_a_partial_clone_is_completed_by_the_command_that_is_named(
    history: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partial = clone(history, tmp_path / 'partiel', '--filter=blob:none')
    monkeypatch.chdir(partial.path)
    before = packs(partial)
    result = interlock.check('--range', 'HEAD~2..HEAD')
    assert result.code == 2
    assert 'is not in the repository' in result.err
    assert packs(partial) == before
    subprocess.run(
        shlex.split(next_command(result.err)), check=True, capture_output=True
    )
    assert interlock.check('--range', 'HEAD~2..HEAD').code == 0


@pytest.mark.parametrize('option', ('--filter=blob:none', '--depth=1'))
def test_a_commit_is_never_refused_for_what_a_clone_left_out(
    history: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
) -> None:
    cut = clone(history, tmp_path / 'coupé', option)
    monkeypatch.chdir(cut.path)
    cut.stage({'README.md': 'à lire\n'})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (0, []), result.err
    cut.stage(changes.stage('3'))
    assert interlock.check('--staged').code == 1


def test_a_shallow_clone_is_asked_only_for_what_it_has(
    history: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shallow = clone(history, tmp_path / 'peu', '--depth=2')
    monkeypatch.chdir(shallow.path)
    assert interlock.check('--range', 'HEAD~1..HEAD').code == 0
    result = interlock.check('--commit', 'HEAD~1')
    assert result.code == 2
    assert next_command(result.err) == 'git fetch --unshallow'
    shallow.git('fetch', '-q', '--unshallow')
    assert interlock.check('--commit', 'HEAD~1').code == 0


@pytest.mark.parametrize('path', (BRAVO, 'PLUGINS.md'))
def test_a_missing_object_is_an_error_though_nothing_touches_it(
    project: Repo, interlock: Interlock, path: str
) -> None:
    project.commit({'plugins/Bravo/.ideas/plan.md': 'Autre.\n'}, 'docs(Bravo): plan')
    assert interlock.check('--commit', 'HEAD').codes == ['CON001']
    oid = project.git('rev-parse', f'HEAD:{path}')
    file = project.path / '.git/objects' / oid[:2] / oid[2:]
    file.unlink()
    result = interlock.check('--commit', 'HEAD')
    assert (result.code, f'the content of {path} is not' in result.err) == (2, True)


def test_a_missing_tree_is_an_error(project: Repo, interlock: Interlock) -> None:
    project.commit({'README.md': 'à lire\n'})
    project.commit({'plugins/Bravo/x': '1\n'})
    oid = project.git('rev-parse', 'HEAD:plugins/Bravo/.ideas')
    (project.path / '.git/objects' / oid[:2] / oid[2:]).unlink()
    assert interlock.check('--commit', 'HEAD').code == 2


def test_a_workflow_that_is_nearer_governs_only_what_follows_it(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.commit(
        {
            'plugins/.interlock.yaml': f'{samples.WORKFLOW}severity: {{STG001: off, STG002: off}}\n'
        }
    )
    project.commit(changes.stage('5'), 'feat(Bravo): Stage 5')
    monkeypatch.chdir(project.path / 'plugins')
    result = interlock.check('--range', f'{base}..HEAD')
    assert 'STG001' in result.codes
