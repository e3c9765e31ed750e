"""A project with tasks: a main worktree, and tasks beside it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests import forked
from tests.conftest import SCRIPTS, Repo
from tests.terminals import log_in

SESSION = 'séance-1 $(x)'
OTHER = 'other; rm -rf "y"'
TASK = 'bake-bread'
TODO = """\
# Todo

- [ ] **READY:** `bake-bread` - très bon
- [ ] **READY:** `eat-bread` - later
  - Dependencies: bake-bread
- [ ] **BLOCKED:** `mill-flour` - no grain
- [ ] **READY:** `wash-up` - water
"""
WORKFLOW = 'version: 1\nextends: task-protocol\n'


def entry(origin: str | None, target: str, minute: int) -> dict[str, Any]:
    return {'from': origin, 'to': target, 'timestamp': f'2026-01-02T03:{minute:02}:00Z'}


def log(*states: str) -> list[dict[str, Any]]:
    """The entries of a log that goes through some states."""
    return [
        entry(origin, target, minute)
        for minute, (origin, target) in enumerate(
            zip((None, *states), states, strict=False)
        )
    ]


def lock(*states: str, **fields: Any) -> dict[str, Any]:
    """A lock as it is after some states."""
    states = states or ('INIT',)
    data = {
        'session_id': SESSION,
        'task_name': TASK,
        'state': states[-1],
        'created_at': '2026-01-02T03:00:00Z',
        'required_agents': [],
        'transition_log': log(*states),
        'generation': 1,
        **fields,
    }
    return {key: value for key, value in data.items() if value is not ...}


class Space:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.main = Repo(path / 'main')
        self.tasks = path / 'tasks'

    def file(self, name: str, task: str = TASK) -> Path:
        return self.tasks / task / name

    def write(self, name: str, content: str, task: str = TASK) -> Path:
        file = self.file(name, task)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding='UTF-8')
        return file

    def put(self, data: Any, task: str = TASK) -> Path:
        """A lock, written by another route than ours."""
        return self.write('task.json', json.dumps(data, indent=2), task)

    def read(self, task: str = TASK) -> Any:
        return json.loads(self.file('task.json', task).read_text('UTF-8'))

    def worktree(self, task: str = TASK) -> Repo:
        """The worktree of a task, made by hand."""
        code = self.file('code', task)
        self.main.git('worktree', 'add', '-q', '-b', task, str(code))
        return Repo(code)

    @property
    def register(self) -> Path:
        return self.main.path / '.git' / 'interlock' / 'locks'


def environment(session: str = '') -> Mapping[str, str]:
    """Of a person, or of a session."""
    bare = {k: v for k, v in os.environ.items() if k != 'INTERLOCK_SESSION'}
    return {**bare, 'INTERLOCK_SESSION': session} if session else bare


def run(
    *args: str, session: str = '', cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, without a terminal."""
    return forked.command(*args, cwd=cwd, env=environment(session))


def at_terminal(*args: str, session: str = '') -> tuple[int, str]:
    """The command line on a terminal: its exit code, and what it says."""
    master, slave = pty.openpty()
    try:
        process = subprocess.run(
            (str(SCRIPTS / 'interlock'), *args),
            # wide, so that no sentence is wrapped
            env={**environment(session), 'NO_COLOR': '1', 'COLUMNS': '200'},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=log_in,
        )
        os.close(slave)
        said = b''
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
    finally:
        os.close(master)
    return process.returncode, said.decode().replace('\r\n', '\n')
