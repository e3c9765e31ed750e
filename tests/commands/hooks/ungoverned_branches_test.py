"""Branches that no workflow governs, and commits that pose as pushes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo

LINE = 'interlock: passed: no workflow governs here'


def commit(repo: Repo, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    return subprocess.run(
        ('git', 'commit', '-qm', 'é', *args),
        cwd=repo.path,
        env={**os.environ, 'PATH': path, **more},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def adopted(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({'a': 'é'})
    repo.git('branch', 'before')
    repo.commit({'.interlock.yaml': samples.WORKFLOW})
    assert interlock('init', '--git-hooks').code == 0
    return repo


def before(repo: Repo) -> None:
    repo.git('checkout', '-q', 'before')


def orphan(repo: Repo) -> None:
    repo.git('checkout', '-q', '--orphan', 'pages')
    repo.git('rm', '-rfq', '.')


@pytest.mark.parametrize('leave', (before, orphan))
def test_a_branch_without_a_workflow_is_not_held_up(
    adopted: Repo, leave: object
) -> None:
    assert callable(leave)
    leave(adopted)
    adopted.stage({'a': 'à'})
    process = commit(adopted)
    assert process.returncode == 0, process.stderr
    assert LINE in process.stderr


@pytest.mark.parametrize('leave', (before, orphan))
def test_each_script_passes_and_says_so(adopted: Repo, leave: object) -> None:
    """As pre-commit calls them."""
    assert callable(leave)
    leave(adopted)
    adopted.stage({'a': 'à'})
    for name in ('registry', 'stages'):
        process = subprocess.run(
            (str(SCRIPTS / f'interlock-{name}'),),
            cwd=adopted.path,
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stderr
        assert LINE in process.stderr


def test_a_command_still_says_that_nothing_governs(
    adopted: Repo, interlock: Interlock
) -> None:
    before(adopted)
    result = interlock('check')
    assert result.code == 2
    assert 'no workflow governs here' in result.err


def test_a_push_of_such_a_branch_passes(adopted: Repo, tmp_path: Path) -> None:
    subprocess.run(('git', 'init', '-q', '--bare', str(tmp_path / 's.git')), check=True)
    before(adopted)
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    process = subprocess.run(
        ('git', 'push', '-q', str(tmp_path / 's.git'), 'before'),
        cwd=adopted.path,
        env={**os.environ, 'PATH': path},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    assert 'interlock: ' in process.stdout + process.stderr


@pytest.mark.parametrize(
    'more',
    (
        pytest.param(
            {'PRE_COMMIT_FROM_REF': 'HEAD', 'PRE_COMMIT_TO_REF': 'HEAD'}, id='a range'
        ),
        pytest.param(
            {
                'PRE_COMMIT_FROM_REF': 'HEAD',
                'PRE_COMMIT_TO_REF': 'HEAD',
                'PRE_COMMIT_REMOTE_BRANCH': 'refs/heads/x',
            },
            id='a push',
        ),
        pytest.param({'GIT_REFLOG_ACTION': 'merge', 'GITHEAD_HEAD': 'x'}, id='a merge'),
    ),
)
def test_the_environment_does_not_make_something_else_of_a_commit(
    adopted: Repo, more: dict[str, str]
) -> None:
    files = {'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 3'})}
    adopted.stage(files)
    more = {
        name.replace('HEAD', adopted.git('rev-parse', 'HEAD'))
        if name.startswith('GITHEAD_')
        else name: value
        for name, value in more.items()
    }
    process = commit(adopted, **more)
    assert process.returncode == 1
    assert 'REG001' in process.stdout + process.stderr


def test_a_push_is_what_git_says_of_it(adopted: Repo, tmp_path: Path) -> None:
    server = str(tmp_path / 's.git')
    subprocess.run(('git', 'init', '-q', '--bare', server), check=True)
    adopted.git('push', '-q', '--no-verify', server, 'HEAD:main')
    adopted.stage(
        {'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 3'})}
    )
    adopted.git('commit', '-q', '--no-verify', '-m', 'é')
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    process = subprocess.run(
        ('git', 'push', '-q', server, 'HEAD:main'),
        cwd=adopted.path,
        env={
            **os.environ,
            'PATH': path,
            'PRE_COMMIT_FROM_REF': 'HEAD',
            'PRE_COMMIT_TO_REF': 'HEAD',
            'PRE_COMMIT_REMOTE_BRANCH': 'refs/heads/main',
        },
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert 'REG001' in process.stdout + process.stderr


def test_an_index_in_the_environment_does_not_hide_a_push(
    adopted: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git sets it for the hooks of a commit, and one of them may push."""
    old = adopted.git('rev-parse', 'HEAD')
    adopted.stage(
        {'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}, {'Alpha': 'Stage 3'})}
    )
    adopted.git('commit', '-q', '--no-verify', '-m', 'é')
    monkeypatch.setenv('PRE_COMMIT_FROM_REF', old)
    monkeypatch.setenv('PRE_COMMIT_TO_REF', 'HEAD')
    monkeypatch.setenv('PRE_COMMIT_REMOTE_BRANCH', 'refs/heads/main')
    monkeypatch.setenv('GIT_INDEX_FILE', str(adopted.path / '.git/index'))
    result = interlock('hook')
    assert result.code == 1
    assert 'REG001' in result.out


def test_a_reason_in_the_message_passes_all_hooks(adopted: Repo) -> None:
    """pre-commit warns, since commit-msg is asked too."""
    lax = f'{samples.WORKFLOW}severity: {{REG001: info}}\n'
    adopted.stage({'.interlock.yaml': lax})
    refused = commit(adopted)
    assert refused.returncode == 1
    assert 'CFG008' in refused.stderr
    process = commit(adopted, '-m', 'Interlock-Rules: l’ancien registre')
    assert process.returncode == 0, process.stdout


def test_without_commit_msg_a_loosening_is_refused_before(adopted: Repo) -> None:
    (adopted.path / '.git/hooks/commit-msg').unlink()
    adopted.stage({'.interlock.yaml': None})
    process = commit(adopted, '-m', 'Interlock-Rules: fini')
    assert process.returncode == 1
    assert 'CFG003' in process.stderr
