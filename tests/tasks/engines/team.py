"""A team: a bare remote, and clones of it that stand for machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.tasks import task_layout
from interlock.tasks.lock_store import LockStore
from tests import spaces
from tests.conftest import Interlock, Repo, Result
from tests.spaces import TASK, Space

WORKFLOW = f'{spaces.WORKFLOW}locks: {{engine: git-remote, timeout: 20}}\n'
REF = f'refs/interlock/locks/{TASK}'


class Machine:
    """A clone with its tasks, and the session that works there."""

    def __init__(
        self,
        space: Space,
        session: str,
        interlock: Interlock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.space = space
        self.session = session
        self._interlock = interlock
        self._monkeypatch = monkeypatch

    def enter(self) -> None:
        self._monkeypatch.chdir(self.space.main.path)
        self._monkeypatch.setenv('INTERLOCK_SESSION', self.session)

    def __call__(self, *args: str) -> Result:
        self.enter()
        return self.run(*args)

    def run(self, *args: str) -> Result:
        """A command where we are."""
        return self._interlock(*args)

    def done(self, *args: str) -> Result:
        result = self(*args)
        assert result.code == 0, result.err
        return result

    def as_person(self, *args: str) -> str:
        """A command on a terminal, that has to succeed."""
        self.enter()
        code, said = spaces.at_terminal(*args)
        assert code == 0, said
        return said

    @property
    def mirror(self) -> LockStore:
        self.enter()
        return LockStore(task_layout.find())

    def holds(self, task: str = TASK) -> bool:
        held = self.mirror.get(task)
        return held is not None and held.is_held_by(self.session)


class Team:
    def __init__(self, remote: Path, machines: list[Machine]) -> None:
        self.remote = Repo(remote)
        self.one, self.two = machines

    def stop(self) -> None:
        """The remote no longer answers."""
        self.remote.path.rename(self.remote.path.with_suffix('.stopped'))

    def start(self) -> None:
        self.remote.path.with_suffix('.stopped').rename(self.remote.path)

    def tip(self, ref: str = REF) -> str:
        return self.remote.git('rev-parse', '-q', '--verify', ref).strip()


def make_team(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> Team:
    """`space` is the clone of the first machine."""
    remote = space.path.parent / 'remote.git'
    space.main.git('clone', '-q', '--bare', '.', str(remote))
    space.main.git('remote', 'add', 'origin', str(remote))
    second = Space(space.path.parent / 'deux')
    second.tasks.mkdir(parents=True)
    space.main.git('clone', '-q', str(remote), str(second.main.path))
    for each in (space, second):
        (each.path / '.interlock.yaml').write_text(WORKFLOW)
    sessions = (spaces.SESSION, spaces.OTHER)
    return Team(
        remote,
        [
            Machine(each, session, interlock, monkeypatch)
            for each, session in zip((space, second), sessions, strict=True)
        ],
    )
