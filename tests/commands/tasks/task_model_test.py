"""Any commands of two sessions on many tasks, against a simple model."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from interlock.commands.click_options import run
from interlock.commands.group import cli
from tests.conftest import Repo
from tests.profiles import some
from tests.tasks.conditions.views import LENIENT

KIND = LENIENT.kinds[0]
TASKS = ('one', 'two-2', 'three')
SESSIONS = ('séance 1', 'other; x')
STATES = [*KIND.states, 'BANANA']
# the steps of the preset, with nothing to do for them but to hold the lock
LINES = [
    {
        'from': list(line.origins),
        'to': list(line.targets),
        'kind': line.kind,
        **({'reason': line.reason} if line.reason else {}),
        'gate': ['lock-owned'],
    }
    for line in KIND.transitions
    if line.kind != 'skip'
]
NEEDS_REASON = {
    (origin, target): bool(line.reason)
    for line in KIND.transitions
    if line.kind != 'skip'
    for origin in line.origins
    for target in line.targets
}


class Steps(RuleBasedStateMachine):
    """`self.model`: task -> who holds it, and every state it came to."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, tuple[str, list[str]]] = {}
        self.folder = tempfile.TemporaryDirectory()
        self.top = Path(self.folder.name)
        self.before = os.getcwd()

    @initialize()
    def make(self) -> None:
        main = Repo(self.top / 'main')
        main.path.mkdir()
        (self.top / 'tasks').mkdir()
        main.git('init', '-q')
        main.commit({'README.md': 'é\n'})
        (self.top / '.interlock.yaml').write_text(
            json.dumps(
                {
                    'version': 1,
                    'extends': 'task-protocol',
                    'items': {'task': {'transitions': LINES}},
                }
            )
        )
        os.chdir(main.path)

    def teardown(self) -> None:
        os.chdir(self.before)
        os.environ.pop('INTERLOCK_SESSION', None)
        self.folder.cleanup()

    def run(self, session: str, *args: str) -> int:
        os.environ['INTERLOCK_SESSION'] = session
        return run(cli, list(args))

    @rule(session=st.sampled_from(SESSIONS), task=st.sampled_from(TASKS))
    def acquire(self, session: str, task: str) -> None:
        code = self.run(session, 'lock', 'acquire', task)
        holder = self.model.get(task, (session, []))[0]
        assert code == (0 if holder == session else 1)
        self.model.setdefault(task, (session, ['INIT']))

    @rule(session=st.sampled_from(SESSIONS), task=st.sampled_from(TASKS))
    def release(self, session: str, task: str) -> None:
        code = self.run(session, 'lock', 'release', task)
        held = task in self.model and self.model[task][0] == session
        assert code == (0 if held else 1)
        if held:
            del self.model[task]

    @rule(
        session=st.sampled_from(SESSIONS),
        task=st.sampled_from(TASKS),
        state=st.sampled_from(STATES),
        reason=st.sampled_from(['', 'é']),
    )
    def step(self, session: str, task: str, state: str, reason: str) -> None:
        code = self.run(session, 'transition', task, state, '--reason', reason)
        holder, way = self.model.get(task, ('', ['']))
        legal = (
            holder == session
            and (way[-1], state) in NEEDS_REASON
            and bool(reason or not NEEDS_REASON[way[-1], state])
        )
        assert code == (0 if legal else 1)
        if legal:
            way.append(state)

    @rule(session=st.sampled_from(SESSIONS), task=st.sampled_from(TASKS))
    def go_forward(self, session: str, task: str) -> None:
        """Else a way through all states would hardly ever be found."""
        _, way = self.model.get(task, ('', ['']))
        for line in KIND.transitions:
            if line.kind == 'forward' and way[-1] in line.origins:
                self.step(session, task, line.targets[0], '')
                return

    @rule(task=st.sampled_from(TASKS))
    def look(self, task: str) -> None:
        code = self.run(SESSIONS[0], 'task', 'resume', task)
        assert code == (0 if task in self.model else 1)

    @invariant()
    def the_files_say_what_the_model_says(self) -> None:
        for task in TASKS:
            path = self.top / 'tasks' / task / 'task.json'
            if task not in self.model:
                assert not path.exists()
                continue
            holder, way = self.model[task]
            data = json.loads(path.read_text(encoding='UTF-8'))
            assert data['session_id'] == holder
            assert data['state'] == way[-1]
            log = [step['to'] for step in data['transition_log']]
            assert log == way


@pytest.mark.slow
def test_whatever_two_sessions_do(capsys: pytest.CaptureFixture[str]) -> None:
    run_state_machine_as_test(
        Steps,
        settings=settings(
            max_examples=some(25),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
