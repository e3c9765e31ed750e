"""The command line on a terminal, with answers typed beforehand."""
from __future__ import annotations

import os
import pty
import subprocess

from tests.conftest import Result
from tests.conftest import SCRIPTS


def typed(*args: str, answers: tuple[str, ...] = ()) -> Result:
    """What a run shows, and its exit code; at the end of the answers ^D."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (str(SCRIPTS / 'interlock'), *args),
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, 'TERM': 'dumb', 'NO_COLOR': '1'},
    )
    os.close(theirs)
    text = ''.join(f'{answer}\n' for answer in answers)
    os.write(ours, text.encode() + b'\x04')
    shown = b''
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:
        # on Linux the end of the other side is an error
        pass
    finally:
        os.close(ours)
    return Result(process.wait(), shown.decode().replace('\r\n', '\n'), '')
