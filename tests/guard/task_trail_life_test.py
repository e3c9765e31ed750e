"""The life of a task in which nobody writes the trail but the hooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests import spaces
from tests.conftest import SCRIPTS, Repo
from tests.desk import FORWARD, PARTS, PLAN, Desk
from tests.guard.agents import end_agent, start_agent
from tests.guard.asking import SESSION, Reply, ask
from tests.spaces import TASK, TODO, Space, at_terminal

pytestmark = pytest.mark.real

REMOTE = 'remote.git'


class Life:
    """A session: what it runs, what it writes, whom it starts."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def run(self, *args: str, where: Path | None = None) -> str:
        done = spaces.run(*args, session=SESSION, cwd=where or self.desk.code.path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def used(self, tool: str, given: Any, response: Any) -> Reply:
        return ask(
            'PostToolUse',
            self.desk.code.path,
            tool_name=tool,
            tool_input=given,
            tool_response=response,
            tool_use_id='t',
        )

    def write(self, name: str, text: str, task: str = TASK) -> None:
        path = self.desk.write(name, text, task)
        given = {'file_path': str(path), 'content': text}
        assert self.used('Write', given, {'type': 'create'}).is_silent

    def agent(self, name: str, last: str = 'done', **status: Any) -> None:
        code = self.desk.code.path
        assert start_agent(name, code).is_silent
        self.desk.status(name, **status)
        self.desk.report(name)
        reply = end_agent(name, code, last, name=f'{name}-{last}')
        assert reply.is_silent, reply.reason

    def commit(self, repo: Repo, files: Any, message: str) -> str:
        repo.stage(files)
        done = repo.try_git('commit', '-q', '-m', message)
        assert done.returncode == 0, done.stderr
        return repo.git('rev-parse', 'HEAD')

    def approve(self) -> None:
        # the user's own word, on a terminal of theirs
        session = os.environ.pop('INTERLOCK_SESSION')
        code, said = at_terminal('approve', TASK)
        os.environ['INTERLOCK_SESSION'] = session
        assert code == 0, said


@pytest.fixture
def life(space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    """A repository with its workflow, our hooks and a remote."""
    desk = Desk(space.path)
    (desk.path / '.interlock.yaml').rename(desk.main.path / '.interlock.yaml')
    desk.main.commit({})
    (tmp_path / REMOTE).mkdir()
    Repo(tmp_path / REMOTE).git('init', '-q', '--bare')
    desk.main.git('remote', 'add', 'origin', str(tmp_path / REMOTE))
    desk.main.git('push', '-q', 'origin', 'main')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    made = Life(desk)
    made.run('init', '--git-hooks', where=desk.main.path)
    return made


def test_a_trail_is_complete_without_anybody_adding_to_it(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = life.desk
    life.run('task', 'start', TASK, where=desk.main.path)
    monkeypatch.chdir(desk.code.path)
    life.run(
        'transition',
        TASK,
        'CLASSIFIED',
        '--risk',
        'HIGH',
        '--why',
        'new API',
        '--change',
        'code',
    )
    life.run('agents', 'add', TASK, 'architect', '--why', 'it is a design')
    life.write('task.md', PLAN)
    life.run('transition', TASK, 'REQUIREMENTS')
    life.agent('architect')
    life.run('transition', TASK, 'SYNTHESIS')
    life.write('task.md', PLAN + PARTS)
    life.run('present', TASK)
    life.approve()
    life.run('transition', TASK, 'IMPLEMENTATION')

    # the agent works in its own worktree
    agent = Repo(desk.file('agents/architect/code'))
    assert start_agent('architect', desk.code.path).is_silent
    made = life.commit(agent, {'src/X.java': 'class X {}\n'}, '[agent:architect] Add X')
    desk.status('architect', work_remaining='none')
    assert end_agent('architect', desk.code.path, name='b').is_silent
    desk.code.git('merge', '-q', '--ff-only', f'{TASK}-architect')
    last = life.commit(
        desk.code,
        {
            'todo.md': TODO.replace('- [ ] **READY:** `bake-bread` - très bon\n', ''),
            'changelog.md': '# Changes\n\n- X\n',
            'src/X.java': 'final class X {}\n',
        },
        'Done',
    )
    life.run('transition', TASK, 'VALIDATION')
    given = {'command': 'make test'}
    output = {'stdout': '3 passed in 0.10s', 'interrupted': False}
    assert life.used('Bash', given, output).is_silent
    life.run('transition', TASK, 'REVIEW')
    line = 'FINAL DECISION: ✅ APPROVED - très bien'
    life.agent('architect', line, decision='APPROVED')
    life.run('checkpoint', TASK, '--push')
    life.run('transition', TASK, 'AWAITING_USER_APPROVAL')
    said = start_agent('architect', desk.code.path)
    assert said.reason.endswith("IMPLEMENTATION --reason 'WHY'")
    life.run('present', TASK)
    life.approve()
    life.run('transition', TASK, 'COMPLETE')
    main = desk.main.path
    life.run('lock', 'acquire', 'main', '--operation', 'git-operation')
    merged = desk.main.try_git('merge', '-q', '--no-ff', '-m', 'X', TASK)
    assert merged.returncode == 0, merged.stderr
    life.run('lock', 'release', 'main', where=main)
    assert life.run('trail', 'check', TASK).startswith('holds ')
    life.run('transition', TASK, 'CLEANUP')
    assert life.run('trail', 'check', TASK).startswith('holds ')

    trail = desk.trail
    assert [each['to_state'] for each in trail['state_transitions']] == [
        'INIT',
        *FORWARD,
    ]
    agents = trail['agent_invocations']
    assert [each['agent_mode'] for each in agents] == [
        'REQUIREMENTS',
        'IMPLEMENTATION',
        'REVIEW',
    ]
    assert {each['status'] for each in agents} == {'completed'}
    assert agents[-1]['decision'] == 'APPROVED'
    commits = [(each['sha'], each.get('agent')) for each in trail['commits']]
    assert commits == [(made, 'architect'), (last, None)]
    (build,) = trail['build_verifications']
    assert (build['result'], build['tests_run']) == ('SUCCESS', 3)
    assert len(trail['tool_usage']) == 2
    assert ask('Stop', main, stop_hook_active=False).is_silent
