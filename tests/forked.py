"""A program of ours in a process of its own, without a start of Python.

Most of the time of a process goes into starting Python, importing modules and
compiling patterns. This module does that once, for all of Interlock: a fork has
all of it, and still its own directory, environment, streams and exit code.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import BinaryIO

import interlock
from interlock.agents.respond import script
from interlock.commands.main import main
from interlock.model import quick_re

CRASHED = 99
# a test never waits for ever
SECONDS = 60


def _warm_up() -> None:
    """Import every module and compile its patterns before any test starts."""
    for found in walk_packages(interlock.__path__, 'interlock.'):
        for value in list(vars(import_module(found.name)).values()):
            if type(value) is quick_re.compile:
                _ = value.flags


_warm_up()


def hook(
    *args: str,
    data: bytes = b'',
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`interlock-agent`, as a client calls it."""
    return _run(script, ['interlock-agent', *args], data, env, cwd)


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
    return _run(main, ['interlock', *args], data, env, cwd)


def _run(
    program: Callable[[], None],
    args: list[str],
    data: bytes,
    env: Mapping[str, str] | None,
    cwd: str | Path | None,
) -> subprocess.CompletedProcess[bytes]:
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(data)
        given.seek(0)
        with warnings.catch_warnings():
            # Python warns of threads; those of pytest-xdist only wait
            warnings.simplefilter('ignore', DeprecationWarning)
            pid = os.fork()
        if not pid:
            _become(program, args, (given, out, err), dict(env or os.environ), cwd)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(args, code, out.read(), err.read())


def _become(
    program: Callable[[], None],
    args: list[str],
    files: tuple[BinaryIO, BinaryIO, BinaryIO],
    env: dict[str, str],
    cwd: str | Path | None,
) -> None:
    """Run a program in this process, which ends with it."""
    code = CRASHED
    try:
        # as in a hook; and a look at what was inherited would copy its memory
        gc.disable()
        signal.alarm(SECONDS)
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        sys.stdin = io.TextIOWrapper(open(0, 'rb', closefd=False))
        sys.stdout = io.TextIOWrapper(open(1, 'wb', closefd=False))
        sys.stderr = io.TextIOWrapper(open(2, 'wb', closefd=False))
        sys.argv = args
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd or '.')
        program()
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else int(e.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
