"""Started as `python -I -S launcher.py EVENT` by settings of an older version.

The same as `agents/launcher.py claude EVENT`.
"""

from __future__ import annotations

import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(PACKAGE))
    from interlock.agents.launcher import start

    start(['claude', *sys.argv[1:]])
