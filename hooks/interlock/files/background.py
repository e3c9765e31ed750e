"""Starts commands of ours for which a hook does not wait."""

from __future__ import annotations

import os
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """\
import os, sys
os.chdir(sys.argv.pop(1))
sys.path.insert(0, sys.argv.pop(1))
from interlock.commands.main import main
main()
"""

# processes started by a long-lived process such as a server
_running: list[int] = []


def _reap() -> None:
    """Reap the processes that ended; the system keeps them until then."""
    for pid in _running[:]:
        try:
            ended = os.waitpid(pid, os.WNOHANG)[0]
        except ChildProcessError:
            ended = pid
        if ended:
            _running.remove(pid)


def start(directory: str, *words: str) -> None:
    """Run `interlock WORDS` in a directory, in a process group of its own.

    If that fails, a later hook tries again.
    """
    if not hasattr(os, 'posix_spawn'):
        return
    _reap()
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        pid = os.posix_spawn(
            sys.executable,
            (sys.executable, '-c', PROGRAM, directory, SOURCE, *words),
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, silence, fd) for fd in (0, 1, 2)],
            setpgroup=0,
        )
        os.close(silence)
        _running.append(pid)
    except OSError:
        return
