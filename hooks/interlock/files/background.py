"""Commands of ours that a hook starts and does not wait for."""

from __future__ import annotations

import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = (
    'import os, sys\n'
    'os.chdir(sys.argv.pop(1))\n'
    'sys.path[:0] = sys.argv.pop(1).split(os.pathsep)\n'
    'from interlock.commands.main import main\n'
    'main()\n'
)


def start(directory: str, *words: str) -> None:
    """Run `interlock WORDS` in a directory, in a process group of its own."""
    paths = os.pathsep.join((PACKAGE, *filter(None, sys.path)))
    nothing = [
        (os.POSIX_SPAWN_OPEN, number, os.devnull, flags, 0)
        for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY))
    ]
    os.posix_spawn(
        sys.executable,
        (sys.executable, '-c', PROGRAM, directory, paths, *words),
        os.environ,
        file_actions=nothing,
        setpgroup=0,
    )
