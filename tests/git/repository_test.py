from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interlock.git.repository import Repository
from interlock.model.errors import OUTSIDE, Refusal
from tests import samples
from tests.conftest import Interlock, Repo
from tests.git import changes


def test_the_commit_that_adopts_a_workflow_is_not_judged_by_it(
    repo: Repo, interlock: Interlock
) -> None:
    repo.stage({'.interlock.yaml': samples.WORKFLOW, **changes.bad_row()})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (0, [])
    assert 'this commit adopts .interlock.yaml' in result.err
    repo.git('commit', '-q', '-m', 'chore: début')
    of_commit = interlock.check('--commit', 'HEAD')
    assert (of_commit.code, of_commit.codes) == (0, [])
    assert '1 commit not judged: no workflow governed' in of_commit.err


def test_an_empty_repository_has_nothing_to_refuse(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    assert interlock.check('--staged').code == 0


def test_a_commit_of_nothing_is_clean(project: Repo, interlock: Interlock) -> None:
    assert interlock.check('--staged').code == 0
    project.commit({}, 'chore: vide')
    assert interlock.check('--commit', 'HEAD').codes == []


def test_an_amend_is_judged_by_its_delta(project: Repo, interlock: Interlock) -> None:
    project.commit(changes.bad_row(), 'chore: abîmer')
    project.stage({'README.md': 'à lire\n'})
    assert interlock.check('--staged').codes == []
    project.git('commit', '-q', '--amend', '--no-edit')
    assert interlock.check('--commit', 'HEAD').codes == ['REG001']


def test_a_deletion_is_a_change(project: Repo, interlock: Interlock) -> None:
    project.stage({'plugins/Bravo/.ideas/architecture.md': None})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['CON002'])
    project.git('commit', '-q', '-m', 'chore: ôter')
    assert interlock.check('--commit', 'HEAD').codes == ['CON002']


def test_a_deleted_registry_is_refused(project: Repo, interlock: Interlock) -> None:
    project.stage({'PLUGINS.md': None})
    result = interlock.check('--staged')
    assert result.code == 1
    assert 'REG008' in result.codes


def test_a_rename_is_a_deletion_and_an_addition(
    project: Repo, interlock: Interlock
) -> None:
    project.git('config', 'diff.renames', 'copies')
    ideas = 'plugins/Bravo/.ideas'
    project.git('mv', f'{ideas}/architecture.md', f'{ideas}/structure.md')
    assert interlock.check('--staged').codes == ['CON002']
    project.git('commit', '-q', '-m', 'chore: renommer')
    assert interlock.check('--commit', 'HEAD').codes == ['CON002']


def test_a_contract_that_became_a_link_is_not_what_was_sealed(
    project: Repo, interlock: Interlock
) -> None:
    contract = project.path / 'plugins/Bravo/.ideas/architecture.md'
    contract.rename(contract.with_name('même.md'))
    contract.symlink_to('même.md')
    project.git('add', '-A')
    assert interlock.check('--staged').codes == ['CON001']


def test_a_handoff_that_became_a_link_is_not_a_handoff(
    project: Repo, interlock: Interlock
) -> None:
    handoff = project.path / samples.handoff_path('Bravo')
    handoff.rename(handoff.with_name('ailleurs.md'))
    handoff.symlink_to('ailleurs.md')
    project.git('add', '-A')
    result = interlock.check('--staged')
    # the seals of its three contracts went with it
    assert (result.code, result.codes) == (1, [*('CON006',) * 3, 'HND001'])


def test_a_submodule_is_a_path_without_content(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    lib = tmp_path / 'bibliothèque'
    lib.mkdir()
    other = Repo(lib)
    other.git('init', '-q')
    other.commit({'a': '1'})
    project.git('submodule', '--quiet', 'add', str(lib), 'plugins/Bravo/lib')
    assert interlock.check('--staged').codes == []
    project.git('commit', '-q', '-m', 'chore: module')
    assert interlock.check('--commit', 'HEAD').codes == []
    assert interlock.check('--tree', 'HEAD').codes == []
    assert interlock.check('--worktree').codes == []


def test_a_contract_replaced_by_a_submodule_is_missing(
    project: Repo, interlock: Interlock
) -> None:
    path = 'plugins/Bravo/.ideas/architecture.md'
    head = project.git('rev-parse', 'HEAD')
    project.git('update-index', '--cacheinfo', f'160000,{head},{path}')
    assert interlock.check('--staged').codes == ['CON002']


@pytest.mark.parametrize('ours', (True, False))
def test_the_commit_of_a_submodule_need_not_be_here(
    project: Repo, interlock: Interlock, ours: bool
) -> None:
    path = 'plugins/Bravo/.ideas/architecture.md'
    oid = project.git('rev-parse', 'HEAD') if ours else '1' * 40
    project.git('update-index', '--cacheinfo', f'160000,{oid},{path}')
    assert interlock.check('--staged').codes == ['CON002']
    project.git('commit', '-q', '--no-verify', '-m', 'chore: module')
    assert interlock.check('--commit', 'HEAD').codes == ['CON002']
    assert interlock.check('--tree', 'HEAD').codes == ['CON002']


def forget(repo: Repo, name: str) -> None:
    oid = repo.git('rev-parse', name)
    (repo.path / '.git' / 'objects' / oid[:2] / oid[2:]).unlink()


@pytest.mark.parametrize(
    ('name', 'path'),
    (
        pytest.param(':PLUGINS.md', 'PLUGINS.md', id='after'),
        pytest.param('HEAD:PLUGINS.md', 'PLUGINS.md', id='before'),
        pytest.param(
            f':{samples.handoff_path("Bravo")}',
            samples.handoff_path('Bravo'),
            id='handoff',
        ),
        pytest.param(
            f'HEAD:{samples.handoff_path("Bravo")}',
            samples.handoff_path('Bravo'),
            id='handoff before',
        ),
    ),
)
def test_a_touched_file_that_git_cannot_give_is_refused(
    project: Repo, interlock: Interlock, name: str, path: str
) -> None:
    project.stage(changes.stage('3'))
    forget(project, name)
    sentence = (
        f'interlock: refused: the content of {path} is not in the '
        f'repository\n    next: git fsck\n'
    )
    staged = interlock.check('--staged')
    assert (staged.code, staged.codes, staged.err) == (2, [], sentence)
    tree = project.git('write-tree', '--missing-ok')
    oid = project.git('commit-tree', '-p', 'HEAD', '-m', 'chore: x', tree)
    commit = interlock.check('--commit', oid)
    assert (commit.code, commit.codes, commit.err) == (2, [], sentence)


def test_a_file_of_a_whole_tree_that_git_cannot_give_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    path = 'plugins/Bravo/.ideas/architecture.md'
    forget(project, f'HEAD:{path}')
    result = interlock.check('--tree', 'HEAD')
    assert (result.code, result.codes) == (2, [])
    assert f'the content of {path} is not in the repository' in result.err


def test_a_clean_merge_of_two_good_branches_passes(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'étape')
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    project.commit(changes.stage('4'), 'feat(Bravo): Stage 4')
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'étape')
    # against HEAD alone the step from 2 to 4 would be refused
    assert interlock.check('--staged').codes == []
    project.git('commit', '-q', '-m', 'Merge')
    assert interlock.check('--commit', 'HEAD').codes == []
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (0, [])


def test_a_merge_that_brings_drift_of_its_own_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'étape')
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'étape')
    project.stage(
        {'PLUGINS.md': changes.registry({'Alpha': 'Stage 0'}, Bravo='Stage 3')}
    )
    assert interlock.check('--staged').codes == ['REG001']
    project.git('commit', '-q', '--no-verify', '-m', 'Merge')
    result = interlock.check('--commit', 'HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_drift_that_one_parent_has_is_not_the_merges(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'abîmé')
    project.commit(changes.bad_row())
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'abîmé')
    assert interlock.check('--staged').codes == []
    inherited = interlock.check('--staged', '--inherited')
    assert (inherited.code, inherited.codes) == (0, ['REG001'])
    project.git('commit', '-q', '--no-verify', '-m', 'Merge')
    assert interlock.check('--commit', 'HEAD').codes == []
    result = interlock.check('--range', 'HEAD^1..HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_a_seal_that_only_the_merge_breaks_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    handoff = samples.handoff_path('Bravo')
    contract = 'plugins/Bravo/.ideas/plan.md'
    project.git('checkout', '-q', '-b', 'plan')
    text = 'Nouveau plan.\n'
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(text)}
    project.commit({contract: text, handoff: samples.handoff('Bravo', sums=sums)})
    assert interlock.check('--commit', 'HEAD').codes == []
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'plan')
    project.git('checkout', '-q', 'HEAD', '--', contract)
    assert interlock.check('--staged').codes == ['CON001']


def test_an_octopus_is_judged_against_all_its_parents(
    project: Repo, interlock: Interlock
) -> None:
    for name in ('un', 'deux', 'trois'):
        project.git('checkout', '-q', '-b', name, 'main')
        project.commit({f'docs/{name}.md': f'{name}\n'})
    project.git('checkout', '-q', '-b', 'étape', 'main')
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    project.git('checkout', '-q', 'main')
    project.git('merge', '-q', '-m', 'Pieuvre', 'un', 'deux', 'étape')
    assert len(project.git('rev-parse', 'HEAD^@').split()) == 3
    assert interlock.check('--commit', 'HEAD').codes == []
    project.stage(changes.bad_row('Charlie'))
    project.git('commit', '-q', '--amend', '--no-edit', '--no-verify')
    assert 'REG001' in interlock.check('--commit', 'HEAD').codes


def test_what_git_merges_is_known_before_merge_head_is_written(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git('checkout', '-q', '-b', 'étape')
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    tip = project.commit(changes.stage('4'), 'feat(Bravo): Stage 4')
    project.git('checkout', '-q', 'main')
    project.git('read-tree', tip)
    assert interlock.check('--staged').codes == ['STG001', 'STG002']
    monkeypatch.setenv(f'GITHEAD_{tip}', 'étape')
    # left over from elsewhere it would hide a step
    for action in ('', 'rebase', 'commit (merge)'):
        monkeypatch.setenv('GIT_REFLOG_ACTION', action)
        assert interlock.check('--staged').codes == ['STG001', 'STG002']
    for action in ('merge étape', 'pull --no-rebase'):
        monkeypatch.setenv('GIT_REFLOG_ACTION', action)
        assert interlock.check('--staged').codes == []


def test_a_conflict_in_the_index_is_not_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'autre')
    project.commit({'README.md': 'autre\n'})
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'même\n'})
    assert project.try_git('merge', 'autre').returncode == 1
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (2, [])
    assert result.err == (
        'interlock: refused: `README.md` has conflicts\n'
        '    next: resolve them, then git add\n'
    )


@pytest.mark.parametrize('ours', ('modified', 'deleted'))
def test_a_conflict_with_a_deletion_is_not_judged_either(
    project: Repo, interlock: Interlock, ours: str
) -> None:
    plan = 'plugins/Bravo/.ideas/plan.md'
    versions: list[str | None] = ['autre\n', None]
    if ours == 'deleted':
        versions.reverse()
    project.git('checkout', '-q', '-b', 'autre')
    project.commit({plan: versions[1]})
    project.git('checkout', '-q', 'main')
    project.commit({plan: versions[0]})
    assert project.try_git('merge', 'autre').returncode == 1
    result = interlock.check('--staged')
    assert result.code == 2
    assert f'`{plan}` has conflicts' in result.err


def test_a_range_is_judged_commit_by_commit(
    project: Repo, interlock: Interlock
) -> None:
    base = project.git('rev-parse', 'HEAD')
    bad = project.commit(changes.bad_row())
    project.commit({'PLUGINS.md': changes.registry()})
    result = interlock.check('--range', f'{base}..HEAD')
    assert result.code == 1
    found = json.loads(result.out)['findings']
    assert [(f['code'], f['commit']) for f in found] == [('REG001', bad)]
    result = interlock.check('--range', f'{bad}..HEAD')
    assert (result.codes, result.err) == ([], '')


@pytest.mark.parametrize('revisions', ('HEAD..HEAD', 'HEAD..HEAD~1'))
def test_a_range_without_commits_passes_and_says_so(
    project: Repo, interlock: Interlock, revisions: str
) -> None:
    project.commit(changes.bad_row())
    result = interlock.check('--range', revisions)
    assert (result.code, result.codes) == (0, [])
    assert result.err == f'interlock: there are no commits in {revisions}\n'


def test_three_dots_start_at_the_common_ancestor(
    project: Repo, interlock: Interlock
) -> None:
    project.git('branch', 'base')
    project.commit(changes.bad_row())
    project.git('checkout', '-q', 'base')
    project.commit({'README.md': 'à lire\n'})
    assert interlock.check('--range', 'main...base').codes == []
    assert interlock.check('--range', 'base...main').codes == ['REG001']


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('--range', 'HEAD'), '`HEAD` is not a range', id='one revision'),
        pytest.param(('--range', '..HEAD'), '`..HEAD` is not a range', id='no start'),
        pytest.param(('--range', 'HEAD..'), '`HEAD..` is not a range', id='no end'),
        pytest.param(
            ('--range', '...HEAD'),
            '`...HEAD` is not a range',
            id='no start, three dots',
        ),
        pytest.param(
            ('--range', 'HEAD...'), '`HEAD...` is not a range', id='no end, three dots'
        ),
        pytest.param(
            ('--range', 'néant..HEAD'),
            '`néant` is not a commit in this repository',
            id='unknown start',
        ),
        pytest.param(
            ('--commit', 'néant'),
            '`néant` is not a commit in this repository',
            id='unknown commit',
        ),
        pytest.param(
            ('--commit', 'HEAD:PLUGINS.md'),
            '`HEAD:PLUGINS.md` is not a commit in this repository',
            id='a blob',
        ),
        pytest.param(
            ('--tree', '--all'),
            '`--all` is not a commit in this repository',
            id='an option',
        ),
    ),
)
def test_a_revision_that_is_none_is_refused(
    project: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock.check(*args)
    assert (result.code, result.codes) == (2, [])
    assert result.err.startswith(f'interlock: refused: {sentence}\n')


def test_histories_without_a_common_ancestor_are_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '--orphan', 'autre')
    project.git('commit', '-q', '--no-verify', '-m', 'chore: autre')
    result = interlock.check('--range', 'main...autre')
    assert result.code == 2
    assert 'the two have no common ancestor here' in result.err


def test_a_replaced_object_is_not_honoured(project: Repo, interlock: Interlock) -> None:
    good = project.commit({'README.md': 'à lire\n'})
    bad = project.commit(changes.bad_row())
    project.git('replace', bad, good)
    assert project.git('log', '-1', '--format=%T', bad) == (
        project.git('log', '-1', '--format=%T', good)
    )
    assert interlock.check('--commit', bad).codes == ['REG001']
    assert interlock.check('--range', f'{good}..{bad}').codes == ['REG001']


def test_a_graft_is_not_honoured(project: Repo, interlock: Interlock) -> None:
    start = project.git('rev-parse', 'HEAD')
    bad = project.commit(changes.bad_row())
    last = project.commit({'README.md': 'à lire\n'})
    (project.path / '.git' / 'info').mkdir(exist_ok=True)
    (project.path / '.git' / 'info' / 'grafts').write_text(f'{last} {start}\n')
    assert bad not in project.git('rev-list', last)
    assert interlock.check('--range', f'{start}..{last}').codes == ['REG001']


@pytest.mark.parametrize(
    ('kind', 'code'),
    (
        pytest.param('PLUGINS.md', 'REG008', id='registry'),
        pytest.param(samples.handoff_path('Bravo'), 'HND002', id='handoff'),
        pytest.param('plugins/Bravo/.ideas/plan.md', 'CON001', id='contract'),
        pytest.param('.interlock.yaml', 'CFG002', id='workflow'),
    ),
)
def test_a_document_of_50_mb_is_a_finding(
    project: Repo, interlock: Interlock, kind: str, code: str
) -> None:
    project.stage({kind: b'| a | b |\n' * 5 * 1024 * 1024})
    result = interlock.check('--staged')
    assert result.code == 1
    assert code in result.codes


def test_a_sealed_contract_may_be_of_any_size(
    project: Repo, interlock: Interlock
) -> None:
    text = 'é' * 20 * 1024 * 1024
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(text)}
    project.stage(
        {
            'plugins/Bravo/.ideas/plan.md': text,
            samples.handoff_path('Bravo'): samples.handoff('Bravo', sums=sums),
        }
    )
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (0, [])


@pytest.mark.parametrize(
    ('encoding', 'codes'),
    (
        pytest.param('UTF-8', ['CON006'], id='UTF-8'),
        pytest.param('ISO-8859-1', ['CON006'], id='Latin-1'),
    ),
)
def test_a_message_in_another_encoding_is_read(
    project: Repo, interlock: Interlock, tmp_path: Path, encoding: str, codes: list[str]
) -> None:
    text = 'Révisé.\n'
    sums = {**samples.checksums('Bravo'), 'architecture': samples.checksum(text)}
    project.stage(
        {
            'plugins/Bravo/.ideas/architecture.md': text,
            samples.handoff_path('Bravo'): samples.handoff('Bravo', sums=sums),
        }
    )
    project.git('config', 'i18n.commitEncoding', encoding)
    file = tmp_path / 'message'
    file.write_bytes('fix: réviser\n'.encode(encoding))
    project.git('commit', '-q', '--no-verify', '-F', str(file))
    assert interlock.check('--commit', 'HEAD').codes == codes
    file.write_bytes('fix: réviser\n\nContract-Amendment: décidé\n'.encode(encoding))
    project.git('commit', '-q', '--no-verify', '--amend', '-F', str(file))
    assert interlock.check('--commit', 'HEAD').codes == []


@pytest.mark.parametrize('encoding', ('UTF-8', 'ISO-8859-1', 'CP1252'))
def test_a_message_file_is_in_the_encoding_of_the_repository(
    project: Repo, interlock: Interlock, tmp_path: Path, encoding: str
) -> None:
    project.commit(
        {
            'PLUGINS.md': changes.registry(Délta='Stage 2'),
            **samples.item_files('Délta'),
            samples.handoff_path('Délta'): samples.handoff('Délta'),
        }
    )
    project.git('config', 'i18n.commitEncoding', encoding)
    project.stage({'plugins/Délta/Source/Main.cpp': '// 3\n'})
    file = tmp_path / 'message'
    file.write_bytes('feat(Délta): Stage 3\n'.encode(encoding))
    staged = interlock.check('--staged', '--message', str(file))
    assert staged.codes == ['COM002']
    project.git('commit', '-q', '--no-verify', '-F', str(file))
    assert interlock.check('--commit', 'HEAD').codes == ['COM002']


def test_a_message_of_bytes_that_are_no_text_is_judged(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    project.stage(changes.stage('3'))
    file = tmp_path / 'message'
    file.write_bytes(b'fix: \xff\xfe\x80 nothing to see\n')
    result = interlock.check('--staged', '--message', str(file))
    assert (result.code, result.codes) == (1, ['COM005'])


def test_a_missing_message_file_is_refused(project: Repo, interlock: Interlock) -> None:
    result = interlock.check('--staged', '--message', 'néant')
    assert result.code == 2
    assert 'the message file néant does not exist' in result.err


def test_a_snapshot_is_parsed_once_per_blob(project: Repo) -> None:
    repository = Repository(os.environ)
    seen: list[str] = []
    try:
        head = repository.head()
        assert head is not None
        tree = repository.tree(head.tree)
        for path in ('PLUGINS.md', 'PLUGINS.md', 'néant'):
            tree.parsed(path, lambda blob: seen.append(blob.oid))
        (change,) = repository.staged(None)
        assert change.after.blob('PLUGINS.md') == tree.blob('PLUGINS.md')
        assert change.after.paths() == tree.paths()
        assert change.after.digest('néant', 'sha256') is None
    finally:
        repository.close()
    assert len(seen) == 2
    assert len(set(seen)) == 1


def test_a_repository_of_somebody_else_is_named_as_such(
    project: Repo, interlock: Interlock
) -> None:
    if os.geteuid():
        pytest.skip('only root can give a file away')
    os.chown(project.path, 12345, 12345)
    os.chown(project.path / '.git', 12345, 12345)
    result = interlock.check('--staged')
    assert result.code == 2
    assert 'git does not trust this repository' in result.err
    assert 'safe.directory' in result.err


def test_outside_of_a_repository_there_is_nothing_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal) as e:
        Repository(os.environ)
    assert e.value.message == OUTSIDE
    assert e.value.hint == 'git init'


def test_a_merge_to_a_stage_that_follows_from_no_parent_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'étape')
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'étape')
    project.stage(changes.stage('6'))
    # what was expected differs from parent to parent: after 2, and after 3
    staged = interlock.check('--staged')
    assert (staged.code, staged.codes) == (1, ['STG001', 'STG002'])
    project.git('commit', '-q', '--no-verify', '-m', 'Merge: Bravo')
    commit = interlock.check('--commit', 'HEAD')
    assert (commit.code, commit.codes) == (1, ['STG001', 'STG002'])
    ranged = interlock.check('--range', 'HEAD^1..HEAD')
    assert (ranged.code, ranged.codes) == (1, ['STG001', 'STG002'])


def test_of_a_history_from_elsewhere_the_merge_is_judged(
    project: Repo, interlock: Interlock
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.git('checkout', '-q', '--orphan', 'ailleurs')
    root = project.commit(changes.stage('6'), 'feat(Bravo): Stage 6')
    project.git('checkout', '-q', 'main')
    project.git(
        'merge',
        '-q',
        '-m',
        'Merge: Bravo',
        '-X',
        'theirs',
        '--allow-unrelated-histories',
        'ailleurs',
    )
    merge = project.git('rev-parse', 'HEAD')
    assert project.git('diff', 'ailleurs', 'main') == ''
    assert 'STG001' in interlock.check('--commit', 'HEAD').codes
    result = interlock.check('--range', f'{base}..HEAD')
    assert result.code == 1
    found = {
        (finding['code'], finding['commit'])
        for finding in json.loads(result.out)['findings']
    }
    assert {('STG001', merge), ('STG002', merge)} <= found
    assert root not in {commit for _, commit in found}


def test_the_first_commit_of_a_whole_history_has_no_base(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(changes.stage('3'), 'feat(Bravo): Stage 3')
    result = interlock('audit')
    assert result.code == 0
    repository = Repository(os.environ)
    try:
        first, last = repository.history('HEAD')
        found = repository.range('HEAD~1..HEAD')
        assert (found.start, found.base) == (first, first)
        assert list(found.commits) == [last]
    finally:
        repository.close()


def test_a_file_that_is_only_intended_to_be_added_is_not_there(
    project: Repo, interlock: Interlock
) -> None:
    handoff = samples.handoff_path('Bravo')
    plan = 'plugins/Bravo/.ideas/plan.md'
    sums = samples.checksums('Bravo')
    del sums['plan']
    project.commit(
        {
            'PLUGINS.md': changes.registry(None, Bravo='Stage 1'),
            handoff: samples.handoff('Bravo', '1', sums=sums),
            plan: None,
        }
    )
    project.stage(
        {**changes.stage('2'), handoff: samples.handoff('Bravo', '2', sums=sums)}
    )
    project.write({plan: samples.contract('Bravo', 'plan')})
    assert interlock.check('--staged').codes == ['STG005']
    project.git('add', '-N', plan)
    assert interlock.check('--staged').codes == ['STG005']
    project.git('add', plan)
    assert interlock.check('--staged').codes == []


def test_the_index_is_the_tree_that_a_commit_would_have(project: Repo) -> None:
    project.write(
        {
            'neuf.md': 'é',
            'à-venir.md': 'x',
            'PLUGINS.md': changes.registry(),
            'plugins/Bravo/Source/Main.cpp': '// 9\n',
        }
    )
    project.git('add', 'neuf.md', 'plugins/Bravo/Source/Main.cpp')
    project.git('add', '-N', 'à-venir.md')
    project.git('rm', '-q', '--cached', 'plugins/Bravo/CMakeLists.txt')
    repository = Repository(os.environ)
    try:
        (change,) = repository.staged(None)
        tree = repository.tree(project.git('write-tree'))
        paths = set(tree.paths())
        assert set(change.after.paths()) == paths
        assert 'neuf.md' in paths
        assert 'à-venir.md' not in paths
        for path in (*paths, 'à-venir.md', 'plugins/Bravo/CMakeLists.txt'):
            assert change.after.blob(path) == tree.blob(path)
    finally:
        repository.close()
