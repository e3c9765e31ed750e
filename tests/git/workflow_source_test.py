from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from interlock.files.users_cache import merged
from interlock.git import workflow_source
from interlock.git.repository import Repository
from interlock.model.errors import InvalidWorkflow
from interlock.workflow.language.presets import Reader
from tests import samples
from tests.conftest import Interlock, Repo, compiled_folder, forget_compiled
from tests.git import changes
from tests.hints.ways import shell

# a workflow whose gate is off
LAX = samples.WORKFLOW + 'severity: {REG001: off}\n'


def test_no_workflow_is_refused_with_the_command_that_makes_one(
    repo: Repo, interlock: Interlock
) -> None:
    repo.stage({'PLUGINS.md': changes.registry()})
    for args in (('--staged',), ('--worktree',)):
        result = interlock.check(*args)
        assert (result.code, result.codes) == (2, [])
        assert result.err == (
            'interlock: refused: no workflow governs here: there is no '
            '.interlock.yaml\n    next: interlock init\n'
        )
    # a hook does not hold up a branch from before the adoption
    hook = interlock('hook')
    assert (hook.code, hook.out) == (0, '')
    assert hook.err.startswith('interlock: passed: no workflow governs here')


def test_the_environment_names_the_workflow(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / 'règles.yaml'
    file.write_text(LAX)
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']
    monkeypatch.setenv('INTERLOCK_CONFIG', str(file))
    assert interlock.check('--staged').codes == []
    strict = interlock.check('--staged', '--config', '.interlock.yaml')
    assert strict.codes == ['REG001']


@pytest.mark.parametrize('by', ('option', 'environment'))
def test_a_named_workflow_that_is_missing_is_refused(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    args = ['--staged']
    if by == 'option':
        args += ['--config', 'néant.yaml']
    else:
        monkeypatch.setenv('INTERLOCK_CONFIG', 'néant.yaml')
    result = interlock.check(*args)
    assert (result.code, result.codes) == (2, [])
    assert 'the workflow file néant.yaml does not exist' in result.err
    # `init` would not write the file that is named
    (following,) = re.findall('next: (.*)', result.err)
    assert shell(project, following).out.split() == ['.interlock.yaml']


def test_the_nearest_workflow_upwards_governs(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({'sous/dossier/.interlock.yaml': LAX})
    project.stage({'sous/dossier/autre/a': '1', **changes.bad_row()})
    assert interlock.check('--staged').codes == ['REG001']
    monkeypatch.chdir(project.path / 'sous')
    assert interlock.check('--staged').codes == ['REG001']
    monkeypatch.chdir(project.path / 'sous/dossier/autre')
    assert interlock.check('--staged').codes == []


def test_a_workflow_above_the_repository_governs_it(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'PLUGINS.md': changes.registry()})
    (repo.path.parent / '.interlock.yaml').write_text(samples.WORKFLOW)
    repo.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']


def test_a_change_cannot_switch_its_own_gate_off(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'.interlock.yaml': LAX, **changes.bad_row()})
    expected = ['CFG001', 'CFG008', 'REG001']
    assert interlock.check('--staged').codes == expected
    assert interlock.check('--worktree').codes == expected
    project.git('commit', '-q', '-m', 'chore: abîmer')
    assert interlock.check('--commit', 'HEAD').codes == expected
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['CFG001', 'CFG007', 'CFG008', 'REG001'])


def test_a_changed_workflow_governs_from_the_next_commit_on(
    project: Repo, interlock: Interlock
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.commit({'.interlock.yaml': LAX}, 'chore: lax\n\nInterlock-Rules: parce que')
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == []
    project.commit({})
    assert interlock.check('--commit', 'HEAD').codes == []
    # but a push is judged by the workflow from before it
    result = interlock.check('--range', f'{base}..HEAD')
    assert (result.code, result.codes) == (1, ['CFG001', 'CFG007', 'REG001'])
    project.commit({'.interlock.yaml': samples.WORKFLOW})
    project.stage({'PLUGINS.md': changes.registry({'Bravo': 'Stage 4'})})
    assert interlock.check('--staged').codes == ['REG001']


def test_an_unstaged_workflow_does_not_count(
    project: Repo, interlock: Interlock
) -> None:
    project.stage(changes.bad_row())
    project.write({'.interlock.yaml': LAX})
    assert interlock.check('--staged').codes == ['REG001']
    project.write({'.interlock.yaml': None})
    assert interlock.check('--staged').codes == ['REG001']


def test_the_removal_of_the_workflow_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'.interlock.yaml': None, **changes.bad_row()})
    expected = ['CFG003', 'REG001']
    assert interlock.check('--staged').codes == expected
    project.git('commit', '-q', '-m', 'chore: ôter')
    result = interlock.check('--commit', 'HEAD')
    assert (result.code, result.codes) == (1, expected)


def test_a_moved_workflow_is_a_removed_one(project: Repo, interlock: Interlock) -> None:
    project.git('mv', '.interlock.yaml', 'règles.yaml')
    assert interlock.check('--staged').codes == ['CFG003']


@pytest.mark.parametrize(
    ('text', 'sentence'),
    (
        pytest.param('version: [\n', '.interlock.yaml:', id='no YAML'),
        pytest.param('', 'not a mapping', id='empty'),
        pytest.param('version: 1\nextends: néant\n', 'neither a preset', id='extends'),
        pytest.param(samples.WORKFLOW + 'severite: {}\n', 'severite', id='a key'),
        pytest.param(b'\xff\xfe\0', '.interlock.yaml', id='no text'),
    ),
)
def test_an_invalid_new_workflow_is_refused(
    project: Repo, interlock: Interlock, text: str | bytes, sentence: str
) -> None:
    project.stage({'.interlock.yaml': text})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['CFG001', 'CFG002'])
    found = json.loads(result.out)['findings']
    (invalid,) = [f for f in found if f['code'] == 'CFG002']
    assert sentence in invalid['message']


def test_an_invalid_workflow_that_governs_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'.interlock.yaml': 'version: 2\n'})
    project.stage({'README.md': 'à lire\n'})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (2, [])
    assert '.interlock.yaml:1: the workflow is invalid' in result.err


def test_the_first_workflow_governs_from_the_commit_after_it(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'PLUGINS.md': changes.registry()})
    repo.stage({'.interlock.yaml': samples.WORKFLOW, **changes.bad_row()})
    result = interlock.check('--staged')
    assert result.codes == []
    assert 'this commit adopts .interlock.yaml' in result.err
    repo.git('commit', '-q', '-m', 'chore: adopter')
    result = interlock.check('--commit', 'HEAD')
    assert result.codes == []
    assert 'no workflow governed before' in result.err
    repo.stage(changes.bad_row('Bravo'))
    assert 'REG001' in interlock.check('--staged').codes


def test_what_a_workflow_extends_is_read_from_the_same_tree(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(
        {
            '.interlock.yaml': 'version: 1\nextends: règles/équipe.yaml\n',
            'règles/équipe.yaml': LAX,
        }
    )
    project.stage({'règles/équipe.yaml': samples.WORKFLOW, **changes.bad_row()})
    assert interlock.check('--staged').codes == ['CFG001']
    project.git('commit', '-q', '-m', 'chore: règles')
    assert interlock.check('--commit', 'HEAD').codes == ['CFG001']
    project.stage({'PLUGINS.md': changes.registry({'Bravo': 'Stage 4'})})
    assert interlock.check('--staged').codes == ['REG001']


def test_a_workflow_behind_a_link_is_not_followed(
    project: Repo, interlock: Interlock
) -> None:
    file = project.path / '.interlock.yaml'
    file.rename(project.path / 'règles.yaml')
    file.symlink_to('règles.yaml')
    project.git('add', '-A')
    assert 'CFG002' in interlock.check('--staged').codes


@pytest.fixture
def cache(project: Repo, interlock: Interlock) -> Path:
    """The one file of the cache."""
    forget_compiled()
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']
    (file,) = compiled_folder().iterdir()
    return file


@pytest.mark.parametrize(
    'damage',
    (
        pytest.param(b'', id='empty'),
        pytest.param(b'\xff\0\n{}', id='no text'),
        pytest.param(b'\xff', id='no UTF-8'),
        pytest.param(b'{}', id='no workflow'),
        pytest.param(b'[]', id='a list'),
        pytest.param(b'7', id='a number'),
        pytest.param(b'{"files": 7, "workflow": {}}', id='no files'),
        pytest.param(b'{"files": {', id='no JSON'),
        pytest.param(b'{"files": {"absent": "0"}, "workflow": {}}', id='stale'),
    ),
)
def test_a_damaged_cache_is_rebuilt(
    cache: Path, interlock: Interlock, damage: bytes
) -> None:
    whole = cache.read_bytes()
    cache.write_bytes(damage)
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['REG001'])
    assert cache.read_bytes() == whole


def test_a_truncated_cache_is_rebuilt(cache: Path, interlock: Interlock) -> None:
    whole = cache.read_bytes()
    for length in (10, 64, 65, 66, len(whole) // 2, len(whole) - 1):
        cache.write_bytes(whole[:length])
        assert interlock.check('--staged').codes == ['REG001']
        assert cache.read_bytes() == whole


def test_what_a_killed_writer_left_is_removed_by_the_next_one(
    cache: Path, interlock: Interlock
) -> None:
    old = cache.with_name('.interlock-1-1-x.json')
    new = cache.with_name('.interlock-2-2-x.json')
    other = cache.with_name('autre.json')
    for file in (old, new, other):
        file.write_bytes(b'{')
    for file in (old, other):
        os.utime(file, (1, 1))
    assert interlock.check('--staged').codes == ['REG001']
    assert old.exists()
    cache.write_bytes(b'')
    assert interlock.check('--staged').codes == ['REG001']
    # somebody may be writing the new one
    assert sorted(cache.parent.iterdir()) == sorted([cache, new, other])


def test_a_cache_is_used_and_not_written_again(
    cache: Path, interlock: Interlock
) -> None:
    before = cache.stat()
    assert interlock.check('--staged').codes == ['REG001']
    after = cache.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_cache_is_stale_when_what_it_extends_changed(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(
        {'.interlock.yaml': 'version: 1\nextends: équipe.yaml\n', 'équipe.yaml': LAX}
    )
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == []
    project.git('reset', '-q', '--hard')
    project.commit({'équipe.yaml': samples.WORKFLOW})
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']


@pytest.mark.parametrize('what', ('file', 'directory'))
def test_a_cache_that_cannot_be_written_does_not_matter(
    project: Repo, interlock: Interlock, what: str
) -> None:
    project.stage(changes.bad_row())
    forget_compiled()
    if what == 'file':
        compiled_folder().write_text('not a directory')
    else:
        assert interlock.check('--staged').code == 1
        (file,) = compiled_folder().iterdir()
        file.unlink()
        file.mkdir()
    result = interlock.check('--staged')
    assert (result.code, result.codes, result.err) == (1, ['REG001'], '')


def test_a_workflow_above_the_repository_gives_way_to_its_own(
    project: Repo, interlock: Interlock
) -> None:
    (project.path.parent / '.interlock.yaml').write_text(LAX)
    project.stage(changes.bad_row())
    project.write({'.interlock.yaml': None})
    assert interlock.check('--staged').codes == ['REG001']
    project.git('commit', '-q', '--no-verify', '-m', 'chore: abîmer')
    assert interlock.check('--commit', 'HEAD').codes == ['REG001']


def test_the_cache_lies_in_the_users_cache_directory(
    cache: Path, project: Repo, interlock: Interlock
) -> None:
    """Not in the repository: a change there could loosen the rules."""
    assert cache.parent == Path(os.environ['XDG_CACHE_HOME'], 'interlock', 'compiled')
    assert cache.parent.stat().st_mode & 0o077 == 0
    assert not list((project.path / '.git').rglob(f'*{cache.name}*'))


def test_without_a_variable_the_cache_lies_in_the_home(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_compiled()
    monkeypatch.delenv('XDG_CACHE_HOME')
    assert interlock('check', '--tree', 'HEAD').code == 0
    folder = Path(os.environ['HOME'], '.cache', 'interlock', 'compiled')
    assert len(list(folder.iterdir())) == 1


def test_a_cache_in_the_repository_is_not_believed(
    cache: Path, project: Repo, interlock: Interlock
) -> None:
    checksum, head, line = cache.read_text().split('\n')
    workflow = json.loads(line)
    for kind in workflow['items'].values():
        del kind['contracts'], kind['registry']
    forged = project.path / '.git' / 'interlock' / 'cache' / cache.name
    forged.parent.mkdir(parents=True, exist_ok=True)
    forged.write_text(f'{checksum}\n{head}\n{json.dumps(workflow)}')
    cache.unlink()
    assert interlock.check('--staged').codes == ['REG001']


def test_repositories_with_the_same_workflow_share_what_was_compiled(
    cache: Path, tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo(tmp_path / 'autre')
    other.path.mkdir()
    other.git('init', '-q')
    other.commit({'.interlock.yaml': samples.WORKFLOW})
    monkeypatch.chdir(other.path)
    assert interlock.check('--staged').code == 0
    assert list(cache.parent.iterdir()) == [cache]


def test_an_invalid_workflow_is_compiled_once_for_a_history(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {'.interlock.yaml': 'version: 1\nextends: base.yaml\n', 'base.yaml': '[]'}
    repo.commit(first, 'adopt')
    for number in range(3):
        repo.commit({'a': f'{number}\n'})
    # what it extends is another file now, and invalid for another reason
    repo.commit({'base.yaml': 'version: 1\nnonsense: 1\n'})
    repo.commit({'a': 'x\n'})
    made: list[str] = []

    def merge(cache: str, name: str, data: bytes, reader: Reader) -> object:
        made.append(name)
        return merged(cache, name, data, reader)

    monkeypatch.setattr(workflow_source, 'merged', merge)
    asked = Repository(os.environ, str(repo.path))
    try:
        governing, said = workflow_source.Governing(asked), []
        for commit in asked.history('HEAD')[-6:]:
            with pytest.raises(InvalidWorkflow) as e:
                governing.of_tree(asked.tree(commit.tree))
            said.append(e.value.message)
    finally:
        asked.close()
    assert len(made) == 2
    assert len(set(said[:4])) == len(set(said[4:])) == 1
    assert said[0] != said[-1]
