"""A long push is judged by several processes, and its verdict is the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.engine.push import PushJudge
from interlock.engine.push_parts import Judged
from interlock.git import fork_worker
from tests import samples, spaces
from tests.conftest import Interlock, Repo
from tests.e2e.corpus import mutant

COMMITS = 40


def _divided(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr(fork_worker, '_cores', lambda: processes)
    monkeypatch.setattr(fork_worker, 'LEAST', 1)


def _taken(monkeypatch: pytest.MonkeyPatch) -> list[Judged]:
    """What other processes have found: what fails there is judged here."""
    taken: list[Judged] = []
    take = PushJudge._take

    def taking(judge: PushJudge, found: Judged) -> None:
        taken.append(found)
        take(judge, found)

    monkeypatch.setattr(PushJudge, '_take', taking)
    return taken


@pytest.fixture
def history(repo: Repo) -> str:
    """A range of changes that nobody would make, one after the other."""
    start = mutant(0)
    base = repo.commit(
        {
            **start.files,
            '.interlock.yaml': samples.WORKFLOW,
            **samples.item_files('Bravo'),
            samples.handoff_path('Bravo'): samples.handoff('Bravo'),
        }
    )
    for number in range(COMMITS):
        files, message = mutant(number)
        there = {
            path: text
            for path, text in files.items()
            if text is not None or (repo.path / path).exists()
        }
        repo.commit(there, message)
        if number % 10 == 9:
            repo.git('switch', '-q', '-c', f'seite-{number}', 'HEAD~3')
            repo.commit({f'{number}.md': 'é\n'})
            repo.git('switch', '-q', 'main')
            repo.git('merge', '-q', '--no-verify', '-m', 'Merge', '-')
    return f'{base}..HEAD'


def test_as_many_processes_say_the_same(
    history: str, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = interlock.check('--range', history, '--inherited')
    assert len(alone.codes) > COMMITS
    taken = _taken(monkeypatch)
    for processes in (2, 3, 4):
        with monkeypatch.context() as patch:
            _divided(patch, processes)
            found = interlock.check('--range', history, '--inherited')
        assert (found.code, found.out) == (alone.code, alone.out)
        assert len(taken) == processes - 1
        taken.clear()


def _killed(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _failing(*_: object) -> None:
    raise MemoryError


@pytest.mark.parametrize('end', (_killed, _failing))
def test_what_another_process_cannot_judge_is_judged_here(
    history: str, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, end: object
) -> None:
    alone = interlock.check('--range', history)
    _divided(monkeypatch, 3)
    monkeypatch.setattr(PushJudge, '_some_aside', end)
    found = interlock.check('--range', history)
    assert (found.code, found.out) == (alone.code, alone.out)


def test_what_hinders_another_process_is_said(
    history: str, repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    oid = repo.git('rev-parse', 'HEAD~1:PLUGINS.md')
    file = repo.path / '.git/objects' / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.unlink()
    alone = interlock.check('--range', history)
    assert alone.code == 2
    _divided(monkeypatch, 4)
    found = interlock.check('--range', history)
    assert (found.code, found.err) == (alone.code, alone.err)


TASKS = """\
version: 1
extends: task-protocol
severity: {LCK008: error}
"""
NAMED = f'Interlock-Task: {spaces.TASK}\nInterlock-Lock: {spaces.TASK}@3'


def _message(number: int) -> str:
    """Of a task whose last commits do not name it any more."""
    if number < 4:
        return f'feat: {number}\n\n{NAMED}'
    elif number == 4:
        # only the last paragraph counts
        task, lock = NAMED.split('\n')
        return f'feat: cité\n\nReverts what said\n{task}\n\n{lock}'
    return f'feat: {number}'


def test_a_task_that_is_named_before_a_share_is_known_in_it(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repo.commit({'.interlock.yaml': TASKS, 'todo.md': spaces.TODO})
    for number in range(10):
        repo.commit({'bread.md': f'{number}\n'}, _message(number))
    alone = interlock.check('--range', f'{base}..HEAD')
    assert alone.codes.count('LCK008') >= 5
    taken = _taken(monkeypatch)
    _divided(monkeypatch, 2)
    found = interlock.check('--range', f'{base}..HEAD')
    assert len(taken) == 1
    assert (found.code, found.out) == (alone.code, alone.out)


def test_nobody_goes_on_when_whoever_asked_is_gone(
    history: str, repo: Repo, tmp_path: Path
) -> None:
    """Killed while the other one is in its first commit."""
    program = """
import os, sys, time
from interlock.engine.push_parts import Judged
from interlock.engine.push import PushJudge
from interlock.engine.judgements import judge_range
from interlock.git import fork_worker
fork_worker._cores, fork_worker.LEAST = (lambda: 2), 1
file, parent, one = sys.argv[2], os.getpid(), PushJudge.commit
def slow(judge, commit):
    with open(f'{file}.{os.getpid() == parent}', 'a') as f:
        f.write(f'{os.getpid()}\\n')
    time.sleep(0.3)
    return one(judge, commit)
PushJudge.commit = slow
judge_range(sys.argv[1], ())
"""
    file = tmp_path / 'pids'
    process = subprocess.Popen(
        (sys.executable, '-c', program, history, str(file)), cwd=repo.path
    )
    other = tmp_path / 'pids.False'
    while not other.exists() or not other.read_text().endswith('\n'):
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    pid = int(other.read_text().split()[0])
    _wait_for_the_end(pid)
    assert len(other.read_text().split()) < COMMITS // 4


def _wait_for_the_end(pid: int) -> None:
    for _ in range(500):
        try:
            os.kill(pid, 0)
            state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2]
        except (ProcessLookupError, FileNotFoundError):
            return
        if state.split()[0] == 'Z':
            # nobody collects it here
            return
        time.sleep(0.02)
    raise AssertionError(f'{pid} goes on')


def test_what_no_workflow_governs_is_counted_in_every_share(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repo.commit({'README.md': 'avant\n'})
    for number in range(9):
        repo.commit({'README.md': f'{number}\n'})
    repo.commit({'.interlock.yaml': samples.WORKFLOW})
    alone = interlock.check('--range', f'{base}..HEAD')
    assert '10 commits not judged' in alone.err
    taken = _taken(monkeypatch)
    _divided(monkeypatch, 3)
    found = interlock.check('--range', f'{base}..HEAD')
    assert len(taken) == 2
    assert (found.code, found.err) == (alone.code, alone.err)
