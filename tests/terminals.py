"""A process that has a terminal, as one that a person started has."""

from __future__ import annotations

import fcntl
import os
import signal
import termios

# a user other than the one who runs the tests
SOMEBODY = 65534


def open_terminal() -> None:
    """For a child whose standard input is a terminal: that is its own now."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def log_in() -> None:
    """The same below a process of another user on that terminal, as `su` leaves
    one; it ends as the child does. Without root nobody else can be had, and the
    tests run on a terminal of their user."""
    open_terminal()
    if os.geteuid():
        return
    child = os.fork()
    if not child:
        return
    os.closerange(0, os.sysconf('SC_OPEN_MAX'))
    os.setuid(SOMEBODY)
    # what ends the child is not for us
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
