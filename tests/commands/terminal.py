"""The command line on a terminal, with answers typed beforehand."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Mapping, Sequence

from tests.conftest import SCRIPTS, Result
from tests.terminals import log_in


def shown(
    args: Sequence[str], environ: Mapping[str, str], keys: str = '\x04'
) -> Result:
    """Any command on a terminal: what it shows, and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        args,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environ, 'TERM': 'dumb', 'NO_COLOR': '1'},
        preexec_fn=log_in,
    )
    os.close(theirs)
    os.write(ours, keys.encode())
    seen = b''
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        # on Linux the end of the other side is an error
        pass
    finally:
        os.close(ours)
    return Result(process.wait(), seen.decode().replace('\r\n', '\n'), '')


def typed(*args: str, answers: tuple[str, ...] = ()) -> Result:
    """What a run shows, and its exit code; at the end of the answers ^D."""
    text = ''.join(f'{answer}\n' for answer in answers)
    return shown((str(SCRIPTS / 'interlock'), *args), os.environ, f'{text}\x04')
