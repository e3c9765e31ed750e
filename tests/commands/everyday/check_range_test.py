"""Ranges that are odd; what pushes have in common is in odd_pushes_test."""

from __future__ import annotations

import subprocess

import pytest

from tests.conftest import Interlock, Repo
from tests.samples import DRIFT


@pytest.mark.parametrize(
    'message',
    (
        pytest.param(b'feat(Bravo): Stage 3 \xe9\xff\n', id='no UTF-8'),
        pytest.param(b'feat(Bravo): Stage 3 ' + b'x' * 100_000, id='long'),
    ),
)
def test_a_message_of_any_bytes_is_judged(
    project: Repo, interlock: Interlock, message: bytes
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage(DRIFT)
    tree = project.git('write-tree')
    body = (
        f'tree {tree}\nparent {base}\nauthor Z <z@example.invalid> 1 +0000\n'
        f'committer Z <z@example.invalid> 1 +0000\n\n'
    ).encode() + message
    oid = (
        subprocess.run(
            ('git', 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'),
            input=body,
            cwd=project.path,
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    result = interlock.check('--range', f'{base}..{oid}')
    assert result.code == 1
    assert 'REG001' in result.codes


def test_a_history_that_was_rewritten_is_judged_from_its_fork(
    project: Repo, interlock: Interlock
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
    project: Repo, interlock: Interlock
) -> None:
    project.git('switch', '-q', '--orphan', 'fremd')
    project.commit({'index.html': 'x\n'})
    result = interlock.check('--range', 'main...fremd')
    assert result.code == 2
    assert 'have no common ancestor here' in result.err
    assert 'next: name two commits of one history\n' in result.err


@pytest.mark.parametrize(
    'revisions',
    (
        'main....HEAD',
        'main.....HEAD',
        'main..',
        'main...',
        '..HEAD',
        '....',
        'main',
        '',
        'main.HEAD',
        'main..HEAD..HEAD',
    ),
)
def test_what_is_not_a_range_is_refused(
    project: Repo, interlock: Interlock, revisions: str
) -> None:
    result = interlock('check', '--range', revisions)
    assert (result.code, result.out) == (2, '')
    assert 'is not a range' in result.err or 'is not a commit' in result.err
    for good in ('main..HEAD', 'main...HEAD'):
        assert interlock('check', '--range', good).code == 0
