"""What is measured: Interlock as users have it, a wheel in its own environment.

`make bench` builds it. An editable installation starts twice as slowly as
that and would flatter every ratio.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
BIN = TOP / '.client' / 'venv' / 'bin'
# that environment's interpreter, not a shim
PYTHON = str(BIN / 'python')
INTERLOCK = str(BIN / 'interlock')
# other programs that answer on a hook path, for comparison
RIVALS = TOP / '.client' / 'rivals' / 'bin'
# of each question, interleaved; the least counts
RUNS = 30


def launcher() -> str:
    """What the settings of a client call."""
    code = 'from interlock.agents import launcher; print(launcher.__file__)'
    return subprocess.check_output((PYTHON, '-I', '-c', code), text=True).strip()


# as it is where Interlock is installed: compiled once, not at every start
ENVIRON = {
    name: value
    for name, value in os.environ.items()
    if name != 'PYTHONDONTWRITEBYTECODE'
} | {
    'INTERLOCK_SESSION': 'bench',
    'PATH': os.pathsep.join((str(BIN), os.environ['PATH'])),
}
