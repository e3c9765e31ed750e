"""Runs a command with what an earlier process compiled, and without tidying up."""

from __future__ import annotations

import gc

from interlock.files import module_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable


# objects that are made before Python looks for cycles of them
MOST_OBJECTS = 200_000


def collect_rarely() -> None:
    """Most commands end before there is anything to free, and looking for it
    takes a seventh of their time."""
    gc.set_threshold(MOST_OBJECTS)


def quickly(command: Callable[[], int]) -> int:
    """The exit code of a hook, which imports what it needs when it is called."""
    collect_rarely()
    module_cache.use('hooks')
    from interlock.files import pattern_cache
    from interlock.files.users_cache import compiled
    from interlock.report.terminal import guarded

    pattern_cache.use(compiled())
    code = guarded(command)
    pattern_cache.keep(compiled())
    module_cache.keep()
    return code
