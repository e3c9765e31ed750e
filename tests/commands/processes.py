"""Processes that run a command of ours and may be killed in it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence

from interlock.commands.click_options import run
from interlock.commands.group import cli

CRASHED = 99


def start(*args: str) -> int:
    """The command line in a process of its own group, silent."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        code = run(cli, list(args))
    except BaseException:
        os._exit(CRASHED)
    os._exit(code)


def code_of(pid: int) -> int:
    """The exit code of a process, or minus its signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def codes_of(pids: Sequence[int]) -> list[int]:
    return sorted(map(code_of, pids))


def duration(*args: str) -> float:
    """How long a command takes that nobody kills."""
    begin = time.monotonic()
    assert code_of(start(*args)) == 0
    return time.monotonic() - begin


def killed(delay: float, group: bool, *args: str) -> int:
    """The same after a SIGKILL, unless it was done before."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    try:
        pid = start(*args)
        signal.sigtimedwait({signal.SIGCHLD}, delay)
        if group:
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                # it has no group of its own yet
                os.kill(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
        return code_of(pid)
    finally:
        while signal.sigtimedwait({signal.SIGCHLD}, 0):
            pass
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
