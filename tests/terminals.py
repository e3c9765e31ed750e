"""A process that has a terminal, as one that a person started has."""

from __future__ import annotations

import fcntl
import os
import termios

# what opens the terminals of tests, for tests that look at the processes above
NAME = 'xterm'


def open_terminal() -> None:
    """For a child whose standard input is a terminal: that is its own now."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def log_in() -> None:
    """The same below a terminal program, which ends as the child does."""
    child = os.fork()
    if not child:
        return open_terminal()
    os.closerange(0, os.sysconf('SC_OPEN_MAX'))
    if os.path.exists('/proc/self/comm'):
        with open('/proc/self/comm', 'w', encoding='ascii') as f:
            f.write(NAME)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
