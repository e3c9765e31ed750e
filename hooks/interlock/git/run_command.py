"""Runs a command with a time limit: of the user, of a client, or git together
with everything its hooks start."""

from __future__ import annotations

import os
import signal
import subprocess

from interlock.git.parse import text
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence

# the exit code that `timeout` uses for a killed command
ENDED = 124
# the exit code that shells use for a missing command
ABSENT = 127


class Result(NamedTuple):
    code: int
    out: str
    err: str = ''
    # it was killed because it took too long
    is_late: bool = False


def run_to_end(
    command: str | Sequence[str],
    directory: str | None,
    seconds: float,
    environ: Mapping[str, str] | None = None,
    data: bytes | None = None,
    together: bool = False,
) -> Result:
    """Run a program, or a text in a shell, with `data` on its standard input.

    If it takes too long, its whole process group is killed: other members
    would keep the output open. With `together`, errors are part of the output.
    """
    process = subprocess.Popen(
        command,
        # a string is a command that the user was shown and asked to run
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
    """Run a program with `data` on its standard input; failures are results too."""
    try:
        found = run_to_end(words, directory, seconds, environ, data)
    except (OSError, ValueError) as e:
        return Result(ABSENT, '', f'{words[0]} cannot be started: {e}')
    if found.is_late:
        return Result(ENDED, '', f'it gave no answer within {seconds:g} seconds')
    return found
