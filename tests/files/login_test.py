"""Who opened the terminal, by real programs that open one."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from interlock.files import login
from interlock.files.actor import require_person
from interlock.model.actor import Actor
from interlock.model.errors import Denied
from tests.fleet.git_servers import missing, serve
from tests.terminals import log_in, open_terminal

SOURCE = str(Path(login.__file__).parents[2])
# what it says is left in a file: it may have no other way to us
PROBE = f"""\
#!{sys.executable} -I
import os, sys
sys.path.insert(0, {SOURCE!r})
from interlock.files.login import doubt
with open(sys.argv[1] + '.part', 'w') as file:
    file.write(doubt() or 'a person')
os.rename(sys.argv[1] + '.part', sys.argv[1])
"""
# else what it started in its session ends with it
WAITING = 'until [ -e said ]; do sleep 0.1; done'
# the same by another name, which hides its file
RENAMED = f"""{sys.executable} -Ic 'import ctypes, pty, sys
ctypes.CDLL(None).prctl(15, sys.argv[1].encode())
ctypes.CDLL(None).prctl(4, 0)
pty.spawn(sys.argv[2:])'"""
# the words of a process are in its own memory: it can say that it runs any script
FORGED = f"""{sys.executable} -Ic 'import ctypes, pty, sys
fields = open("/proc/self/stat").read().rpartition(")")[2].split()
start, end = map(int, fields[45:47])
words = b"/usr/bin/python3\\0/usr/bin/terminator".ljust(end - start, b"\\0")
ctypes.memmove(start, words, end - start)
pty.spawn(sys.argv[1:])'"""
# a terminal that the first process of a session makes for itself
MAKES = f"""{sys.executable} -Ic 'import fcntl, os, pty, subprocess, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
[os.dup2(theirs, each) for each in range(3)]
subprocess.call(sys.argv[1:])'"""
# a terminal without any program that is known for it
SPAWN = f"{sys.executable} -Ic 'import pty, sys; pty.spawn(sys.argv[1:])'"
PERSON = 'a person'
ALONE = login.ALONE
USERS = 'in a user namespace a process can pose as any user'
NO_LOGIN = 'this process has no login session'
NO_TERMINAL = 'there is no terminal here'
LINUX = pytest.mark.skipif(not os.path.exists('/proc/self/stat'), reason='needs /proc')
pytestmark = LINUX


class Desk(NamedTuple):
    """Where commands are run, with names that are nobody else's."""

    path: Path
    probe: str
    environ: Mapping[str, str]

    def said(self) -> str:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if (self.path / 'said').exists():
                return (self.path / 'said').read_text()
            time.sleep(0.02)
        raise AssertionError('nothing was said')

    def run(self, command: str, opened: Callable[[], None]) -> None:
        """A command on a terminal that is kept open until it has spoken."""
        ours, theirs = pty.openpty()
        shell = subprocess.Popen(
            ('bash', '-c', f'{command}\n{WAITING}'),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=self.environ,
            cwd=self.path,
            preexec_fn=opened,
        )
        os.close(theirs)
        try:
            self.said()
        finally:
            os.close(ours)
            shell.wait(20)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    probe = tmp_path / 'probe'
    probe.write_text(PROBE)
    probe.chmod(0o755)
    (tmp_path / 'screens').mkdir(mode=0o700)
    environ = {
        'PATH': os.environ['PATH'],
        'HOME': str(tmp_path),
        'TERM': 'vt100',
        'TMUX_TMPDIR': str(tmp_path),
        'SCREENDIR': str(tmp_path / 'screens'),
    }
    yield Desk(tmp_path, f'{probe} {tmp_path}/said', environ)
    for command in ('tmux kill-server', 'screen -S x -X quit'):
        if shutil.which(command.split()[0]):
            subprocess.run(command.split(), env=environ, capture_output=True)


def needed(command: str) -> None:
    for program in ('tmux', 'screen', 'script', 'expect', 'setsid'):
        if program in command.split() and not shutil.which(program):
            pytest.skip(f'{program} is not installed')


ATTACHED = (
    'tmux list-clients 2>/dev/null | grep -q . '
    '|| screen -ls 2>/dev/null | grep -q Attached'
)
# {} is what asks who we are
PEOPLES = {
    'a window': '{}',
    'in an empty environment': 'env -i {}',
    'in a typescript': 'script -qc {q} typed',
    'in a program that is started again': f'{SPAWN} {{}}',
    'by expect': "expect -c 'spawn -noecho {}; expect eof'",
    'in an attached tmux': 'tmux -f /dev/null new {q}',
    'in a tmux that is attached to': 'tmux -f /dev/null new -d {wait}; tmux attach',
    'in an attached screen': 'screen -c /dev/null -S x {}',
    'in a screen that is attached to': (
        # its socket may not be there yet
        'screen -c /dev/null -dmS x sh -c {wait}; '
        'for turn in 1 2 3 4 5 6 7 8 9; do screen -r x && break; sleep 0.3; done'
    ),
    'in tmux in screen': 'screen -c /dev/null -S x tmux -f /dev/null new {q}',
}
ANYBODYS = {
    'without a terminal': ('{} < /dev/null', NO_TERMINAL),
    'a session of its own': ('setsid --wait {}', NO_LOGIN),
    'a typescript that was cut loose': (
        'setsid -f script -qc {q} typed < /dev/null > /dev/null 2>&1',
        ALONE,
    ),
    'and in an empty environment': (
        'env -i setsid -f script -qc {q} typed < /dev/null > /dev/null 2>&1',
        ALONE,
    ),
    'a background job': (
        '(nohup setsid script -qc {q} typed < /dev/null > /dev/null 2>&1 &)',
        ALONE,
    ),
    'in the same session': (
        '(script -qc {q} typed < /dev/null > /dev/null 2>&1 &)',
        ALONE,
    ),
    'a detached tmux': ('tmux -f /dev/null new -d {left}; touch left', ALONE),
    'a window of a detached tmux': (
        'tmux -f /dev/null new -d "sleep 9"; tmux neww -d {left}; touch left',
        ALONE,
    ),
    'a detached screen': ('screen -c /dev/null -dmS x {}', ALONE),
    'a program that was cut loose': (f'setsid -f {SPAWN} {{}} < /dev/null', ALONE),
    'expect that was cut loose': (
        "setsid -f expect -c 'spawn -noecho {}; expect eof' < /dev/null",
        ALONE,
    ),
    'a shell by the name of a terminal': (
        'ln -s "$(command -v bash)" xterm; '
        'setsid -f ./xterm -c "script -qc {q} typed; true" < /dev/null',
        ALONE,
    ),
    'a script by the name of a terminal': (
        'echo "#!/bin/sh" > kitty; echo "script -qc {q} typed; true" >> kitty; '
        'chmod +x kitty; '
        'setsid -f ./kitty < /dev/null',
        ALONE,
    ),
    'a program that takes the name of one': (
        f'setsid -f {RENAMED} xterm {{}} < /dev/null',
        ALONE,
    ),
    'a program that takes the name of a login': (
        f'setsid -f {RENAMED} sshd {{}} < /dev/null',
        ALONE,
    ),
    'a program that takes the name of a multiplexer': (
        f'setsid -f {RENAMED} "tmux: server" {{}} < /dev/null',
        ALONE,
    ),
    'a program that says it is a script of the system': (
        f'setsid -f {FORGED} {{}} < /dev/null',
        ALONE,
    ),
    'with a word of a server': (
        f'setsid -f {SPAWN} env -S "sh -c {{q}} /jupyter-lab" < /dev/null',
        ALONE,
    ),
    'a range of users of its own': (
        'setsid -f unshare -Ur script -qc {q} typed < /dev/null',
        USERS,
    ),
    'with a word of an editor': (
        'setsid -f bash -c "script -qc {q} typed; true" --type=ptyHost < /dev/null',
        ALONE,
    ),
    'below a client': ("exec -a codex bash -c '{}; true'", ALONE),
    'tmux below a client': ("exec -a codex bash -c 'tmux new {}; true'", ALONE),
    'a tmux that an agent started': (
        'CLAUDECODE=1 tmux -f /dev/null new -d "env -u CLAUDECODE "{wait}; tmux attach',
        ALONE,
    ),
    'a typescript with the mark of an agent': (
        'CODEX_CI=1 script -qc "env -i "{q} typed',
        ALONE,
    ),
}


def filled(command: str, desk: Desk) -> str:
    needed(command)
    # asks only when somebody has come, or when the one who opened it has left
    wait, left = (
        shlex.quote(f'sh -c "until {there}; do sleep 0.1; done; {desk.probe}"')
        for there in (ATTACHED, 'test -e left')
    )
    return command.format(desk.probe, q=shlex.quote(desk.probe), wait=wait, left=left)


@pytest.mark.parametrize('how', PEOPLES)
def test_a_person_opened_it(how: str, desk: Desk) -> None:
    desk.run(filled(PEOPLES[how], desk), log_in)
    assert desk.said() == PERSON


@pytest.mark.parametrize('how', ANYBODYS)
def test_anybody_may_have_opened_it(how: str, desk: Desk) -> None:
    command, why = ANYBODYS[how]
    desk.run(filled(command, desk), log_in)
    assert desk.said() == why


@pytest.mark.parametrize('how', PEOPLES)
def test_what_opened_the_terminal_is_not_known(how: str, desk: Desk) -> None:
    """The same without a window above it: by a program of whatever name."""
    desk.run(filled(PEOPLES[how], desk), open_terminal)
    assert desk.said() == ALONE


def test_a_refusal_says_where_a_person_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(login, 'doubt', lambda: ALONE)
    with pytest.raises(Denied) as refused:
        require_person(Actor('', '', 'host', 0, automated=False), 'do it', 'do it')
    for way in ('on a console', 'by ssh from another machine', 'for all users'):
        assert way in refused.value.hint


ROOT = pytest.mark.skipif(os.geteuid() != 0, reason='needs root')
INSIDE = 'unshare --pid --fork --mount-proc'
# it reads our files, wherever they are
NOBODY = 'setpriv --reuid=65534 --inh-caps=+dac_override --ambient-caps=+dac_override'


@ROOT
@pytest.mark.parametrize(
    ('command', 'expected'),
    [
        pytest.param(f'{NOBODY} {{}}', PERSON, id='a login as another'),
        pytest.param(
            f'{NOBODY} setsid {SPAWN} {{}} < /dev/null',
            ALONE,
            id='a job of another user',
        ),
        pytest.param(
            f'setsid --wait {NOBODY} {MAKES} {{}} < /dev/null',
            ALONE,
            id='a terminal that such a job makes',
        ),
        *(
            pytest.param(
                f'setsid -f {NOBODY} {RENAMED} {name} {{}} < /dev/null',
                ALONE,
                id=f'a job by the name of {name}',
            )
            for name in ('xterm', 'sshd', 'login', 'screen')
        ),
        pytest.param(f'{INSIDE} {SPAWN} {{}}', ALONE, id='a namespace of its own'),
        pytest.param(f'{INSIDE} {{}}', ALONE, id='and nothing else in it'),
    ],
)
def test_other_users(command: str, expected: str, desk: Desk) -> None:
    desk.run(filled(command, desk), open_terminal)
    assert desk.said() == expected


@ROOT
def test_a_container_that_was_entered(desk: Desk) -> None:
    """Its process has no parent there, and a session with a terminal."""
    ours, theirs = pty.openpty()
    code = (
        'import fcntl, os, sys, termios; os.setsid(); '
        'fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])'
    )
    words = [*INSIDE.split(), sys.executable, '-Ic', code, *desk.probe.split()]
    subprocess.run(
        words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(ours)
    os.close(theirs)
    assert desk.said() == PERSON


@ROOT
@pytest.mark.parametrize(
    ('beside', 'expected'),
    [
        pytest.param(':', PERSON, id='a person'),
        pytest.param('(exec -a codex sleep 9) &', ALONE, id='a client'),
    ],
)
def test_a_container_of_one_session(beside: str, expected: str, desk: Desk) -> None:
    """What was cut loose there is still in it."""
    loose = f'(env -i PATH="$PATH" script -qc {shlex.quote(desk.probe)} typed &)'
    code = f'{beside}\n{loose}\n{WAITING}'
    within = f'{INSIDE} --kill-child setsid -c bash -c {shlex.quote(code)}'
    desk.run(within, open_terminal)
    assert desk.said() == expected


@pytest.mark.skipif(
    not (shutil.which('xterm') and shutil.which('Xvfb')), reason='needs xterm and Xvfb'
)
@ROOT
def test_where_the_program_of_a_window_is(desk: Desk) -> None:
    copy = desk.path / 'xterm'
    shutil.copy('/usr/bin/xterm', copy)
    display = 'Xvfb -displayfd 3 3> shown 2> /dev/null & until [ -s shown ]; do :; done'
    start = f'env -i DISPLAY=":$(cat shown)" setsid -f {{}} -e {desk.probe}'
    for program, expected in (
        ('/usr/bin/xterm', PERSON),
        (copy, f'this user can replace {copy}, which opened this terminal'),
    ):
        command = f'{display}; {start.format(program)}; {WAITING}; kill $!'
        desk.run(command, open_terminal)
        assert desk.said() == expected
        (desk.path / 'said').unlink()
        (desk.path / 'shown').unlink()


@ROOT
def test_a_copy_by_the_name_of_a_terminal(desk: Desk) -> None:
    copy = desk.path / 'kitty'
    shutil.copy(f'{shutil.which("script")}', copy)
    command = f'setsid -f {copy} -qc {shlex.quote(desk.probe)} typed < /dev/null'
    desk.run(command, open_terminal)
    assert desk.said() == f'this user can replace {copy}, which opened this terminal'


TOLD = 'SSH_CONNECTION="192.0.2.1 9 192.0.2.2 22"'


@ROOT
@pytest.mark.skipif(bool(missing('ssh')), reason=missing('ssh'))
@pytest.mark.parametrize(
    ('before', 'within', 'expected'),
    [
        pytest.param(NOBODY, '', PERSON, id='from elsewhere'),
        pytest.param('', '', ALONE, id='by a process of the same user'),
        pytest.param('env -i setsid', '', ALONE, id='that hides itself'),
        pytest.param('', 'exec env -i', ALONE, id='that forgets whence it came'),
        pytest.param('', f'exec env -i {TOLD}', ALONE, id='that is told another'),
    ],
)
def test_a_login_over_ssh(before: str, within: str, expected: str, desk: Desk) -> None:
    (desk.path / 'served').mkdir()
    with serve('ssh', desk.path / 'served') as server:
        (command,) = server.env.values()
        inner = shlex.quote(f'{within} {desk.probe}')
        where = f'-tt -p {server.port} root@127.0.0.1 {inner}'
        desk.run(f'{before} {command} {where}', open_terminal)
    assert desk.said() == expected
