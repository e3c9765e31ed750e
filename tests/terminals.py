"""A process that has a terminal, as one that a person started has."""

from __future__ import annotations

import fcntl
import os
import termios


def log_in() -> None:
    """For a child whose standard input is a terminal: that is its own now."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
