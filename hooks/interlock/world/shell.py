"""Runs a command that a user wrote, in a shell, as he would."""
from __future__ import annotations

import os
import signal
import subprocess
from typing import NamedTuple

from interlock.world.git import text

# as a shell says it of a command that was ended
ENDED = 124


class Result(NamedTuple):
    code: int
    output: str


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it started, which would hold its output open."""
    if hasattr(os, 'killpg'):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def run(command: str, directory: str, seconds: float) -> Result:
    # the user asked for it, and was shown it before
    process = subprocess.Popen(  # noqa: S602
        command, shell=True, cwd=directory, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        output, _ = process.communicate()
        return Result(ENDED, text(output))
    except BaseException:
        _end(process)
        raise
    return Result(process.returncode, text(output))
