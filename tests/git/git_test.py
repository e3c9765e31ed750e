from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interlock.git.batch import MAX_BLOB, MAX_QUESTION
from interlock.git.git import Git, GitError
from interlock.git.parse import raw_diff, text
from interlock.git.snapshots import Store, TreeSnapshot
from interlock.model.errors import NoRepository, Refusal
from tests.conftest import SCRIPTS, Interlock, Repo

LARGE = b'x' * (MAX_BLOB + 1)


@pytest.fixture
def git(repo: Repo) -> Iterator[Git]:
    opened = Git(os.environ)
    yield opened
    opened.close()


def test_an_object_is_read_with_its_type(repo: Repo, git: Git) -> None:
    oid = repo.commit({'é.md': 'naïve\n'})
    answer = git.objects.read(f'{oid}:é.md')
    assert answer is not None
    kind, blob = answer
    assert (kind, blob.size, blob.data) == ('blob', 7, 'naïve\n'.encode())
    tree = git.objects.read(f'{oid}^{{tree}}')
    assert tree is not None and tree[0] == 'tree'


@pytest.mark.parametrize(
    'name',
    (
        pytest.param('HEAD:absent', id='no such path'),
        pytest.param('HEAD:absent blob 5', id='a path like a header'),
        pytest.param('HEAD:a\nHEAD:b', id='a newline'),
        pytest.param('HEAD:a\0b', id='a NUL byte'),
        pytest.param('no-such-rev', id='no such revision'),
        pytest.param('', id='empty'),
    ),
)
def test_what_is_not_there_is_none(repo: Repo, git: Git, name: str) -> None:
    repo.commit({'a': 'a\n', 'b': 'b\n'})
    assert git.objects.read(name) is None
    # and the next answer is still the right one
    answer = git.objects.read('HEAD:b')
    assert answer is not None and answer[1].data == b'b\n'


def test_many_objects_are_answered_in_the_order_of_their_names(
    repo: Repo, git: Git
) -> None:
    repo.commit({'a': 'a\n', 'b': 'b\n', 'é': 'é\n'})
    names = [
        'HEAD:b',
        'HEAD:a\nHEAD:b',
        'HEAD:a',
        'HEAD:absent',
        'HEAD:é',
        'HEAD:a\0b',
        '\n',
        'HEAD:a',
    ]
    expected = [b'b\n', None, b'a\n', None, 'é\n'.encode(), None, None, b'a\n']
    number = 2 * MAX_QUESTION // len(''.join(names)) + 1
    answers = list(git.objects.read_many(names * number))
    assert [a[1].data if a else None for a in answers] == expected * number
    assert list(git.objects.read_many([])) == []


def test_a_name_may_be_longer_than_a_question(repo: Repo, git: Git) -> None:
    repo.commit({'a': 'a\n'})
    long = 'é' * MAX_QUESTION
    names = [f'HEAD:{long}', 'HEAD:a', f'HEAD:{long}\n', 'HEAD:a']
    answers = list(git.objects.read_many(names))
    assert [a[1].data if a else None for a in answers] == [None, b'a\n', None, b'a\n']


def test_who_stops_reading_leaves_no_answer_behind(repo: Repo, git: Git) -> None:
    repo.commit({'a': 'a\n', 'b': 'b\n'})
    first = next(git.objects.read_many(['HEAD:a', 'HEAD:b', 'HEAD:absent']))
    assert first is not None and first[1].data == b'a\n'
    answer = git.objects.read('HEAD:b')
    assert answer is not None and answer[1].data == b'b\n'


@pytest.mark.parametrize(
    ('settings', 'expected'),
    (
        pytest.param((), ('UTF-8', '#'), id='none'),
        pytest.param(
            (('i18n.commitEncoding', 'CP932'), ('core.commentChar', ';')),
            ('CP932', ';'),
            id='both',
        ),
        pytest.param((('core.commentString', '//'),), ('UTF-8', '//'), id='string'),
        pytest.param((('core.commentChar', 'auto'),), ('UTF-8', 'auto'), id='auto'),
    ),
)
def test_the_settings_of_messages(
    repo: Repo,
    git: Git,
    settings: tuple[tuple[str, str], ...],
    expected: tuple[str, str],
) -> None:
    for name, value in settings:
        repo.git('config', name, value)
    assert git.message_settings() == expected


def test_a_blob_that_is_too_large_is_not_kept_but_hashed(repo: Repo, git: Git) -> None:
    repo.commit({'large': LARGE, 'small': b'klein\n'})
    answer = git.objects.read('HEAD:large')
    assert answer is not None
    assert (answer[1].size, answer[1].data) == (len(LARGE), None)
    expected = hashlib.sha256(LARGE).hexdigest()
    assert git.objects.digest('HEAD:large', 'sha256') == expected
    small = git.objects.read('HEAD:small')
    assert small is not None and small[1].data == b'klein\n'


def test_only_a_blob_has_a_digest(repo: Repo, git: Git) -> None:
    repo.commit({'d/a': 'a\n'})
    assert git.objects.digest('HEAD:d', 'sha256') is None
    assert git.objects.digest('HEAD:none', 'sha256') is None
    assert git.objects.digest('HEAD:d/a', 'sha256') == (
        hashlib.sha256(b'a\n').hexdigest()
    )


def test_trees_differ_by_path_and_letter(repo: Repo, git: Git) -> None:
    repo.commit({'gone': '1', 'kept': '1', 'link': '1', 'moved': '1\n2\n3\n'})
    before = repo.git('rev-parse', 'HEAD^{tree}')
    (repo.path / 'link').unlink()
    (repo.path / 'link').symlink_to('kept')
    (repo.path / 'moved').rename(repo.path / 'arrivé')
    repo.commit({'gone': None, 'kept': '2', 'new "x" \n': '1'})
    after = repo.git('rev-parse', 'HEAD^{tree}')
    assert git.diff_trees(before, after) == {
        'gone': 'D',
        'kept': 'M',
        'link': 'T',
        'moved': 'D',
        'arrivé': 'A',
        'new "x" \n': 'A',
    }
    assert git.diff_trees(after, after) == {}
    assert git.diff_trees(after, before)['gone'] == 'A'


def test_a_tree_is_listed_the_same_from_another_one(repo: Repo, git: Git) -> None:
    repo.commit({'a': '1', 'b': '1', 'd/e': '1'})
    commit = repo.git('rev-parse', 'HEAD')
    trees = [repo.git('rev-parse', 'HEAD^{tree}')]
    for path in ('a', 'new'):
        repo.git('update-index', '--add', '--cacheinfo', f'160000,{commit},{path}')
    repo.git('rm', '-q', '--cached', 'b')
    trees.append(repo.git('write-tree'))
    repo.stage({'d/e': '2', 'é "x"': '3'})
    trees.append(repo.git('write-tree'))
    for order in (trees, trees[::-1]):
        store = Store(git)
        for tree in order:
            snapshot = TreeSnapshot(store, tree)
            expected = git.tree_files(tree)
            assert sorted(snapshot.paths()) == sorted(expected)
            for path, oid in expected.items():
                blob = snapshot.blob(path)
                assert blob is not None and blob.oid == oid


@pytest.mark.parametrize(
    'name',
    (
        pytest.param('a interlock: end of the difference\nz', id='inside'),
        pytest.param('interlock: end \nz', id='at the start'),
        pytest.param('interlock: end', id='whole'),
    ),
)
def test_no_path_ends_a_difference_early(repo: Repo, git: Git, name: str) -> None:
    repo.commit({'b': '1'})
    before = repo.git('rev-parse', 'HEAD^{tree}')
    repo.commit({name: '1', 'zz': '1'})
    after = repo.git('rev-parse', 'HEAD^{tree}')
    assert git.diff_trees(before, after) == {name: 'A', 'zz': 'A'}
    assert git.diff_trees(after, before) == {name: 'D', 'zz': 'D'}


def test_a_missing_tree_is_refused_and_not_an_empty_difference(
    repo: Repo, git: Git
) -> None:
    repo.commit({'a': '1'})
    tree = repo.git('rev-parse', 'HEAD^{tree}')
    with pytest.raises(Refusal) as e:
        git.diff_trees('1' * 40, tree)
    assert e.value.message == 'git diff-tree ended in the middle'
    with pytest.raises(Refusal, match='git diff-tree ended in the middle'):
        list(git.differ.diffs([(tree, git.empty_tree()), ('1' * 40, tree)]))


def test_a_path_that_looks_like_the_head_of_another_difference(
    repo: Repo, git: Git
) -> None:
    trees = [git.empty_tree()]
    for files in ({'a': '1'}, {'a': '2'}):
        repo.commit(files)
        trees.append(repo.git('rev-parse', 'HEAD^{tree}'))
    forged = f'x\n{trees[1]} {trees[2]}\n:100644 100644 1 2 M'
    repo.commit({forged: '1'})
    trees.append(repo.git('rev-parse', 'HEAD^{tree}'))
    # two differences without a file lie between the others
    asked = [(0, 3), (1, 2), (1, 1), (2, 2), (2, 3), (3, 0)]
    pairs = [(trees[before], trees[after]) for before, after in asked]
    found = [raw_diff(fields).touched for fields in git.differ.diffs(pairs)]
    assert found == [
        {'a': 'A', forged: 'A'},
        {'a': 'M'},
        {},
        {},
        {forged: 'A'},
        {'a': 'D', forged: 'D'},
    ]


def test_a_batch_process_that_ended_is_a_refusal(repo: Repo, git: Git) -> None:
    oid = repo.commit({'a': '1'})
    blob = repo.git('rev-parse', 'HEAD:a')
    file = repo.path / '.git' / 'objects' / blob[:2] / blob[2:]
    file.chmod(0o644)
    whole = zlib.compress(b'blob 9999\0' + bytes(range(250)) * 40, 0)
    file.write_bytes(whole[:5000])
    with pytest.raises(Refusal) as e:
        git.objects.read(f'{oid}:a')
    assert e.value.message == 'git cat-file ended in the middle'
    assert e.value.hint == 'git fsck'


def test_a_failed_command_says_which_and_why(repo: Repo, git: Git) -> None:
    with pytest.raises(GitError) as e:
        git.run('rev-parse', '--verify', 'nulle-part')
    assert e.value.code == 128
    assert str(e.value).startswith('git rev-parse failed: fatal:')


@pytest.mark.parametrize('form', ('sha1', 'sha256'))
def test_the_empty_tree_is_that_of_the_object_format(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    repo.git('init', '-q', f'--object-format={form}', 'other')
    monkeypatch.chdir(repo.path / 'other')
    expected = hashlib.new(form, b'tree 0\0').hexdigest()
    assert Git(os.environ).empty_tree() == expected


@pytest.mark.parametrize(
    ('out', 'touched', 'new', 'old'),
    (
        pytest.param(b'', {}, {}, {}, id='nothing'),
        pytest.param(
            b':100644 100644 1 2 M\0a b\0:000000 100644 0 1 A\0\xff\n\0',
            {'a b': 'M', '\udcff\n': 'A'},
            {'a b': '2', '\udcff\n': '1'},
            {'a b': '1'},
            id='two entries',
        ),
        pytest.param(
            b':100644 000000 1 0 D\0a\0:000000 160000 0 1 A\0b\0',
            {'a': 'D', 'b': 'A'},
            {},
            {'a': '1'},
            id='a deleted file and a submodule have no content',
        ),
        pytest.param(
            b':160000 120000 1 2 T\0a\0:100644 000000 3 0 D\0b\0'
            b':000000 100644 0 4 A\0b\0',
            {'a': 'T', 'b': '!'},
            {'a': '2', 'b': '4'},
            {'b': '3'},
            id='a link instead of a submodule, and a name that is there twice',
        ),
    ),
)
def test_raw_output_is_read_by_pairs(
    out: bytes, touched: dict[str, str], new: dict[str, str], old: dict[str, str]
) -> None:
    assert raw_diff(text(out).split('\0')) == (touched, new, old)


def _object(repo: Repo, header: bytes, body: bytes) -> str:
    tree = repo.git('rev-parse', 'HEAD^{tree}')
    stamp = b'Zo\xc3\xab <z@example.invalid> 1767323045 +0000'
    data = (
        b'tree '
        + tree.encode()
        + b'\nauthor '
        + stamp
        + b'\ncommitter '
        + stamp
        + b'\n'
        + header
        + b'\n'
        + body
    )
    return (
        Git(os.environ)
        .run('hash-object', '-t', 'commit', '-w', '--stdin', '--literally', data=data)
        .decode()
        .strip()
    )


@pytest.mark.parametrize(
    ('header', 'body', 'expected'),
    (
        pytest.param(b'', 'feat(é): x'.encode(), 'feat(é): x', id='UTF-8'),
        pytest.param(b'', b'caf\xe9', 'caf\ufffd', id='no UTF-8'),
        pytest.param(b'encoding ISO-8859-1\n', b'caf\xe9', 'café', id='Latin-1'),
        pytest.param(b'encoding CP932\n', '日本'.encode('cp932'), '日本', id='CP932'),
        pytest.param(b'encoding no-such\n', 'né'.encode(), 'né', id='unknown'),
        pytest.param(b'encoding hex\n', b'6162', '6162', id='no text codec'),
        pytest.param(b'encoding idna\n', b'a.b', 'a.b', id='picky codec'),
        pytest.param(b'encoding \xff\xfe\n', b'a', 'a', id='no name at all'),
        pytest.param(b'encoding undefined\n', b'a', 'a', id='undefined'),
        pytest.param(
            b'gpgsig -----BEGIN\n parent x\n -----END\n',
            b'a\n\nb',
            'a\n\nb',
            id='signed',
        ),
    ),
)
def test_a_message_is_read_in_the_encoding_of_its_header(
    repo: Repo, git: Git, header: bytes, body: bytes, expected: str
) -> None:
    repo.commit({'a': '1'})
    commit = git.commit(_object(repo, header, body))
    assert commit is not None
    assert commit.message == expected
    assert commit.parents == ()
    assert commit.time == 1767323045


def test_a_revision_names_a_commit_through_a_tag(repo: Repo, git: Git) -> None:
    oid = repo.commit({'a': '1'})
    repo.git('tag', '-a', '-m', 'één', 'v1')
    assert git.resolve('v1') == oid
    assert git.resolve('HEAD:a') is None
    assert git.commit(repo.git('rev-parse', 'v1')) is None


def test_pathspec_settings_of_the_caller_do_not_hide_files(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.stage({'a': '1', 'd/é': '1'})
    monkeypatch.setenv('GIT_LITERAL_PATHSPECS', '1')
    blob = repo.git('rev-parse', ':a')
    expected = {'a': blob, 'd/é': blob}
    assert Git(os.environ).tree_files(repo.git('write-tree')) == expected


def test_a_process_that_ended_at_once_is_a_refusal_and_can_be_closed(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GIT_DIR', str(repo.path / 'néant'))
    git = Git(os.environ)
    for _ in ('its output has ended', 'its input is closed'):
        with pytest.raises(Refusal) as e:
            git.objects.read('HEAD')
        assert e.value.message == 'git cat-file ended in the middle'
    git.close()


def test_a_difference_that_breaks_off_is_a_refusal(repo: Repo, git: Git) -> None:
    repo.commit({'a/b': '1'})
    before = repo.git('rev-parse', 'HEAD^{tree}')
    repo.commit({'a/b': '2'})
    subtree = repo.git('rev-parse', 'HEAD:a')
    after = repo.git('rev-parse', 'HEAD^{tree}')
    (repo.path / '.git' / 'objects' / subtree[:2] / subtree[2:]).unlink()
    with pytest.raises(Refusal) as e:
        git.diff_trees(before, after)
    assert e.value.message == 'git diff-tree ended in the middle'


def test_a_batch_process_without_git_is_a_refusal(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', '')
    with pytest.raises(Refusal) as e:
        Git(os.environ).objects.read('HEAD')
    assert e.value.message == 'git is not installed, or not on the PATH'


@pytest.mark.skipif(sys.platform == 'win32', reason='modes of files')
@pytest.mark.parametrize(
    ('mode', 'said'),
    (
        pytest.param(0o644, 'Permission denied', id='not executable'),
        pytest.param(0o755, 'Exec format error', id='no program'),
    ),
)
def test_a_git_that_cannot_be_run_is_not_missing(
    repo: Repo, tmp_path: Path, mode: int, said: str
) -> None:
    file = tmp_path / 'bin' / 'git'
    file.parent.mkdir()
    file.write_bytes(b'\0\1\2')
    file.chmod(mode)
    git = Git({**os.environ, 'PATH': str(file.parent)})
    asked: tuple[Callable[[], object], ...] = (
        lambda: git.line('status'),
        lambda: git.start('status'),
        lambda: git.objects.read('HEAD'),
        lambda: git.run_as_user('status', seconds=9),
    )
    for ask in asked:
        with pytest.raises(NoRepository) as e:
            ask()
        assert e.value.message == f'the git on the PATH cannot be run: {said}'


def test_a_folder_that_is_gone_is_not_a_git_that_is_missing(tmp_path: Path) -> None:
    gone = str(tmp_path / 'weg')
    with pytest.raises(Refusal) as e:
        Git(os.environ, gone).line('status')
    assert not isinstance(e.value, NoRepository)
    assert e.value.message == (
        f'git could not be started in {gone}: No such file or directory'
    )


@pytest.mark.skipif(sys.platform == 'win32', reason='needs limits')
@pytest.mark.parametrize('command', ('check', 'check --commit HEAD', 'status'))
def test_too_many_open_files_is_what_is_said(project: Repo, command: str) -> None:
    process = subprocess.run(
        f'ulimit -n 7; exec {SCRIPTS}/interlock {command}',
        shell=True,
        cwd=project.path,
        capture_output=True,
        text=True,
    )
    assert (process.returncode, process.stdout) == (2, '')
    assert process.stderr == (
        'interlock: refused: git could not be started: Too many open files\n'
        '    next: ulimit -n 1024, then run this again\n'
    )


def test_a_command_of_git_that_fails_is_exit_2_with_its_sentence(
    project: Repo, interlock: Interlock
) -> None:
    (project.path / '.git' / 'index').write_bytes(b'no index')
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (2, [])
    assert result.err.startswith('interlock: refused: git diff-index failed: ')
    assert 'next: git status' in result.err
    assert 'Traceback' not in result.err
