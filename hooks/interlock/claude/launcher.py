"""Started as `python -I -S launcher.py EVENT` by settings of an older version.

The same as `agents/launcher.py claude EVENT`.
"""

from __future__ import annotations

import os
import sys

if __name__ == '__main__':
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    from interlock.agents.launcher import launch

    launch(package, ['claude', *sys.argv[1:]])
