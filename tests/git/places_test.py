from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.model.errors import OUTSIDE
from tests import samples
from tests.conftest import Interlock, Repo, compiled_folder, forget_compiled
from tests.git import changes

CUT_OFF = 'git fetch --unshallow'


@pytest.fixture
def judged(project: Repo) -> Repo:
    """A good commit, then a bad one."""
    project.commit({'README.md': 'à lire\n'}, 'docs: à lire')
    project.commit(changes.bad_row(), 'chore: abîmer')
    return project


def clone(repo: Repo, path: Path, *args: str) -> Repo:
    repo.git('clone', '-q', *args, f'file://{repo.path}', str(path))
    return Repo(path)


def test_a_bare_clone_is_judged_by_its_objects(
    judged: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = clone(judged, tmp_path / 'nu.git', '--bare')
    monkeypatch.chdir(bare.path)
    assert interlock.check('--commit', 'HEAD~1').codes == []
    for args in (('--commit', 'main'), ('--range', 'HEAD~2..HEAD'), ('--tree', 'HEAD')):
        result = interlock.check(*args)
        assert (result.code, result.codes) == (1, ['REG001']), args


@pytest.mark.parametrize(
    ('mode', 'sentence'),
    (
        pytest.param(
            '--staged',
            'there is no working tree here, so nothing is staged',
            id='staged',
        ),
        pytest.param(
            '--worktree', 'a bare repository has no working tree', id='worktree'
        ),
    ),
)
def test_a_bare_repository_has_no_index_to_judge(
    judged: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    sentence: str,
) -> None:
    bare = clone(judged, tmp_path / 'nu.git', '--bare')
    monkeypatch.chdir(bare.path)
    result = interlock.check(mode)
    assert (result.code, result.codes) == (2, [])
    assert result.err.startswith(f'interlock: refused: {sentence}\n')


def test_a_bare_repository_without_a_workflow_is_refused(
    repo: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'a': '1'})
    bare = clone(repo, tmp_path / 'nu.git', '--bare')
    monkeypatch.chdir(bare.path)
    result = interlock.check('--commit', 'HEAD')
    assert result.code == 2
    assert 'no workflow governs here' in result.err


def test_a_bare_repository_may_be_given_a_workflow(
    repo: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'PLUGINS.md': changes.registry()})
    repo.commit(changes.bad_row())
    bare = clone(repo, tmp_path / 'nu.git', '--bare')
    file = tmp_path / 'règles.yaml'
    file.write_text(samples.WORKFLOW)
    monkeypatch.chdir(bare.path)
    result = interlock.check('--commit', 'HEAD', '--config', str(file))
    assert (result.code, result.codes) == (1, ['REG001'])


def test_a_history_that_is_cut_off_is_not_audited(
    judged: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interlock('audit').code == 1
    shallow = clone(judged, tmp_path / 'plat', '--depth', '2')
    monkeypatch.chdir(shallow.path)
    result = interlock('audit')
    assert result.code == 2
    assert CUT_OFF in result.err


@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('--commit', 'HEAD'), id='commit'),
        pytest.param(('--range', 'HEAD~1..HEAD'), id='start of the range'),
        pytest.param(('--range', '{bad}~1..{bad}'), id='named start'),
    ),
)
def test_what_a_shallow_clone_cuts_off_is_refused(
    judged: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, str],
) -> None:
    bad = judged.git('rev-parse', 'HEAD')
    shallow = clone(judged, tmp_path / 'plat', '--depth', '1')
    monkeypatch.chdir(shallow.path)
    result = interlock.check(args[0], args[1].format(bad=bad))
    assert (result.code, result.codes) == (2, [])
    assert result.err.endswith(f'    next: {CUT_OFF}\n')


def test_a_range_that_ends_at_the_cut_is_refused(
    judged: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the branch starts before what was fetched
    judged.git('checkout', '-q', '-b', 'vieux', 'HEAD~2')
    judged.commit({'a': '1'})
    judged.git('checkout', '-q', 'main')
    shallow = clone(judged, tmp_path / 'plat', '--depth', '1', '--no-single-branch')
    monkeypatch.chdir(shallow.path)
    result = interlock.check('--range', 'origin/vieux..HEAD')
    assert (result.code, result.codes) == (2, [])
    assert 'the history is cut off' in result.err
    assert CUT_OFF in result.err
    result = interlock.check('--range', 'origin/vieux...HEAD')
    assert result.code == 2
    assert CUT_OFF in result.err


def test_a_range_inside_of_a_shallow_clone_is_judged(
    judged: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shallow = clone(judged, tmp_path / 'plat', '--depth', '2')
    monkeypatch.chdir(shallow.path)
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])
    assert interlock.check('--tree', 'HEAD').codes == ['REG001']


def test_a_repository_of_sha256_is_judged_alike(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git('init', '-q', '--object-format=sha256', 'neuf')
    new = Repo(repo.path / 'neuf')
    monkeypatch.chdir(new.path)
    new.stage(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}),
        }
    )
    assert interlock.check('--staged').codes == []
    new.git('commit', '-q', '-m', 'chore: début')
    assert len(new.git('rev-parse', 'HEAD')) == 64
    assert interlock.check('--commit', 'HEAD').codes == []
    new.stage(
        {'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 0'})}
    )
    assert interlock.check('--staged').codes == ['REG001']
    assert interlock.check('--worktree').codes == ['REG001']
    new.git('commit', '-q', '-m', 'chore: abîmer')
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])


@pytest.fixture
def linked(project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = tmp_path / 'à côté'
    project.git('worktree', 'add', '-q', '-b', 'autre', str(made))
    monkeypatch.chdir(made)
    return Repo(made)


def test_a_linked_worktree_has_an_index_of_its_own(
    project: Repo, linked: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']
    monkeypatch.chdir(project.path)
    assert interlock.check('--staged').codes == []


def test_linked_worktrees_share_the_cache(
    project: Repo, linked: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_compiled()
    assert interlock.check('--staged').code == 0
    monkeypatch.chdir(project.path)
    assert interlock.check('--staged').code == 0
    assert len(list(compiled_folder().iterdir())) == 1
    git_dir = Path(linked.git('rev-parse', '--absolute-git-dir'))
    assert not (git_dir / 'interlock').exists()


def test_a_merge_in_a_linked_worktree_is_judged_against_both(
    project: Repo, linked: Repo, interlock: Interlock
) -> None:
    linked.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    linked.commit(changes.stage('4'), 'feat(Bravo): Stage 4')
    linked.git('checkout', '-q', '-b', 'troisième', 'main')
    linked.git('merge', '-q', '--no-ff', '--no-commit', 'autre')
    assert interlock.check('--staged').codes == []


def test_a_worktree_without_a_workflow_uses_that_of_the_main_one(
    repo: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'PLUGINS.md': changes.registry()})
    made = tmp_path / 'autre'
    repo.git('worktree', 'add', '-q', str(made))
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    monkeypatch.chdir(made)
    Repo(made).stage(changes.bad_row())
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['REG001'])


@pytest.mark.parametrize('where', ('plugins/Bravo', 'docs/été'))
def test_the_working_directory_may_be_below_the_top(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    project.stage({'docs/été/a': '1', **changes.bad_row()})
    monkeypatch.chdir(project.path / where)
    assert interlock.check('--staged').codes == ['REG001']
    assert interlock.check('--worktree').codes == ['REG001']
    inherited = interlock.check('--staged', '--inherited')
    assert inherited.codes == ['REG001']
    project.git('commit', '-q', '-m', 'chore: abîmer')
    assert interlock.check('--commit', 'HEAD').codes == ['REG001']
    assert interlock.check('--tree', 'HEAD').codes == ['REG001']


@pytest.mark.parametrize('with_tree', (True, False))
def test_git_dir_of_the_environment_is_what_is_judged(
    project: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    with_tree: bool,
) -> None:
    project.stage(changes.bad_row())
    elsewhere = tmp_path / 'ailleurs'
    elsewhere.mkdir()
    Repo(elsewhere).git('init', '-q')
    monkeypatch.setenv('GIT_DIR', str(project.path / '.git'))
    if with_tree:
        monkeypatch.setenv('GIT_WORK_TREE', str(project.path))
    monkeypatch.chdir(elsewhere)
    assert interlock.check('--staged').codes == ['REG001']
    assert interlock.check('--tree', 'HEAD').codes == []


def test_the_work_tree_of_the_environment_is_the_one_that_is_read(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / 'ailleurs'
    project.git('clone', '-q', '.', str(elsewhere))
    Repo(elsewhere).write(changes.bad_row())
    monkeypatch.setenv('GIT_DIR', str(project.path / '.git'))
    monkeypatch.setenv('GIT_WORK_TREE', str(elsewhere))
    assert interlock.check('--worktree').codes == ['REG001']
    monkeypatch.delenv('GIT_WORK_TREE')
    assert interlock.check('--worktree').codes == []


def test_the_index_of_the_environment_is_what_is_judged(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.stage(changes.bad_row())
    index = tmp_path / 'index'
    project.git('read-tree', 'HEAD', env={'GIT_INDEX_FILE': str(index)})
    assert interlock.check('--staged').codes == ['REG001']
    monkeypatch.setenv('GIT_INDEX_FILE', str(index))
    assert interlock.check('--staged').codes == []


@pytest.mark.parametrize(
    'name',
    (
        pytest.param('deux mots', id='a space'),
        pytest.param('"cité" \'x\'', id='quotes'),
        pytest.param('a:b;c', id='a colon'),
        pytest.param('ligne\nneuve', id='a newline'),
        pytest.param('\\n', id='a backslash'),
        pytest.param('caf\udce9', id='no UTF-8'),
    ),
)
def test_a_repository_may_lie_in_any_directory(
    project: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    moved = tmp_path / name / 'sous'
    moved.parent.mkdir()
    project.path.rename(moved)
    monkeypatch.chdir(moved)
    Repo(moved).stage(changes.bad_row())
    for mode in ('--staged', '--worktree'):
        result = interlock.check(mode)
        assert (result.code, result.codes) == (1, ['REG001']), mode
    monkeypatch.setenv('INTERLOCK_CONFIG', str(moved / '.interlock.yaml'))
    assert interlock.check('--staged').codes == ['REG001']


def test_a_workflow_outside_may_lie_in_any_directory_too(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    project.stage(changes.bad_row())
    directory = tmp_path / 'caf\udce9 "x"'
    directory.mkdir()
    file = directory / 'règles.yaml'
    file.write_text(samples.WORKFLOW)
    for _ in ('compiled', 'from the cache'):
        result = interlock.check('--staged', '--config', str(file))
        assert (result.code, result.codes) == (1, ['REG001'])


@pytest.mark.parametrize(
    'args',
    (
        ('--staged',),
        ('--worktree',),
        ('--commit', 'HEAD'),
        ('--range', 'A..B'),
        ('--tree', 'HEAD'),
        ('--staged', '--fix'),
    ),
)
def test_outside_of_a_repository_one_sentence_is_said(
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    result = interlock.check(*args)
    assert (result.code, result.codes) == (2, [])
    assert result.err == (f'interlock: refused: {OUTSIDE}\n    next: git init\n')


@pytest.mark.parametrize('mode', ('--staged', '--worktree'))
@pytest.mark.parametrize('inside', (True, False))
def test_without_git_one_sentence_is_said(
    project: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    inside: bool,
) -> None:
    if not inside:
        monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', '')
    result = interlock.check(mode)
    assert (result.code, result.codes) == (2, [])
    assert result.err == (
        'interlock: refused: git is not installed, or not on the PATH\n'
        '    next: install git, then run this again\n'
    )


def test_the_hook_says_it_too_without_git(project: Repo, tmp_path: Path) -> None:
    from tests.conftest import SCRIPTS

    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'hook'),
        env={**os.environ, 'PATH': str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 2
    assert process.stderr.startswith('interlock: refused: git is not install')


HOOK = """\
#!/bin/sh
exec interlock hook "$@"
"""


@pytest.fixture
def hooked(project: Repo) -> Repo:
    for name in ('pre-commit', 'commit-msg'):
        hook = project.path / '.git' / 'hooks' / name
        hook.write_text(HOOK)
        hook.chmod(0o755)
    return project


def test_a_partial_commit_is_judged_by_the_paths_it_names(hooked: Repo) -> None:
    architecture = 'plugins/Bravo/.ideas/architecture.md'
    hooked.stage({'README.md': 'à lire\n', **changes.bad_row()})
    hooked.write({architecture: 'Autre chose.\n'})
    refused = hooked.try_git('commit', '-m', 'docs: tout')
    assert refused.returncode == 1
    assert 'REG001' in refused.stderr
    assert 'CON001' not in refused.stderr
    named = hooked.try_git('commit', '-m', 'docs: nommé', architecture)
    assert named.returncode == 1
    assert 'CON001' in named.stderr
    assert 'REG001' not in named.stderr
    accepted = hooked.try_git('commit', '-m', 'docs: lire', 'README.md')
    assert accepted.returncode == 0, accepted.stderr
    assert hooked.git('show', '--format=', '--name-only') == 'README.md'
    assert hooked.git('diff', '--cached', '--name-only') == 'PLUGINS.md'


def test_all_changed_files_of_commit_a_are_judged(hooked: Repo) -> None:
    hooked.write(changes.bad_row())
    refused = hooked.try_git('commit', '-a', '-m', 'docs: tout')
    assert refused.returncode == 1
    assert 'REG001' in refused.stderr
    assert hooked.git('diff', '--cached', '--name-only') == ''


def test_a_hook_run_from_below_the_top_judges_the_whole(hooked: Repo) -> None:
    hooked.stage(changes.bad_row())
    refused = hooked.try_git('-C', 'plugins', 'commit', '-m', 'docs: tout')
    assert refused.returncode == 1
    assert 'REG001' in refused.stderr
