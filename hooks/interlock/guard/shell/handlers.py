from __future__ import annotations

from collections.abc import Callable

from interlock.guard.shell.state import State

# what a program does with these arguments; what it prints is returned
Handler = Callable[[State, str, list[str]], str]
