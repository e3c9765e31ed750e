"""Started as `python -I -S launcher.py EVENT` by the client.

Without `site`, because what it does takes longer than most answers. So the
package is found by the place of this file, and what others wrote (`yaml`, the
parser of shell commands) only once somebody asks for it.
"""
from __future__ import annotations

import gc
import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.dirname(PACKAGE)


def _of_environment() -> str:
    """The packages of the virtual environment that this is run in."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if not os.path.exists(os.path.join(prefix, 'pyvenv.cfg')):
        return ''
    version = f'python{sys.version_info[0]}.{sys.version_info[1]}'
    return os.path.join(prefix, 'lib', version, 'site-packages')


def with_site() -> None:
    """Everything that an interpreter started in the ordinary way finds."""
    if 'site' not in sys.modules:
        import site
        site.main()


def with_packages() -> None:
    """Makes the packages that we depend on importable."""
    for folder in (SOURCE, _of_environment()):
        if folder and os.path.isdir(os.path.join(folder, 'yaml')):
            if folder not in sys.path:
                sys.path.append(folder)
            return
    with_site()


if __name__ == '__main__':
    # a process this short frees no memory, neither now nor when it ends
    gc.disable()
    sys.path.insert(0, SOURCE)
    from interlock.claude.main import main
    os._exit(main())
