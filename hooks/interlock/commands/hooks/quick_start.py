"""Runs a hook of git with what an earlier process compiled."""

from __future__ import annotations

from interlock.files import module_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable


def quickly(command: Callable[[], int]) -> int:
    """The exit code of a hook, which imports what it needs when it is called."""
    module_cache.use('hooks')
    from interlock.files import pattern_cache
    from interlock.files.users_cache import compiled
    from interlock.report.terminal import guarded

    pattern_cache.use(compiled())
    code = guarded(command)
    pattern_cache.keep(compiled())
    module_cache.keep()
    return code
