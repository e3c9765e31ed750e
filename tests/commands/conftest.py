from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Interlock, Repo
from tests.desk import Desk
from tests.spaces import TASK, Space


@pytest.fixture
def empty_desk(space: Space, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A main worktree and no task; the working directory is its top."""
    space.main.commit({'changelog.md': '# Changes\n'})
    monkeypatch.chdir(space.main.path)
    return Desk(space.path)


@pytest.fixture
def desk(
    empty_desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> Desk:
    """A task that has begun, with one agent; we are in its worktree."""
    result = interlock('task', 'start', TASK, '--agent', 'architect')
    assert result.code == 0, result.err
    monkeypatch.chdir(empty_desk.code.path)
    return empty_desk


@pytest.fixture
def store(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the saved states of a test are; nothing is there yet."""
    path = repo.path.parent / 'state.db'
    monkeypatch.setenv('INTERLOCK_STORE', f'sqlite:///{path}')
    return path
