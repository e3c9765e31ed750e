"""Histories that are odd, or broken."""
from __future__ import annotations

import subprocess

import pytest

from tests import samples
from tests.conftest import Interlock
from tests.conftest import Repo

STATUSES = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
DRIFT = {'PLUGINS.md': samples.registry(STATUSES, {'Bravo': 'Stage 3'})}


def test_a_merge_of_thirty_branches_is_judged(
        project: Repo,
        interlock: Interlock,
) -> None:
    base = project.git('rev-parse', 'HEAD')
    names = []
    for number in range(30):
        project.git('switch', '-q', '-c', f'ast-{number}', base)
        project.commit({f'docs/{number}.md': 'x\n'})
        names.append(f'ast-{number}')
    project.git('switch', '-q', 'main')
    project.git('merge', '-q', '-m', 'Merge', *names)
    assert len(project.git('rev-parse', 'HEAD^@').split()) == 30
    assert interlock.check('--range', f'{base}..HEAD').code == 0
    project.stage(DRIFT)
    project.git('commit', '-q', '--amend', '-m', 'Merge, mal')
    result = interlock.check('--range', f'{base}..HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_a_commit_without_a_message_is_judged(
        project: Repo,
        interlock: Interlock,
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage(DRIFT)
    project.git('commit', '-q', '--allow-empty-message', '-m', '')
    result = interlock.check('--range', f'{base}..HEAD')
    assert (result.code, result.codes) == (1, ['REG001'])


@pytest.mark.parametrize(
    'message',
    (
        pytest.param(b'feat(Bravo): Stage 3 \xe9\xff\n', id='no UTF-8'),
        pytest.param(b'\x00\n', id='a zero'),
        pytest.param(b'feat(Bravo): Stage 3 ' + b'x' * 100_000, id='long'),
        pytest.param(b'\n\n\n', id='blank lines'),
    ),
)
def test_a_message_of_any_bytes_is_judged(
        project: Repo,
        interlock: Interlock,
        message: bytes,
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage(DRIFT)
    tree = project.git('write-tree')
    body = (
        f'tree {tree}\nparent {base}\nauthor Z <z@example.invalid> 1 +0000\n'
        f'committer Z <z@example.invalid> 1 +0000\n\n'
    ).encode() + message
    oid = subprocess.run(
        ('git', 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'),
        input=body, cwd=project.path, capture_output=True, check=True,
    ).stdout.decode().strip()
    result = interlock.check('--range', f'{base}..{oid}')
    assert result.code == 1
    assert 'REG001' in result.codes


def _lose(project: Repo, name: str) -> None:
    oid = project.git('rev-parse', name)
    file = project.path / '.git/objects' / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.unlink()


@pytest.mark.parametrize(
    'name',
    (
        pytest.param('HEAD:PLUGINS.md', id='a file'),
        pytest.param('HEAD^{tree}', id='a tree'),
        pytest.param('HEAD', id='a commit'),
        pytest.param('HEAD~1', id='the parent'),
    ),
)
def test_an_object_that_is_missing_never_passes(
        project: Repo,
        interlock: Interlock,
        name: str,
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.commit({'README.md': 'x\n'})
    tip = project.commit({'PLUGINS.md': samples.registry(
        {**STATUSES, 'Alpha': 'Stage 0'},
    )}, 'chore: Alpha, Stage 0 begun')
    assert interlock.check('--range', f'{base}..{tip}').code == 0
    _lose(project, name)
    result = interlock.check('--range', f'{base}..{tip}')
    assert result.code in {1, 2}
    assert result.code == 1 or 'next: ' in result.err


def test_a_history_that_was_rewritten_is_judged_from_its_fork(
        project: Repo,
        interlock: Interlock,
) -> None:
    start = project.git('rev-parse', 'HEAD')
    old = project.commit({'README.md': 'alt\n'})
    project.git('reset', '-q', '--hard', start)
    guilty = project.commit(DRIFT)
    result = interlock.check('--range', f'{old}..{guilty}')
    assert (result.code, result.codes) == (1, ['REG001'])
    result = interlock.check('--range', f'{old}...{guilty}')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_two_histories_without_a_common_commit_have_no_fork(
        project: Repo,
        interlock: Interlock,
) -> None:
    project.git('switch', '-q', '--orphan', 'fremd')
    project.commit({'index.html': 'x\n'})
    result = interlock.check('--range', 'main...fremd')
    assert result.code == 2
    assert 'have no common ancestor here' in result.err
