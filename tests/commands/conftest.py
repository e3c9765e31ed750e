from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Interlock, Templates
from tests.desk import Desk
from tests.spaces import SESSION, TASK, Space


@pytest.fixture
def empty_desk(
    templates: Templates,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Desk:
    """A main worktree and no task; the working directory is its top."""

    def make(place: Path) -> None:
        space: Space = request.getfixturevalue('space')
        space.main.commit({'changelog.md': '# Changes\n'})

    made = Desk(templates.place('empty_desk', make) / 'espace')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    monkeypatch.chdir(made.main.path)
    return made


@pytest.fixture
def desk(
    templates: Templates,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Desk:
    """A task that has begun, with one agent; we are in its worktree."""

    def make(place: Path) -> None:
        request.getfixturevalue('empty_desk')
        result = interlock('task', 'start', TASK, '--agent', 'architect')
        assert result.code == 0, result.err

    made = Desk(templates.place('desk', make) / 'espace')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    monkeypatch.chdir(made.code.path)
    return made


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the saved states of a test are; nothing is there yet."""
    path = tmp_path / 'state.db'
    monkeypatch.setenv('INTERLOCK_STORE', f'sqlite:///{path}')
    return path
