"""Started as `python -I -S launcher.py CLIENT EVENT` by a client.

Python compiles a script each time it is started, so this one only finds the
package, by its own path.
"""

from __future__ import annotations

import os
import sys


def launch(arguments: list[str]) -> None:
    from interlock.files import module_cache

    module_cache.use('answers')
    from interlock.agents.answer import start

    start(arguments)


if __name__ == '__main__':
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    launch(sys.argv[1:])
