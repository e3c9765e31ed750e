"""A program of ours in a process of its own, without a start of Python.

Most of the time of a process goes into starting Python, importing modules and
compiling patterns. A server does that once, for all of Interlock: a fork of it has
all of that, and still its own directory, environment, streams and exit code. The
process of the tests is not forked itself: it holds thousands of tests, and a copy
of its pages takes longer than most hooks do.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

CRASHED = 99
# a test never waits for ever
SECONDS = 60
ROOT = Path(__file__).resolve().parents[1]
# what a request begins with: how long it is
HEAD = 8
# a status of `wait`
TAIL = 4
# the dependencies of Interlock, which it imports when it first needs them
DEPENDENCIES = ('click', 'frontmatter', 'jsonschema', 'tree_sitter_bash', 'yaml')


class Request(NamedTuple):
    program: str
    args: list[str]
    env: dict[str, str]


def hook(
    *args: str,
    data: bytes = b'',
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`interlock-agent`, as a client calls it."""
    return _run('interlock-agent', args, data, env, cwd)


def command(
    *args: str,
    data: str = '',
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """`interlock`, without a terminal."""
    done = piped(*args, data=data.encode(), env=env, cwd=cwd)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def piped(
    *args: str,
    data: bytes = b'',
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`interlock`, whose streams hold any bytes."""
    return _run('interlock', args, data, env, cwd)


def _run(
    program: str,
    args: tuple[str, ...],
    data: bytes,
    env: Mapping[str, str] | None,
    cwd: str | Path | None,
) -> subprocess.CompletedProcess[bytes]:
    request = Request(program, [program, *args], dict(env or os.environ))
    # open, since the directory may be deleted already
    directory = os.open(cwd or '.', os.O_RDONLY)
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(data)
        given.seek(0)
        # each thread has a server of its own meanwhile
        server = _idle.pop() if _idle else Server()
        files = (given.fileno(), out.fileno(), err.fileno(), directory)
        code = server.run(request, files)
        os.close(directory)
        _idle.append(server)
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(request.args, code, out.read(), err.read())


class Server:
    """A process that has imported all of Interlock, and forks for each request."""

    def __init__(self) -> None:
        from tests.conftest import KEPT

        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, '-m', 'tests.forked'),
                cwd=ROOT,
                # nothing of the test that happens to be the first
                env={**KEPT, 'TMPDIR': tempfile.gettempdir()},
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, request: Request, files: tuple[int, ...]) -> int:
        """Send the request, with its three streams and its directory."""
        data = pickle.dumps(tuple(request))
        socket.send_fds(self._channel, [len(data).to_bytes(HEAD, 'big')], files)
        self._channel.sendall(data)
        status = self._channel.recv(TAIL, socket.MSG_WAITALL)
        assert status, 'the server of forks ended'
        return os.waitstatus_to_exitcode(int.from_bytes(status, 'big'))

    def stop(self) -> None:
        self._channel.close()
        self._process.wait()


_idle: list[Server] = []


def parent() -> int:
    """The process that starts the next program, as a client would."""
    if not _idle:
        _idle.append(Server())
    return _idle[-1].pid


def stop() -> None:
    """End the servers."""
    while _idle:
        _idle.pop().stop()


def _warm_up() -> None:
    """Import every module and compile its patterns before any request comes."""
    import interlock
    from interlock.model import quick_re

    for name in DEPENDENCIES:
        import_module(name)
    for found in walk_packages(interlock.__path__, 'interlock.'):
        for value in list(vars(import_module(found.name)).values()):
            if type(value) is quick_re.compile:
                _ = value.flags
    tempfile.gettempdir()
    # a warning is an error, as in every test
    warnings.simplefilter('error')
    # the pages of what lives on stay shared
    gc.collect()
    gc.freeze()


def _serve(channel: socket.socket) -> None:
    while True:
        head, files, _, _ = socket.recv_fds(channel, HEAD, 4)
        if not head:
            return
        data = channel.recv(int.from_bytes(head, 'big'), socket.MSG_WAITALL)
        pid = os.fork()
        if not pid:
            _become(Request(*pickle.loads(data)), files)
        for file in files:
            os.close(file)
        channel.sendall(os.waitpid(pid, 0)[1].to_bytes(TAIL, 'big'))


def _become(request: Request, files: list[int]) -> None:
    """Run a program in this process, which ends with it."""
    from interlock.agents.respond import script
    from interlock.commands.main import main

    code = CRASHED
    try:
        # as in a hook; and a look at what was inherited would copy its memory
        gc.disable()
        signal.alarm(SECONDS)
        # the first of the streams takes the place of the channel
        *streams, directory = files
        for number, file in enumerate(streams):
            os.dup2(file, number)
            os.close(file)
        os.fchdir(directory)
        os.close(directory)
        sys.stdin = io.TextIOWrapper(open(0, 'rb', closefd=False))
        sys.stdout = io.TextIOWrapper(open(1, 'wb', closefd=False))
        sys.stderr = io.TextIOWrapper(open(2, 'wb', closefd=False))
        sys.argv = request.args
        os.environ.clear()
        os.environ.update(request.env)
        {'interlock': main, 'interlock-agent': script}[request.program]()
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else int(e.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == '__main__':
    _warm_up()
    try:
        with socket.socket(fileno=0) as channel:
            _serve(channel)
    except KeyboardInterrupt:
        pass
