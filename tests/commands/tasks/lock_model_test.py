"""Sessions and tasks at random, against a model in a few lines."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from interlock.commands.click_options import run
from interlock.commands.group import cli
from tests import spaces
from tests.profiles import some

SESSIONS = ('é', 'b $(x)')
TASKS = ('main', 'bake-bread', 'eat-bread', 'wash-up')
sessions = st.sampled_from(SESSIONS)
tasks = st.sampled_from(TASKS)
UNKNOWN = '?'


class Locks(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._stack = contextlib.ExitStack()
        self.top = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        (self.top / 'main' / '.git').mkdir(parents=True)
        (self.top / '.interlock.yaml').write_text(spaces.WORKFLOW)
        # the model: who holds what, and how many holders there were
        self.holders: dict[str, str] = {}
        self.generations: dict[str, int] = {}
        self.worktrees: set[str] = set()

    def teardown(self) -> None:
        self._stack.close()

    def call(self, session: str, *args: str) -> tuple[int, str]:
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.top / 'main')
            patch.setenv('INTERLOCK_SESSION', session)
            with (
                contextlib.redirect_stdout(said),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                code = run(cli, list(args))
        return code, said.getvalue()

    def file(self, task: str) -> Path:
        return self.top / 'tasks' / task / 'task.json'

    @rule(session=sessions, task=tasks)
    def acquire(self, session: str, task: str) -> None:
        option = ('--operation', 'git-operation') if task == 'main' else ()
        code, _ = self.call(session, 'lock', 'acquire', task, *option)
        if task not in self.holders and task in self.worktrees:
            # somebody may be at work there: only a person can say
            assert code == 1
            return
        elif task not in self.holders:
            self.holders[task] = session
            self.generations[task] = self.generations.get(task, 0) + 1
        assert code == int(self.holders[task] != session)

    @rule(session=sessions, task=tasks)
    def release(self, session: str, task: str) -> None:
        code, _ = self.call(session, 'lock', 'release', task)
        owns = self.holders.get(task) == session
        assert code == int(not owns)
        if owns:
            del self.holders[task]

    @rule(task=tasks)
    def remove(self, task: str) -> None:
        self.file(task).unlink(missing_ok=True)
        self.holders.pop(task, None)

    @rule(task=tasks, content=st.sampled_from((b'', b'{', b'[]', b'{}')))
    def tear(self, task: str, content: bytes) -> None:
        self.file(task).parent.mkdir(parents=True, exist_ok=True)
        self.file(task).write_bytes(content)
        self.holders[task] = UNKNOWN

    @rule(task=tasks)
    def make_worktree(self, task: str) -> None:
        if task != 'main':
            (self.file(task).parent / 'code').mkdir(parents=True, exist_ok=True)
            self.worktrees.add(task)

    @rule(session=sessions, task=tasks)
    def select(self, session: str, task: str) -> None:
        code, out = self.call(session, 'task', 'select', task, '--format', 'json')
        if task == 'main':
            assert code == 2
            return
        holder, there = self.holders.get(task), task in self.worktrees
        expected = {
            None: 'ask' if there else 'init',
            session: 'resume' if there else 'error',
            UNKNOWN: 'ask',
        }.get(holder, 'alternative')
        assert json.loads(out)['action'] == expected

    @rule(session=sessions)
    def listed(self, session: str) -> None:
        code, out = self.call(session, 'lock', 'list', '--format', 'json')
        assert code == 0
        found: list[Any] = json.loads(out)
        assert self.holders == {
            each['name']: each['session'] or UNKNOWN for each in found
        }
        assert {each['name'] for each in found if each['own']} == {
            task for task, who in self.holders.items() if who == session
        }

    @invariant()
    def the_files_say_what_the_model_says(self) -> None:
        for task in TASKS:
            holder = self.holders.get(task)
            assert self.file(task).exists() == (holder is not None)
            if holder not in (None, UNKNOWN):
                data = json.loads(self.file(task).read_text('UTF-8'))
                assert data['session_id'] == holder
                assert data['generation'] == self.generations[task]

    @invariant()
    def nothing_is_left_behind(self) -> None:
        for folder, _, files in os.walk(self.top / 'tasks'):
            assert set(files) <= {'task.json'}, folder


Locks.TestCase.settings = settings(
    max_examples=some(25), stateful_step_count=20, deadline=None
)
LocksTest = Locks.TestCase
