"""What a refused push or range says besides its findings."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from interlock.engine.rewrite_hint import AGAIN, CHECK, KEEP, REPLAY
from tests import forked
from tests.conftest import Repo
from tests.samples import DRIFT, STATUSES, registry

WORSE = {'PLUGINS.md': registry(STATUSES, {'Bravo': 'Stage 3', 'Charlie': 'Working'})}
BEGUN = {'PLUGINS.md': registry({**STATUSES, 'Delta': 'Stage 1'})}
Case = Callable[[Repo], tuple[str, str]]


def _short(repo: Repo, name: str) -> str:
    return repo.git('rev-parse', name)[:10]


def _said(repo: Repo, *args: str, lines: str = '') -> str:
    """Behind the verdict."""
    process = forked.command(*args, data=lines, cwd=repo.path)
    output = process.stdout + process.stderr
    assert process.returncode == 1, output
    last = process.stdout.rstrip().split('\n')[-1]
    return last.strip() if last.startswith('    ') else ''


def _range(repo: Repo, revisions: str) -> str:
    return _said(repo, 'check', '--range', revisions)


def _pushed(repo: Repo, *refs: str) -> str:
    lines = ''.join(
        f'{ref} {repo.git("rev-parse", ref)} {ref} {"0" * 40}\n' for ref in refs
    )
    return _said(repo, 'pre-push', 'origin', 'file:///x', lines=lines)


def _again(repo: Repo, name: str = 'HEAD') -> str:
    made = f'git commit --all -C {_short(repo, name)}'
    return f'{AGAIN}: git diff --quiet HEAD && git reset -q || {made}'


def _the_last(repo: Repo) -> tuple[str, str]:
    repo.commit(DRIFT)
    return _range(repo, 'start..HEAD'), _again(repo)


def _an_older_one(repo: Repo) -> tuple[str, str]:
    repo.commit(DRIFT)
    repo.commit({'README.md': 'x\n'})
    return _range(repo, 'start..HEAD'), (
        f'{REPLAY}: git rebase {CHECK} {_short(repo, "HEAD~1")}^'
    )


def _not_what_is_checked_out(repo: Repo) -> tuple[str, str]:
    repo.commit(DRIFT)
    repo.commit({'README.md': 'x\n'})
    return _range(repo, 'start..HEAD~1'), ''


def _a_merge(repo: Repo) -> tuple[str, str]:
    repo.git('switch', '-q', '-c', 'seite')
    repo.commit({'seite.md': 'é\n'})
    repo.git('switch', '-q', 'main')
    repo.commit({'README.md': 'x\n'})
    repo.git('merge', '-q', '--no-ff', '--no-commit', 'seite')
    repo.commit(DRIFT, 'Merge')
    guilty = _short(repo, 'HEAD')
    repo.commit({'README.md': 'y\n'})
    return _range(repo, 'start..HEAD'), (
        f'{REPLAY}: git rebase --rebase-merges {CHECK} {guilty}^'
    )


def _a_merge_at_the_end(repo: Repo) -> tuple[str, str]:
    repo.git('switch', '-q', '-c', 'seite')
    repo.commit({'seite.md': 'é\n'})
    repo.git('switch', '-q', 'main')
    repo.git('merge', '-q', '--no-ff', '--no-commit', 'seite')
    merge = repo.commit(DRIFT, 'Merge')
    return _range(repo, 'start..HEAD'), f'{AGAIN}: git commit --all -C {merge[:10]}'


def _another_branch(repo: Repo) -> tuple[str, str]:
    repo.git('switch', '-q', '-c', "l'autre")
    guilty = repo.commit(DRIFT)
    repo.git('switch', '-q', 'main')
    said = _pushed(repo, "refs/heads/l'autre")
    return said, _again(repo, guilty)


def _two_branches(repo: Repo) -> tuple[str, str]:
    repo.git('switch', '-q', '-c', 'un')
    repo.commit(DRIFT)
    repo.git('switch', '-q', '-c', 'deux', 'main')
    repo.commit({**DRIFT, 'README.md': 'x\n'})
    return _pushed(repo, 'refs/heads/un', 'refs/heads/deux'), ''


def _a_branch_and_its_tag(repo: Repo) -> tuple[str, str]:
    repo.commit(DRIFT)
    repo.git('tag', 'v1')
    return _pushed(repo, 'refs/heads/main', 'refs/tags/v1'), _again(repo)


def _a_tag_of_elsewhere(repo: Repo) -> tuple[str, str]:
    repo.commit(DRIFT)
    repo.git('tag', 'v1')
    repo.git('reset', '-q', '--hard', 'start')
    return _pushed(repo, 'refs/tags/v1'), ''


def _what_others_have(repo: Repo) -> tuple[str, str]:
    guilty = repo.commit(DRIFT)
    repo.git('update-ref', 'refs/remotes/autre/main', guilty)
    return _pushed(repo, 'refs/heads/main'), ''


@pytest.mark.parametrize(
    'case',
    (
        pytest.param(_the_last, id='the last'),
        pytest.param(_an_older_one, id='an older one'),
        pytest.param(_not_what_is_checked_out, id='not checked out'),
        pytest.param(_a_merge, id='a merge'),
        pytest.param(_a_merge_at_the_end, id='a merge at the end'),
        pytest.param(_another_branch, id='another branch'),
        pytest.param(_two_branches, id='two branches'),
        pytest.param(_a_branch_and_its_tag, id='a branch and its tag'),
        pytest.param(_a_tag_of_elsewhere, id='a tag of elsewhere'),
        pytest.param(_what_others_have, id='what others have'),
    ),
)
def test_it_says_how_to_fix_its_commits(project: Repo, case: Case) -> None:
    project.git('tag', 'start')
    said, expected = case(project)
    assert said == expected


@pytest.mark.parametrize(
    ('later', 'there'),
    (
        pytest.param(None, 0, id='the tip'),
        pytest.param({'README.md': 'x\n'}, 1, id='an older one'),
        pytest.param(WORSE, 2, id='an older one and the tip'),
    ),
)
def test_a_step_that_does_not_work_at_the_tip_is_not_named(
    project: Repo, later: dict[str, str] | None, there: int
) -> None:
    project.git('tag', 'start')
    project.commit(DRIFT)
    if later:
        project.commit(later)
    process = forked.command('check', '--range', 'start..HEAD', cwd=project.path)
    assert process.stdout.count('stops there\n') == there
    assert ('git reset -q --soft' in process.stdout) == (not later)


@pytest.mark.parametrize('own', (None, {'README.md': 'x\n'}))
@pytest.mark.parametrize('branch', ('', ' main'))
def test_a_push_that_drops_commits_keeps_them(
    project: Repo, branch: str, own: dict[str, str] | None
) -> None:
    start = project.git('rev-parse', 'HEAD')
    old = project.commit(BEGUN)
    project.git('reset', '-q', '--hard', start)
    tip = project.commit(own) if own else start
    if branch:
        project.git('switch', '-q', '-c', 'autre', old)
    line = f'refs/heads/main {tip} refs/heads/main {old}\n'
    process = forked.command('pre-push', 'origin', 'x', data=line, cwd=project.path)
    command = f'git rebase -q {old[:10]}{branch}'
    assert f'    {KEEP}: {command}\n' in process.stdout
    assert AGAIN not in process.stdout
    subprocess.run(command, shell=True, cwd=project.path, check=True)
    line = line.replace(tip, project.git('rev-parse', 'main'))
    process = forked.command('pre-push', 'origin', 'x', data=line, cwd=project.path)
    assert process.returncode == 0, process.stdout


def test_a_push_of_another_name_that_drops_commits_is_to_be_rebased(
    project: Repo,
) -> None:
    start = project.git('rev-parse', 'HEAD')
    old = project.commit(BEGUN)
    line = f'{start} {start} refs/heads/main {old}\n'
    process = forked.command('pre-push', 'origin', 'x', data=line, cwd=project.path)
    assert f'    {KEEP}: rebase what is pushed onto {old[:10]}\n' in process.stdout


def test_where_nothing_is_left_of_a_commit_it_is_not_made_again(project: Repo) -> None:
    project.git('tag', 'start')
    project.commit(DRIFT)
    process = forked.command('check', '--range', 'start..HEAD', cwd=project.path)
    project.git('reset', '-q', '--soft', 'HEAD^')
    project.git('restore', '--source=HEAD', '--worktree', '.')
    assert project.git('diff', '--cached', '--name-only')
    last = process.stdout.rstrip().rpartition(f'{AGAIN}: ')[2]
    subprocess.run(last, shell=True, cwd=project.path, check=True)
    assert project.git('rev-parse', 'HEAD') == project.git('rev-parse', 'start')
    # a rebase that stopped there goes on only without staged changes
    assert not project.git('status', '--porcelain')
