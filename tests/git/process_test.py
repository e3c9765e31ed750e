"""A process of git that is asked and read without `subprocess`."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.git.process import DEVNULL, PIPE, Process

LARGE = 1_000_000


def program(folder: Path, script: str) -> dict[str, str]:
    """An environment in which this is git."""
    folder.mkdir(exist_ok=True)
    git = folder / 'git'
    git.write_text(f'#!{sys.executable} -S\nimport os, sys\n{script}\n')
    git.chmod(0o755)
    return {**os.environ, 'PATH': str(folder)}


def test_what_git_prints(tmp_path: Path) -> None:
    subprocess.run(('git', 'init', '-q', tmp_path), check=True)
    process = Process(('rev-parse', '--show-toplevel'), os.environ, str(tmp_path))
    assert process.output() == (f'{tmp_path.resolve()}\n'.encode(), b'')
    assert process.returncode == 0


def test_what_git_says_when_it_fails() -> None:
    process = Process(('no-such-command',), os.environ, None)
    out, err = process.output()
    assert out == b''
    assert b'no-such-command' in err
    assert process.returncode == 1


@pytest.mark.parametrize(
    'script',
    [
        pytest.param('data = sys.stdin.buffer.read()', id='read first'),
        pytest.param(
            'data = b"".join(iter(lambda: (sys.stdout.flush(), os.read(0, 999))[1], b""))',
            id='read in pieces',
        ),
    ],
)
def test_more_than_pipes_hold_in_both_directions(tmp_path: Path, script: str) -> None:
    environ = program(
        tmp_path / 'bin',
        f'{script}\nos.write(2, b"e" * 10)\n'
        f'sys.stderr.write("e" * {LARGE})\nsys.stdout.write("o" * len(data))',
    )
    process = Process((), environ, None, stdin=PIPE)
    out, err = process.output(b'x' * LARGE)
    assert (len(out), len(err)) == (LARGE, LARGE + 10)


def test_who_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    environ = program(tmp_path / 'bin', 'os.close(0); print("done")')
    process = Process((), environ, None, stdin=PIPE)
    assert process.output(b'x' * LARGE) == (b'done\n', b'')


def test_questions_and_answers(tmp_path: Path) -> None:
    environ = program(
        tmp_path / 'bin', 'for line in sys.stdin: print(line * 2, end="", flush=True)'
    )
    process = Process((), environ, None, stdin=PIPE, stderr=DEVNULL)
    assert process.stdin is not None
    for line in (b'a\n', b'b\n'):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.read(4) == line * 2
    process.stdin.close()
    assert process.stdout.read() == b''
    process.stdout.close()
    assert process.wait() == 0


def test_a_signal_is_an_exit_code(tmp_path: Path) -> None:
    environ = program(tmp_path / 'bin', 'os.kill(os.getpid(), 15)')
    process = Process((), environ, None)
    process.output()
    assert process.returncode == -15


@pytest.mark.skipif(not os.path.exists('/proc/self/status'), reason='no /proc')
def test_a_child_may_die_of_a_closed_pipe(tmp_path: Path) -> None:
    """Python ignores the signal, and its children would inherit that."""
    environ = program(tmp_path / 'bin', '')
    git = tmp_path / 'bin/git'
    git.write_text('#!/bin/sh\nexec /bin/grep SigIgn /proc/self/status\n')
    said = Process((), environ, None).output()[0]
    ignored = int(said.split()[1], 16)
    assert not ignored & 1 << signal.SIGPIPE - 1


@pytest.mark.parametrize(
    ('path', 'directory', 'number', 'named'),
    [
        pytest.param('', None, errno.ENOENT, 'git', id='no PATH'),
        pytest.param('/nowhere', None, errno.ENOENT, 'git', id='not there'),
        pytest.param('{tmp}/file', None, errno.ENOENT, 'git', id='no folder'),
        pytest.param('{tmp}/plain', None, errno.EACCES, 'git', id='not executable'),
        pytest.param('{tmp}/text', None, errno.ENOEXEC, 'git', id='no program'),
        pytest.param(None, '/nowhere', errno.ENOENT, '/nowhere', id='no directory'),
        pytest.param(None, '/dev/null', errno.ENOTDIR, '/dev/null', id='a file'),
    ],
)
def test_what_cannot_be_started(
    tmp_path: Path, path: str | None, directory: str | None, number: int, named: str
) -> None:
    (tmp_path / 'file').write_text('')
    for name, mode in (('plain', 0o644), ('text', 0o755)):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'git').write_text('hello\n')
        (tmp_path / name / 'git').chmod(mode)
    environ = dict(os.environ)
    if path is not None:
        environ['PATH'] = path.replace('{tmp}', str(tmp_path))
    before = len(os.listdir('/dev/fd'))
    with pytest.raises(OSError, match=os.strerror(number)) as error:
        Process(('status',), environ, directory)
    assert (error.value.errno, error.value.filename) == (number, named)
    assert len(os.listdir('/dev/fd')) == before


def test_what_leads_a_session_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    """A member that lives on would keep the output open."""
    environ = program(
        tmp_path / 'bin',
        'print(os.getsid(0), flush=True)\n'
        'member = os.fork()\n'
        'if member: open(sys.argv[1], "w").write(f"{os.getsid(0)} {member}")\n'
        'import time; time.sleep(60)',
    )
    file = tmp_path / 'members'
    process = Process((str(file),), environ, None, leads=True)
    start = time.monotonic()
    assert process.output(seconds=0.5) == (b'', b'')
    assert (process.is_late, process.returncode) == (True, -signal.SIGKILL)
    assert time.monotonic() - start < 30
    leader, member = map(int, file.read_text().split())
    assert leader == process.pid != os.getsid(0)
    while _runs(member):
        assert time.monotonic() - start < 30


def _runs(pid: int) -> bool:
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except FileNotFoundError:
        return False
    return state != 'Z'


def test_who_answers_in_time_is_not_late(tmp_path: Path) -> None:
    environ = program(tmp_path / 'bin', 'print("done")')
    process = Process((), environ, None, leads=True)
    assert process.output(seconds=60) == (b'done\n', b'')
    assert (process.is_late, process.returncode) == (False, 0)


def test_the_first_that_can_be_run_is(tmp_path: Path) -> None:
    (tmp_path / 'a').mkdir()
    (tmp_path / 'a' / 'git').write_text('')
    environ = program(tmp_path / 'b', 'print("b")')
    environ['PATH'] = f'/nowhere:{tmp_path}/a:{tmp_path}/b'
    assert Process((), environ, None).output()[0] == b'b\n'


CLOSED = """
import os, sys
for number in (0, 1, 2):
    os.close(number)
sys.path.insert(0, {source!r})
from interlock.git.process import PIPE, Process
process = Process(('hash-object', '--stdin'), os.environ, None, stdin=PIPE)
out, err = process.output(b'')
with open({file!r}, 'wb') as f:
    f.write(out + err)
"""


def test_a_hook_may_have_no_input_or_output(tmp_path: Path) -> None:
    import interlock

    file = tmp_path / 'said'
    source = str(Path(interlock.__file__).parents[1])
    code = CLOSED.format(source=source, file=str(file))
    subprocess.run((sys.executable, '-c', code), check=True, cwd=tmp_path)
    assert file.read_text() == 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n'
