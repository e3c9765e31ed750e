from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.git import worktree_snapshot
from tests import samples
from tests.conftest import Interlock, Repo
from tests.git import changes


def objects(repo: Repo) -> set[str]:
    found: set[str] = set()
    for directory, _, files in os.walk(repo.path / '.git'):
        found.update(os.path.join(directory, file) for file in files)
    return {name for name in found if '/interlock/' not in name}


def test_files_that_are_not_staged_are_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.write(changes.bad_row())
    assert interlock.check('--staged').codes == []
    result = interlock.check('--worktree')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_untracked_files_are_judged_and_ignored_ones_not(
    project: Repo, interlock: Interlock
) -> None:
    handoff = samples.handoff_path('Alpha')
    project.write({handoff: 'sans en-tête\n'})
    assert interlock.check('--worktree').codes == ['HND001']
    project.write({'.gitignore': 'plugins/Alpha/\n'})
    assert interlock.check('--worktree').codes == []


def test_a_deleted_file_is_judged(project: Repo, interlock: Interlock) -> None:
    project.write({'plugins/Bravo/.ideas/plan.md': None})
    assert interlock.check('--worktree').codes == ['CON002']


def test_the_repository_is_not_written_to(project: Repo, interlock: Interlock) -> None:
    interlock.check('--worktree')
    project.write({'nouveau.md': 'é\n', **changes.bad_row()})
    index = project.path / '.git' / 'index'
    before, content = objects(project), index.read_bytes()
    assert interlock.check('--worktree').codes == ['REG001']
    assert objects(project) == before
    assert index.read_bytes() == content
    assert project.git('status', '--porcelain') == (' M PLUGINS.md\n?? nouveau.md')


def test_an_unborn_repository_can_be_judged(repo: Repo, interlock: Interlock) -> None:
    repo.write(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 0'}),
        }
    )
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
        'clone',
        '-q',
        '-c',
        'core.autocrlf=true',
        '-c',
        f'core.safecrlf={safe}',
        '.',
        str(made),
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
    project: Repo, interlock: Interlock
) -> None:
    plan = project.path / 'plugins/Bravo/.ideas/plan.md'
    plan.write_bytes(plan.read_bytes().replace(b'\n', b'\r\n'))
    assert interlock.check('--worktree').codes == ['CON005']
    project.write({'.gitattributes': '*.md text eol=lf\n'})
    assert interlock.check('--worktree').codes == []


def test_a_working_tree_that_git_cannot_add_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.git('config', 'filter.faux.clean', 'false')
    project.git('config', 'filter.faux.required', 'true')
    project.write({'.gitattributes': '*.md filter=faux\n', **changes.bad_row()})
    result = interlock.check('--worktree')
    assert (result.code, result.codes) == (2, [])
    assert result.err.startswith(
        'interlock: refused: the working tree cannot be read: '
    )


@pytest.mark.parametrize('where', ('plugins/Bravo/dépôt', 'ailleurs'))
def test_a_repository_in_the_repository_is_not_looked_into(
    project: Repo, interlock: Interlock, where: str
) -> None:
    project.git('init', '-q', where)
    project.write({f'{where}/plugins/Neuf/.continue-here.md': 'rien\n'})
    result = interlock.check('--worktree')
    assert (result.code, result.codes) == (0, [])
    project.write(changes.bad_row())
    assert interlock.check('--worktree').codes == ['REG001']


OUTSIDE = f"""\
{samples.WORKFLOW}items:
  plugin:
    contracts:
      files:
        plan: {{paths: ['docs/{{item}}-plan.md']}}
"""


@pytest.mark.parametrize('where', ('.', 'sous dossier'))
def test_of_the_untracked_files_those_of_the_workflow_are_added(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    files = [
        '.interlock-baseline.json',
        '.interlock.yaml',
        'PLUGINS.md',
        'docs/Écho-plan.md',
        'plugins/Écho/Source/a b.cpp',
        'plugins/Écho/un\nnom.md',
    ]
    others = [
        'gros.bin',
        'docs/autre.md',
        'plugins/seul.md',
        'sous dossier/x',
        'plugins/TEMPLATE-x/a.md',
        'PLUGINS.md.bak',
    ]
    repo.write({name: '' for name in (*files, *others)})
    repo.write({'.interlock.yaml': OUTSIDE})
    monkeypatch.chdir(repo.path / where)
    with worktree_snapshot.opened(os.environ) as (repository, tree):
        assert sorted(repository.tree(tree).paths()) == sorted(files)


def test_all_tracked_files_are_in_the_tree_as_they_are(project: Repo) -> None:
    project.commit({'autre/a.txt': '1', 'autre/b.txt': '2'})
    project.write({'autre/a.txt': 'é', 'autre/b.txt': None})
    with worktree_snapshot.opened(os.environ) as (repository, tree):
        blob = repository.tree(tree).blob('autre/a.txt')
        assert blob is not None and blob.data == 'é'.encode()
        assert repository.tree(tree).blob('autre/b.txt') is None


def test_a_given_workflow_says_what_belongs_to_it(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    given = tmp_path / 'autre.yaml'
    given.write_text(
        f'{samples.WORKFLOW}items:\n  plugin:\n    registry:\n      file: Liste.md\n'
    )
    project.write(
        {'Liste.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 0'})}
    )
    assert interlock.check('--worktree').codes == []
    result = interlock.check('--worktree', '--config', str(given))
    assert 'REG001' in result.codes


def test_a_broken_workflow_on_disk_does_not_hide_what_head_watches(
    project: Repo, interlock: Interlock
) -> None:
    project.write(
        {
            '.interlock.yaml': 'version: [',
            samples.handoff_path('Alpha'): 'sans en-tête\n',
        }
    )
    assert 'HND001' in interlock.check('--worktree').codes


def test_objects_of_another_directory_are_found(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    project: Repo, interlock: Interlock
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
