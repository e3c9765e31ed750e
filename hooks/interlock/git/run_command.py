"""Runs a command that must not run for ever: of the user, of a client, or of git
with all that its hooks start."""

from __future__ import annotations

import os
import signal
import subprocess

from interlock.git.parse import text
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence

# as a shell says it of a command that was ended
ENDED = 124
# and of one that could not be started
ABSENT = 127


class Result(NamedTuple):
    code: int
    out: str
    err: str = ''
    # it was ended because it took too long
    is_late: bool = False


def finished(
    command: str | Sequence[str],
    directory: str | None,
    seconds: float,
    environ: Mapping[str, str] | None = None,
    data: bytes | None = None,
    together: bool = False,
) -> Result:
    """Run a program, or a text in a shell, with `data` on its standard input.

    If it takes longer, its whole group is ended: members would hold the output
    open. With `together` errors are part of the output.
    """
    process = subprocess.Popen(
        command,
        # the user asked for it, and was shown it before
        shell=isinstance(command, str),
        cwd=directory,
        env=environ,
        start_new_session=True,
        stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
    )
    is_late = False
    try:
        out, err = process.communicate(data, timeout=seconds)
    except BaseException as e:
        with suppress(OSError):
            if hasattr(os, 'killpg'):
                os.killpg(process.pid, signal.SIGKILL)
            else:  # pragma: no cover (Windows)
                process.kill()
        out, err = process.communicate()
        if not isinstance(e, subprocess.TimeoutExpired):
            raise
        is_late = True
    code = ENDED if is_late else process.returncode
    return Result(code, text(out), text(err or b''), is_late)


def feed(
    words: Sequence[str],
    data: bytes,
    directory: str,
    environ: Mapping[str, str],
    seconds: float,
) -> Result:
    """A program with `data` on its standard input, whatever becomes of it."""
    try:
        found = finished(words, directory, seconds, environ, data)
    except (OSError, ValueError) as e:
        return Result(ABSENT, '', f'{words[0]} cannot be started: {e}')
    if found.is_late:
        return Result(ENDED, '', f'it gave no answer within {seconds:g} seconds')
    return found
