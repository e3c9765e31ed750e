from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock
from tests.conftest import Repo
from tests.world import changes


def objects(repo: Repo) -> set[str]:
    found: set[str] = set()
    for directory, _, files in os.walk(repo.path / '.git'):
        found.update(os.path.join(directory, file) for file in files)
    return {name for name in found if '/interlock/' not in name}


def test_files_that_are_not_staged_are_judged(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.write(changes.bad_row())
    assert interlock.check('--staged').codes == []
    result = interlock.check('--worktree')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_untracked_files_are_judged_and_ignored_ones_not(
        project: Repo,
        interlock: Interlock,
) -> None:
    handoff = samples.handoff_path('Alpha')
    project.write({handoff: 'sans en-tête\n'})
    assert interlock.check('--worktree').codes == ['HND001']
    project.write({'.gitignore': 'plugins/Alpha/\n'})
    assert interlock.check('--worktree').codes == []


def test_a_deleted_file_is_judged(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.write({'plugins/Bravo/.ideas/plan.md': None})
    assert interlock.check('--worktree').codes == ['CON002']


def test_the_repository_is_not_written_to(
        project: Repo,
        interlock: Interlock,
) -> None:
    interlock.check('--worktree')
    project.write({'nouveau.md': 'é\n', **changes.bad_row()})
    index = project.path / '.git' / 'index'
    before, content = objects(project), index.read_bytes()
    assert interlock.check('--worktree').codes == ['REG001']
    assert objects(project) == before
    assert index.read_bytes() == content
    assert project.git('status', '--porcelain') == (
        ' M PLUGINS.md\n?? nouveau.md'
    )


def test_an_unborn_repository_can_be_judged(
        repo: Repo,
        interlock: Interlock,
) -> None:
    repo.write({
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry(
            {'Alpha': 'Ideated'}, {'Alpha': 'Stage 0'},
        ),
    })
    assert not (repo.path / '.git' / 'index').exists()
    assert interlock.check('--worktree').codes == ['REG001']


@pytest.mark.parametrize('safe', ('true', 'warn', 'false'))
def test_line_endings_of_a_checkout_are_no_drift(
        project: Repo,
        interlock: Interlock,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        safe: str,
) -> None:
    made = tmp_path / 'windows'
    project.git(
        'clone', '-q', '-c', 'core.autocrlf=true',
        '-c', f'core.safecrlf={safe}', '.', str(made),
    )
    monkeypatch.chdir(made)
    windows = Repo(made)
    plan = made / 'plugins/Bravo/.ideas/plan.md'
    assert b'\r\n' in plan.read_bytes()
    # a new time stamp, so that git has to read the files again
    for file in made.rglob('*.md'):
        file.write_bytes(file.read_bytes())
        os.utime(file, (1, 1))
    assert interlock.check('--worktree').codes == []
    assert interlock.check('--tree', 'HEAD').codes == []
    plan.write_bytes(plan.read_bytes() + b'Autre.\r\n')
    assert interlock.check('--worktree').codes == ['CON001']
    windows.git('add', '-A')
    assert interlock.check('--staged').codes == ['CON001']


def test_line_endings_that_git_would_store_are_named_as_such(
        project: Repo,
        interlock: Interlock,
) -> None:
    plan = project.path / 'plugins/Bravo/.ideas/plan.md'
    plan.write_bytes(plan.read_bytes().replace(b'\n', b'\r\n'))
    assert interlock.check('--worktree').codes == ['CON005']
    project.write({'.gitattributes': '*.md text eol=lf\n'})
    assert interlock.check('--worktree').codes == []


def test_a_working_tree_that_git_cannot_add_is_refused(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.git('init', '-q', 'plugins/Bravo/dépôt')
    result = interlock.check('--worktree')
    assert (result.code, result.out) == (2, '')
    assert result.err.startswith(
        'interlock: refused: the working tree cannot be read: error:',
    )


def test_objects_of_another_directory_are_found(
        project: Repo,
        interlock: Interlock,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / 'objets'
    other.mkdir()
    kept = project.path / '.git' / 'objects'
    project.write(changes.bad_row())
    (tmp_path / 'vrai').mkdir()
    kept.rename(tmp_path / 'vrai' / 'objects')
    kept.mkdir()
    monkeypatch.setenv(
        'GIT_ALTERNATE_OBJECT_DIRECTORIES',
        os.pathsep.join([str(other), str(tmp_path / 'vrai' / 'objects')]),
    )
    assert interlock.check('--worktree').codes == ['REG001']


def test_a_file_changed_in_the_moment_of_its_staging_is_judged(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.git('config', 'core.trustctime', 'false')
    file, index = project.path / 'PLUGINS.md', project.path / '.git' / 'index'
    moment, size = (10**9, 10**9), file.stat().st_size
    os.utime(file, moment)
    project.git('update-index', '--refresh')
    project.write(changes.bad_row())
    assert file.stat().st_size == size
    os.utime(file, moment)
    os.utime(index, moment)
    assert interlock.check('--worktree').codes == ['REG001']
    assert project.git('status', '--porcelain') == ' M PLUGINS.md'
