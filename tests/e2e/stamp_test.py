"""Commits that went through the local gate say so; others are named."""

from __future__ import annotations

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.conftest import Source, install

ASKED = f'{samples.WORKFLOW}gate_trailer: Interlock-Gate\n'


@pytest.fixture
def asked(project: Repo, interlock: Interlock) -> Repo:
    project.commit({'.interlock.yaml': ASKED})
    assert interlock('init', '--git-hooks').code == 0
    return project


def trailer(repo: Repo) -> str:
    return repo.git(
        'log', '-1', '--format=%(trailers:key=Interlock-Gate,valueonly)'
    ).strip()


def commit(repo: Repo, *args: str) -> None:
    process = repo.try_git('commit', '-q', *args)
    assert process.returncode == 0, process.stderr


def test_a_commit_that_passed_carries_the_tree_that_was_judged(
    asked: Repo, interlock: Interlock
) -> None:
    base = asked.git('rev-parse', 'HEAD')
    asked.stage({'README.md': 'à lire\n'})
    commit(asked, '-m', 'docs: à lire\n\nSigned-off-by: Zoë <z@x.invalid>')
    tree = asked.git('rev-parse', 'HEAD^{tree}')
    assert trailer(asked) == tree[:16]
    assert 'Signed-off-by: Zoë' in asked.git('log', '-1', '--format=%B')
    # a part of what changed, by its path
    asked.write({'README.md': 'plus\n', 'autre.txt': 'x\n'})
    commit(asked, '-m', 'docs: plus', 'README.md')
    assert trailer(asked) == asked.git('rev-parse', 'HEAD^{tree}')[:16]
    # and amended
    asked.stage({'README.md': 'encore\n'})
    commit(asked, '--amend', '--no-edit')
    assert trailer(asked) == asked.git('rev-parse', 'HEAD^{tree}')[:16]
    assert interlock.check('--range', f'{base}..HEAD').codes == []


@pytest.mark.parametrize(
    ('args', 'subject'),
    (
        pytest.param(('--no-edit',), "Merge branch 'zweig'", id='by itself'),
        pytest.param(('-m', 'merge: à lire'), 'merge: à lire', id='a line'),
        pytest.param(
            ('-m', 'merge: x\n\nSigned-off-by: Zoë <z@x.invalid>'),
            'merge: x',
            id='a trailer',
        ),
    ),
)
def test_a_merge_that_passed_keeps_its_subject_and_carries_the_tree(
    asked: Repo, interlock: Interlock, args: tuple[str, ...], subject: str
) -> None:
    asked.git('switch', '-q', '-c', 'zweig')
    asked.stage({'README.md': 'à lire\n'})
    commit(asked, '-m', 'docs: à lire')
    asked.git('switch', '-q', 'main')
    # git gives the message of a merge to its hooks without a last newline
    process = asked.try_git('merge', '--no-ff', *args, 'zweig')
    assert process.returncode == 0, process.stderr
    assert asked.git('log', '-1', '--format=%s') == subject
    assert trailer(asked) == asked.git('rev-parse', 'HEAD^{tree}')[:16]
    result = interlock.check('--range', 'HEAD^1..HEAD')
    assert (result.code, result.codes) == (0, [])


def test_commits_past_the_gate_are_named_in_a_push(
    asked: Repo, interlock: Interlock
) -> None:
    base = asked.git('rev-parse', 'HEAD')
    past = asked.commit({'README.md': 'x\n'}, 'docs: x')
    asked.stage({'README.md': 'y\n'})
    commit(asked, '-m', 'docs: y')
    passed = asked.git('rev-parse', 'HEAD')
    # its trailer is that of another tree
    asked.git('checkout', '-q', '--detach', base)
    asked.commit({'autre.txt': 'x\n'}, 'docs: z')
    asked.git('cherry-pick', '--strategy-option=theirs', passed)
    picked = asked.git('rev-parse', 'HEAD')
    result = interlock('check', '--range', f'{base}..{passed}')
    assert result.code == 0
    assert (
        f'{past[:10]} message: warning: COM008 the commit was made without the '
        f'local gate: the trailer `Interlock-Gate` is missing' in result.out
    )
    assert passed[:10] not in result.out
    result = interlock('check', '--range', f'{base}..{picked}')
    assert f'{picked[:10]} message: warning: COM008' in result.out
    assert '`Interlock-Gate` says `' in result.out


def test_nothing_is_stamped_where_nobody_asks(
    project: Repo, interlock: Interlock
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    base = project.git('rev-parse', 'HEAD')
    project.stage({'README.md': 'à lire\n'})
    commit(project, '-m', 'docs: à lire')
    assert trailer(project) == ''
    assert interlock.check('--range', f'{base}..HEAD').codes == []


def test_a_gate_may_be_asked_for_strictly(asked: Repo, interlock: Interlock) -> None:
    strict = asked.commit({'.interlock.yaml': f'{ASKED}severity: {{COM008: error}}\n'})
    asked.commit({'README.md': 'x\n'}, 'docs: x')
    result = interlock.check('--range', f'{strict}..HEAD')
    assert (result.code, result.codes) == (1, ['COM008'])


def test_pre_commit_lets_the_message_be_stamped(
    project: Repo, interlock: Interlock, built: Source
) -> None:
    project.commit({'.interlock.yaml': ASKED})
    assert interlock('init', '--pre-commit').code == 0
    project.commit({}, 'chore: installer')
    install(project, 'pre-commit')
    project.stage({'README.md': 'à lire\n'})
    commit(project, '-m', 'docs: à lire')
    assert trailer(project) == project.git('rev-parse', 'HEAD^{tree}')[:16]
