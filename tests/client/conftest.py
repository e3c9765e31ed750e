from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.agents import adapter_of
from interlock.agents.wiring import wiring_of
from interlock.documents.wiring.client_entries import machine_form
from interlock.guard.event import TIMEOUTS
from tests.client import recorder as program
from tests.client.kits import KITS
from tests.client.runner import SCRIPTS, Client
from tests.conftest import Repo
from tests.spaces import Space

HERE = Path(__file__).parent
PYTHON = SCRIPTS / 'python'


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs the client, which `make e2e` installs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.client)


@pytest.fixture(scope='session', autouse=True)
def installed() -> None:
    for file in (PYTHON, *(kit.program for kit in KITS.values())):
        assert file.exists(), f'{file} is missing; next: make e2e'


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits that a test makes find the wheel, as the client's do."""
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')


def install(repo: Repo, preset: str, *options: str) -> None:
    """Hooks of git and of the client, by what the wheel has installed."""
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'init', '--preset', preset, *options),
        cwd=repo.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    repo.commit({}, 'chore: installer')


@pytest.fixture
def options() -> tuple[str, ...]:
    """Of `interlock init`; a module may ask for others."""
    return '--git-hooks', '--claude'


@pytest.fixture
def plugins(project: Repo, options: tuple[str, ...]) -> Repo:
    """Three plugins, guarded at every tool and every commit."""
    install(project, 'plugin-workflow', *options)
    return project


@pytest.fixture
def tasks(space: Space, options: tuple[str, ...]) -> Space:
    """A main worktree with tasks beside it, guarded likewise."""
    # the workflow is kept in the repository, not above it
    (space.path / '.interlock.yaml').unlink()
    install(space.main, 'task-protocol', *options)
    return space


@pytest.fixture
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    """In the repository of this test; one is made if it has none."""
    name = 'project' if 'project' in request.fixturenames else 'repo'
    repo: Repo = request.getfixturevalue(name)
    return Client(repo.path, tmp_path / 'client')


def define(repo: Repo, *agents: str) -> None:
    """Types of agents that the client may be asked for."""
    repo.commit(
        {
            f'.claude/agents/{name}.md': f'---\nname: {name}\ndescription: one part\n---\nDo it.\n'
            for name in agents
        }
    )


@pytest.fixture
def task_client(tasks: Space, tmp_path: Path) -> Client:
    """In the main worktree."""
    return Client(tasks.main.path, tmp_path / 'client')


class Recorder:
    """A hook for every event, and what it was told and asked."""

    def __init__(self, top: Path) -> None:
        top.mkdir()
        self.top = top
        self.launcher = top / 'recorder.py'
        shutil.copyfile(program.__file__, self.launcher)
        self.answers({})

    @property
    def settings(self) -> str:
        """With entries as ours are, and this in the place of our launcher."""
        entries = machine_form(
            wiring_of(adapter_of('claude')), str(PYTHON), str(self.launcher), TIMEOUTS
        )
        return json.dumps({'hooks': entries})

    def answers(self, answers: dict[str, dict[str, Any]]) -> None:
        """Event, and tool if it has one -> what it says."""
        (self.top / 'answers.json').write_text(json.dumps(answers))

    def calls(self, event: str) -> list[dict[str, Any]]:
        lines = (self.top / 'calls.jsonl').read_text('UTF-8').splitlines()
        rows = [json.loads(line) for line in lines]
        return [row for row in rows if row['argument'] == event]

    def events(self, event: str) -> list[dict[str, Any]]:
        return [row['event'] for row in self.calls(event)]


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / 'recorder')
