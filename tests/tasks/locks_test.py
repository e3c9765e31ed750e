from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.documents.tasks.lock import Keys
from interlock.model.errors import Refusal
from interlock.operations.tasks.locks import Holder
from interlock.tasks import task_layout, task_notes
from interlock.tasks.engines import lock_file
from interlock.tasks.lock_store import LockStore, event, locks_of
from interlock.transactions.journal import Journal
from tests import spaces
from tests.spaces import TASK, Space

KEYS = Keys({'session': 'session_id', 'generation': 'generation'}, {})
ROUNDS = 6
RACERS = 32

# waits for a line on its standard input, so that all start at once
RACER = """\
import sys
from interlock.commands.group import cli
from interlock.report.terminal import guarded
from interlock.commands.click_options import run
import interlock.commands.tasks.lock
import interlock.tasks.lock_context
print('ready', flush=True)
for line in sys.stdin:
    code = run(cli, line.split())
    print(code, flush=True)
"""


@pytest.fixture
def locks(space: Space) -> Iterator[LockStore]:
    found = task_layout.find()
    with Journal(found.state).locked(1):
        yield locks_of(found)


def take(locks: LockStore, name: str, data: bytes) -> int:
    session = json.loads(data)['session_id']
    holder = Holder(session, '', 1, '', 'host', '')
    return locks.changes(name).create(holder, lambda _: data, 0, {})


def events(space: Space) -> list[str]:
    lines = (space.register / 'log.jsonl').read_text('UTF-8').splitlines()
    return [json.loads(line)['event'] for line in lines]


def logged(space: Space) -> set[tuple[str, int]]:
    lines = (space.register / 'log.jsonl').read_text('UTF-8').splitlines()
    found = (json.loads(line) for line in lines)
    return {(line['event'], line.get('generation', 0)) for line in found}


class Racer:
    def __init__(self, session: str) -> None:
        self.session = session
        self.process = subprocess.Popen(
            (sys.executable, '-c', RACER),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=spaces.environment(session),
        )
        assert self.process.stdin and self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def wait(self) -> None:
        assert self.stdout.readline() == 'ready\n'

    def go(self, words: str) -> None:
        self.stdin.write(f'{words}\n')
        self.stdin.flush()

    def code(self) -> int:
        return int(self.stdout.readline())

    def close(self) -> None:
        self.stdin.close()
        self.stdout.close()
        self.process.wait()


def watch(file: Path, stop: threading.Event, torn: list[bytes]) -> None:
    """Reads a lock all the time: it is whole whenever it is there."""
    while not stop.is_set():
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        try:
            json.loads(data)
        except ValueError:
            torn.append(data)


@pytest.mark.slow
def test_of_many_processes_exactly_one_gets_a_lock(space: Space) -> None:
    racers = [Racer(f'é-{number}') for number in range(RACERS)]
    stop, torn = threading.Event(), list[bytes]()
    watcher = threading.Thread(target=watch, args=(space.file('task.json'), stop, torn))
    try:
        for racer in racers:
            racer.wait()
        watcher.start()
        for generation in range(1, ROUNDS + 1):
            for racer in racers:
                racer.go(f'lock acquire {TASK} --wait 60')
            codes = {racer.session: racer.code() for racer in racers}
            winners = [who for who, code in codes.items() if code == 0]
            assert len(winners) == 1
            assert set(codes.values()) == {0, 1}
            held = space.read()
            assert held['session_id'] == winners[0]
            assert held['generation'] == generation
            (winner,) = [r for r in racers if r.session == winners[0]]
            winner.go(f'lock release {TASK} --wait 60')
            assert winner.code() == 0
            assert not space.file('task.json').exists()
    finally:
        stop.set()
        if watcher.ident is not None:
            watcher.join()
        for racer in racers:
            racer.close()
    assert torn == []
    assert os.listdir(space.tasks / TASK) == []


KILLED = """\
import os, signal, sys
from interlock.files import atomic_files
from interlock.tasks import lock_changes
from interlock.transactions import journal
import interlock.commands.tasks.lock
from interlock.commands.group import cli
from interlock.commands.click_options import run
left = int(sys.argv[1])
def counting(real):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call
for name in ('open', 'link', 'unlink', 'replace', 'fsync', 'makedirs',
             'chmod', 'write', 'close'):
    setattr(os, name, counting(getattr(os, name)))
raise SystemExit(run(cli, sys.argv[2:]))
"""


def killed(step: int, *args: str) -> int:
    """Runs a command that is killed before its nth call of the system."""
    return subprocess.run(
        (sys.executable, '-c', KILLED, str(step), *args),
        env=spaces.environment(spaces.SESSION),
        capture_output=True,
    ).returncode


@pytest.mark.slow
@pytest.mark.parametrize('command', ('acquire', 'release'))
def test_a_killed_process_leaves_a_whole_lock_or_none(
    space: Space, command: str
) -> None:
    # the workflow is compiled, the directories are there
    assert spaces.run('lock', 'acquire', TASK, session='x').returncode == 0
    assert spaces.run('lock', 'release', TASK, session='x').returncode == 0
    generation = 1
    for step in range(1, 200):
        if command == 'release':
            done = spaces.run('lock', 'acquire', TASK, session=spaces.SESSION)
            assert done.returncode == 0, done.stderr
        code = killed(step, 'lock', command, TASK)
        if space.file('task.json').exists():
            held = space.read()
            assert held['session_id'] == spaces.SESSION
            assert held['generation'] > generation or command == 'release'
            generation = held['generation']
            # it was logged before it took effect
            assert ('acquired', generation) in logged(space)
            space.file('task.json').unlink()
        if code == 0:
            break
        assert code == -signal.SIGKILL
    else:
        pytest.fail('it was killed at every step')
    # and the next process finds nothing in the way
    assert spaces.run('lock', 'acquire', TASK, session='x').returncode == 0
    assert space.read()['generation'] > generation


@pytest.mark.parametrize('number', sorted(lock_file.NO_LINKS))
def test_without_links_a_lock_is_created_exclusively(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def no_links(*args: str) -> None:
        raise OSError(number, 'no links here')

    monkeypatch.setattr(os, 'link', no_links)
    path = str(tmp_path / 'é' / 'lock')
    assert lock_file.create(path, b'{"session_id": "a"}')
    assert not lock_file.create(path, b'{"session_id": "b"}')
    found = lock_file.look(path, KEYS)
    assert found is not None
    assert found.holder == 'a'
    assert os.listdir(tmp_path / 'é') == ['lock']


def test_a_full_disk_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: str) -> None:
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(os, 'link', full)
    with pytest.raises(Refusal, match='No space left'):
        lock_file.create(str(tmp_path / 'lock'), b'{}')
    assert os.listdir(tmp_path) == []


def test_a_place_that_is_not_a_directory_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    with pytest.raises(Refusal, match='cannot create'):
        lock_file.create(str(tmp_path / 'file' / 'lock'), b'{}')


def test_a_young_lock_may_still_be_being_written(tmp_path: Path) -> None:
    path = tmp_path / 'lock'
    path.write_text('{"session')
    found = lock_file.look(str(path), KEYS)
    assert found is not None
    assert found.lock.problem is not None
    assert 'being written' in found.lock.problem.message
    os.utime(path, (0, 0))
    found = lock_file.look(str(path), KEYS)
    assert found is not None
    assert found.lock.problem is not None
    assert 'being written' not in found.lock.problem.message
    assert found.holder == ''


def test_a_lock_that_changed_is_not_removed(space: Space, locks: LockStore) -> None:
    assert take(locks, TASK, b'{"session_id": "a"}')
    found = locks.get(TASK)
    assert found is not None
    space.file('task.json').write_text('{"session_id": "b"}')
    with pytest.raises(Refusal, match='changed while it was read'):
        locks.changes(TASK).remove(found, event('released', TASK))
    assert space.file('task.json').exists()
    assert events(space) == ['acquired']


def test_a_lock_that_changed_is_not_replaced(space: Space, locks: LockStore) -> None:
    assert take(locks, TASK, b'{"session_id": "a"}')
    found = locks.get(TASK)
    assert found is not None
    space.file('task.json').write_text('{"session_id": "b"}')
    with pytest.raises(Refusal, match='changed while it was read'):
        locks.changes(TASK).replace(found, b'{"session_id": "c"}')
    assert space.read() == {'session_id': 'b'}


def test_other_files_change_with_a_lock_or_not_at_all(
    space: Space, locks: LockStore
) -> None:
    assert take(locks, TASK, b'{"session_id": "a"}')
    found = locks.get(TASK)
    assert found is not None
    other = space.file('é.json')
    with pytest.raises(Refusal, match='changed while it was read'):
        locks.changes(TASK).replace(found, b'{}', None, {str(other): (b'old', b'new')})
    assert space.read() == {'session_id': 'a'}
    locks.changes(TASK).replace(found, b'{}', None, {str(other): (None, b'new')})
    assert (space.read(), other.read_bytes()) == ({}, b'new')


def test_a_lock_that_is_taken_is_not_created(space: Space, locks: LockStore) -> None:
    assert take(locks, TASK, b'{"session_id": "a"}')
    assert not take(locks, TASK, b'{"session_id": "b"}')
    assert space.read() == {'session_id': 'a'}
    assert events(space) == ['acquired']


def test_what_cannot_be_logged_is_not_done(space: Space, locks: LockStore) -> None:
    space.register.parent.mkdir(exist_ok=True)
    space.register.write_text('')
    with pytest.raises(Refusal, match='cannot be written'):
        take(locks, TASK, b'{"session_id": "a"}')
    assert locks.get(TASK) is None


def test_the_locks_of_a_session_are_found_among_others(
    space: Space, locks: LockStore
) -> None:
    for name, session in (('bake-bread', 'a'), ('wash-up', 'ab'), ('main', 'a')):
        data = json.dumps({'session_id': session}).encode()
        assert take(locks, name, data)
    assert [name for name, _ in locks.list(session='a')] == ['main', 'bake-bread']
    assert [name for name, _ in locks.list()] == ['main', 'bake-bread', 'wash-up']
    assert locks.of_session('', ['wash-up'])[1] == ['main', 'wash-up']


def test_an_empty_session_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / 'lock'
    path.write_text('{"session_id": ""}')
    found = lock_file.look(str(path), KEYS)
    assert found is not None
    assert not found.is_held_by('')


def test_what_is_noted_is_read_again(space: Space, locks: LockStore) -> None:
    found = task_layout.find()
    assert task_notes.read_note(found, TASK, task_notes.TODO) == ''
    task_notes.write_note(found, TASK, task_notes.TODO, 'é')
    assert task_notes.read_note(found, TASK, task_notes.TODO) == 'é'
    assert locks.last_contents(TASK) is None


def test_where_nothing_can_be_kept_nothing_is_locked(
    space: Space, locks: LockStore
) -> None:
    space.register.parent.mkdir(exist_ok=True)
    space.register.write_text('')
    with pytest.raises(Refusal, match='cannot be written'):
        locks.changes(TASK).renumber(0)
    with pytest.raises(Refusal, match='cannot be written'):
        locks.log(event('x', TASK))
