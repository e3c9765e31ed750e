from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from interlock.files import atomic_files
from interlock.model.errors import Busy, Refusal
from interlock.transactions import journal as journals
from interlock.transactions.journal import Journal

OLD = {'a.md': b'ancien\n', 'sous/c.md': b'weg\r\n'}
NEW = {'a.md': 'größer\n'.encode(), 'sous/b.md': b'neu'}
KILLED = 77

State = Mapping[str, bytes]


class Place:
    """Files that change together, and the journal of their project."""

    def __init__(self, path: Path) -> None:
        self.top = path / 'données'
        self.git = path / 'git'
        (self.top / 'sous').mkdir(parents=True)
        self.git.mkdir()
        self.journal = Journal(str(self.git))
        self.put(OLD)

    def put(self, state: State) -> None:
        for name in ('a.md', 'sous/b.md', 'sous/c.md'):
            (self.top / name).unlink(missing_ok=True)
        for name, data in state.items():
            (self.top / name).write_bytes(data)

    def state(self) -> dict[str, bytes]:
        """Every file, so that a temporary is seen too."""
        return {
            str(file.relative_to(self.top)): file.read_bytes()
            for file in sorted(self.top.rglob('*'))
            if file.is_file()
        }

    def left(self) -> list[str]:
        return sorted(os.listdir(self.journal.directory))

    def change(self, old: State = OLD, new: State = NEW) -> None:
        with self.journal.locked(0):
            self.journal.write(
                {
                    str(self.top / name): (old.get(name), new.get(name))
                    for name in sorted({*old, *new})
                }
            )

    def recover(self) -> None:
        with self.journal.locked(0):
            pass


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def in_child(run: Callable[[], object]) -> int:
    """The exit code of a process that runs this, or minus its signal."""
    pid = os.fork()
    if pid == 0:
        try:
            run()
        except BaseException:
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def dying(
    target: Any, name: str, number: int, end: Callable[[], object], after: bool
) -> Callable[[], None]:
    """Makes the process end at a call of a function; gives the undoing."""
    real = getattr(target, name)
    calls = 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number and not after:
            end()
        result = real(*args, **kwargs)
        if calls == number:
            end()
        return result

    setattr(target, name, call)
    return lambda: setattr(target, name, real)


def die() -> NoReturn:
    os._exit(KILLED)


def test_all_files_change_together(place: Place) -> None:
    place.change()
    assert place.state() == NEW
    assert place.left() == ['lock']


def test_nothing_is_written_where_nothing_changes(place: Place) -> None:
    before = (place.top / 'a.md').stat()
    place.change(OLD, OLD)
    after = (place.top / 'a.md').stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_modes_are_kept(place: Place) -> None:
    (place.top / 'a.md').chmod(0o640)
    place.change()
    assert (place.top / 'a.md').stat().st_mode & 0o777 == 0o640


def test_a_new_file_may_need_a_new_folder(place: Place) -> None:
    place.change(OLD, {**OLD, 'neu/tief/d.md': b'x'})
    assert place.state() == {**OLD, 'neu/tief/d.md': b'x'}


def test_a_file_in_the_way_of_a_folder_is_named(place: Place) -> None:
    with pytest.raises(Refusal, match=r'a\.md/d\.md cannot be written'):
        place.change(OLD, {**OLD, 'a.md/d.md': b'x'})
    assert place.state() == OLD


def test_the_file_behind_a_link_is_changed(place: Place) -> None:
    real = place.git / 'echt.md'
    real.write_bytes(OLD['a.md'])
    (place.top / 'a.md').unlink()
    (place.top / 'a.md').symlink_to(real)
    place.change()
    assert (place.top / 'a.md').is_symlink()
    assert real.read_bytes() == NEW['a.md']


def test_a_link_is_removed_and_not_what_is_behind_it(place: Place) -> None:
    real = place.git / 'echt.md'
    real.write_bytes(OLD['sous/c.md'])
    (place.top / 'sous/c.md').unlink()
    (place.top / 'sous/c.md').symlink_to(real)
    place.change()
    assert place.state() == NEW
    assert real.read_bytes() == OLD['sous/c.md']


@pytest.mark.parametrize(
    'after',
    (
        pytest.param(False, id='before the call'),
        pytest.param(True, id='behind the call'),
    ),
)
@pytest.mark.parametrize(
    ('target', 'name', 'least'),
    (
        pytest.param(os, 'replace', 3, id='rename'),
        pytest.param(os, 'fsync', 6, id='fsync'),
        pytest.param(os, 'unlink', 2, id='unlink'),
        pytest.param(os, 'open', 5, id='open'),
        pytest.param(os, 'chmod', 3, id='chmod'),
        pytest.param(atomic_files, 'write_new', 3, id='a whole write'),
        pytest.param(atomic_files, 'rename', 3, id='a whole rename'),
        pytest.param(atomic_files, 'remove', 1, id='a whole removal'),
    ),
)
def test_killed_at_any_call_it_is_all_or_nothing(
    place: Place, target: Any, name: str, least: int, after: bool
) -> None:
    seen = []
    for number in range(1, 100):
        place.put(OLD)

        def killed(number: int = number) -> None:
            dying(target, name, number, die, after)
            place.change()

        if in_child(killed) != KILLED:
            assert number > least
            break
        place.recover()
        assert place.state() in (OLD, NEW)
        assert place.left() == ['lock']
        seen.append(place.state() == NEW)
    # once it is finished, it stays finished
    assert seen == sorted(seen)
    assert place.state() == NEW


@pytest.mark.parametrize('number', (1, 2, 3))
def test_killed_in_the_middle_of_a_write_nothing_changes(
    place: Place, number: int
) -> None:
    calls = 0

    def torn(path: str, data: bytes, like: str = '') -> None:
        nonlocal calls
        calls += 1
        if calls == number:
            Path(path).write_bytes(data[: len(data) // 2])
            die()
        real(path, data, like)

    def killed() -> None:
        atomic_files.write_new = torn
        place.change()

    real = atomic_files.write_new
    assert in_child(killed) == KILLED
    place.recover()
    assert place.state() == OLD
    assert place.left() == ['lock']


def interrupted() -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    'after',
    (
        pytest.param(False, id='before the call'),
        pytest.param(True, id='behind the call'),
    ),
)
@pytest.mark.parametrize('name', ('replace', 'fsync', 'open', 'unlink'))
def test_interrupted_at_any_call_it_is_all_or_nothing(
    place: Place, name: str, after: bool
) -> None:
    for number in range(1, 100):
        place.put(OLD)
        undo = dying(os, name, number, interrupted, after)
        try:
            place.change()
        except KeyboardInterrupt:
            ended = False
        else:
            ended = True
        finally:
            undo()
        place.recover()
        assert place.state() in (OLD, NEW)
        assert place.left() == ['lock']
        if ended:
            assert number > 2
            break


def test_killed_while_it_recovers_the_next_one_recovers(place: Place) -> None:
    def killed() -> None:
        dying(os, 'replace', 2, die, after=False)
        place.change()

    def killed_again(number: int) -> Callable[[], None]:
        def run() -> None:
            dying(os, 'fsync', number, die, after=False)
            place.recover()

        return run

    assert in_child(killed) == KILLED
    assert in_child(killed_again(1)) == KILLED
    assert in_child(killed_again(1)) == KILLED
    place.recover()
    assert place.state() == NEW
    assert place.left() == ['lock']


def generation(number: int) -> dict[str, bytes]:
    data = f'génération {number}\n'.encode() * 200
    names = ('a.md', 'sous/b.md', *(('sous/c.md',) if number % 2 else ()))
    return dict.fromkeys(names, data)


def test_killed_by_a_signal_it_is_all_or_nothing(place: Place) -> None:
    last = 0
    place.put(generation(0))
    for run in range(40):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            for number in range(last, last + 1000):
                place.change(generation(number), generation(number + 1))
                os.write(write, b'.')
            os._exit(0)
        os.close(write)
        with open(read, 'rb', buffering=0) as progress:
            for _ in range(run % 3):
                progress.read(1)
            # how far the next change gets differs from run to run
            for _ in range(run * 400):
                pass
            os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        place.recover()
        state = place.state()
        number = int(state['a.md'].split()[1])
        assert state == generation(number)
        assert number >= last + run % 3
        assert place.left() == ['lock']
        last = number


def unfinished(place: Place, number: int) -> None:
    """A change that was killed before one of its renames."""

    def killed() -> None:
        dying(os, 'replace', number, die, after=False)
        place.change()

    assert in_child(killed) == KILLED


def test_what_was_edited_after_a_kill_is_not_overwritten(place: Place) -> None:
    unfinished(place, 2)
    edited = {**OLD, 'a.md': b'von Hand\n'}
    (place.top / 'a.md').write_bytes(edited['a.md'])
    place.recover()
    assert place.state() == edited
    assert place.left() == ['lock']


def test_what_was_edited_behind_the_first_rename_is_named(place: Place) -> None:
    unfinished(place, 3)
    (place.top / 'sous/c.md').write_bytes(b'von Hand\n')
    with pytest.raises(Refusal) as e:
        place.recover()
    assert e.value.message == (
        f'a command was killed, and {place.top}/sous/c.md changed since: left as it is'
    )
    assert place.state() == {**NEW, 'sous/c.md': b'von Hand\n'}
    assert place.left() == ['lock']
    place.recover()


@pytest.mark.parametrize(
    'content',
    (
        pytest.param(b'', id='empty'),
        pytest.param(b'{"steps": [{"path', id='cut off'),
        pytest.param(b'[]', id='no mapping'),
        pytest.param(b'{"steps": [{}]}', id='no steps'),
        pytest.param(b'\xff', id='no text'),
    ),
)
def test_a_damaged_journal_is_not_passed_in_silence(
    place: Place, content: bytes
) -> None:
    place.recover()
    entry = Path(place.journal.directory, '1-1.json')
    entry.write_bytes(content)
    with pytest.raises(Refusal) as e:
        place.recover()
    assert f'{entry} is damaged' in e.value.message
    assert e.value.hint == f'interlock check --worktree; rm {entry}'
    assert place.state() == OLD


def test_what_was_only_begun_is_forgotten_even_if_damaged(place: Place) -> None:
    place.recover()
    Path(place.journal.directory, '1-1.preparing').write_bytes(b'{"st')
    place.recover()
    assert place.left() == ['lock']


def test_a_journal_of_another_time_is_finished(place: Place) -> None:
    unfinished(place, 2)
    (entry,) = (name for name in place.left() if name.endswith('.json'))
    steps = json.loads(Path(place.journal.directory, entry).read_text())['steps']
    assert [Path(step['path']).name for step in steps] == ['a.md', 'b.md', 'c.md']
    Journal(str(place.git)).recover()
    assert place.state() == NEW


@pytest.mark.parametrize(
    ('spoil', 'sentence'),
    (
        pytest.param(
            lambda top: (top / 'a.md').chmod(0o444),
            '/a.md is read-only',
            id='read-only',
        ),
        pytest.param(
            lambda top: (top / 'sous/c.md').chmod(0o444),
            '/sous/c.md is read-only',
            id='the removed one read-only',
        ),
        pytest.param(
            lambda top: (top / 'a.md').write_bytes(b'autre\n'),
            '/a.md changed while it was read',
            id='changed',
        ),
        pytest.param(
            lambda top: (top / 'a.md').unlink(),
            '/a.md changed while it was read',
            id='gone',
        ),
        pytest.param(
            lambda top: (top / 'sous/c.md').write_bytes(b'autre\n'),
            '/sous/c.md changed while it was read',
            id='the last changed',
        ),
        pytest.param(
            lambda top: (top / 'sous/b.md').write_bytes(b'schon da\n'),
            '/sous/b.md changed while it was read',
            id='the new one exists',
        ),
    ),
)
def test_what_cannot_be_done_leaves_every_file_as_it_is(
    place: Place, spoil: Callable[[Path], object], sentence: str
) -> None:
    spoil(place.top)
    before = place.state()
    with pytest.raises(Refusal) as e:
        place.change()
    assert sentence in e.value.message
    assert place.state() == before
    assert place.left() == ['lock']


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write anywhere')
def test_a_file_in_a_read_only_folder_is_not_removed(
    place: Place,
) -> None:  # pragma: no cover (depends on the user)
    (place.top / 'sous').chmod(0o555)
    with pytest.raises(Refusal) as e:
        place.change({'sous/c.md': OLD['sous/c.md']}, {})
    (place.top / 'sous').chmod(0o755)
    assert e.value.message == f'{place.top}/sous is read-only'
    assert place.state() == OLD


@pytest.mark.parametrize('limit', (0, 10, 600))
def test_a_full_disk_leaves_every_file_as_it_is(place: Place, limit: int) -> None:
    import resource

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            place.change(OLD, {**NEW, 'a.md': b'x' * 1000})
        except Refusal as e:
            assert 'cannot be written: File too large' in e.message
            os._exit(KILLED)

    place.recover()
    assert in_child(limited) == KILLED
    assert place.state() == OLD
    assert place.left() == ['lock']


def test_who_finds_it_locked_waits(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    holder = Journal(str(place.git)).locked(0)
    holder.__enter__()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            holder.__exit__(None, None, None)

    monkeypatch.setattr(time, 'sleep', pause)
    with place.journal.locked(60):
        place.journal.write({str(place.top / 'a.md'): (OLD['a.md'], NEW['a.md'])})
    assert pauses == [journals.PAUSE] * 3
    assert place.state()['a.md'] == NEW['a.md']


@pytest.mark.parametrize('wait', (0.0, -1.0, float('nan')))
def test_who_does_not_wait_is_refused(place: Place, wait: float) -> None:
    with (
        Journal(str(place.git)).locked(0),
        pytest.raises(Busy) as e,
        place.journal.locked(wait),
    ):
        raise AssertionError('two have the lock')
    assert e.value.message == 'another command is changing state here'


def test_a_process_that_dies_gives_the_lock_back(place: Place) -> None:
    def killed() -> None:
        with place.journal.locked(0):
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(killed) == -signal.SIGKILL
    place.change()
    assert place.state() == NEW


def test_without_a_place_for_the_journal_nothing_is_written(place: Place) -> None:
    (place.git / 'interlock').write_text('im Weg')
    with pytest.raises(Refusal) as e:
        place.change()
    assert 'cannot be opened' in e.value.message
    assert place.state() == OLD


def test_without_a_place_for_the_journal_one_can_still_read(place: Place) -> None:
    (place.git / 'interlock').write_text('im Weg')
    with place.journal.locked(0, reads=True):
        assert atomic_files.read(str(place.top / 'a.md')) == OLD['a.md']
