"""Runs a command that a user wrote in a shell, and a command of the client with
its input."""

from __future__ import annotations

import subprocess

from interlock.git.batch import finish
from interlock.git.parse import text
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence

# as a shell says it of a command that was ended
ENDED = 124
# and of one that could not be started
ABSENT = 127


class Result(NamedTuple):
    code: int
    output: str


class Fed(NamedTuple):
    code: int
    out: str
    err: str


def run(command: str, directory: str, seconds: float) -> Result:
    # the user asked for it, and was shown it before
    process = subprocess.Popen(  # noqa: S602
        command,
        shell=True,
        cwd=directory,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = finish(process, seconds)
    code = ENDED if output.is_late else process.returncode
    return Result(code, text(output.out))


def feed(
    words: Sequence[str],
    data: bytes,
    directory: str,
    environ: Mapping[str, str],
    seconds: float,
) -> Fed:
    """A program, without a shell, with `data` on its standard input."""
    try:
        process = subprocess.Popen(
            words,
            cwd=directory,
            env=environ,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as e:
        return Fed(ABSENT, '', f'{words[0]} cannot be started: {e}')
    output = finish(process, seconds, data)
    if output.is_late:
        return Fed(ENDED, '', f'it gave no answer within {seconds:g} seconds')
    return Fed(process.returncode, text(output.out), text(output.err))
