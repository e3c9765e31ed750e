from __future__ import annotations

import atexit
import gc
import os
import sys

from interlock.files import module_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable

# how many objects are made before Python looks for reference cycles
MOST_OBJECTS = 200_000


def collect_rarely() -> None:
    """Make garbage collection rare: most commands end before there is anything to free,
    and looking for it takes a seventh of their time. At the end it takes another
    seventh, although the process frees everything anyway."""
    gc.set_threshold(MOST_OBJECTS)
    atexit.register(gc.freeze)


def quickly(command: Callable[[], int], users: str = 'hooks') -> int:
    """Run a command, which imports modules when it needs them; return its exit code.

    It uses what an earlier process of the same users compiled, and does not tidy up.
    """
    collect_rarely()
    module_cache.use(users)
    from interlock.files import pattern_cache
    from interlock.files.users_cache import compiled_folder
    from interlock.report.terminal import guarded

    patterns = os.path.join(compiled_folder(), users)
    pattern_cache.use(patterns)
    code = guarded(command)
    pattern_cache.keep(patterns)
    module_cache.keep()
    return code


def _hook(message: str | None) -> int:
    # the checks are imported only where they are needed
    from interlock.commands.hooks.reporting import run_hook

    return run_hook(message)


def _staged(message: str | None) -> int:
    from interlock.commands.hooks.reporting import say
    from interlock.engine.staged import judge_staged

    return say(judge_staged(message))


def _received() -> int:
    from interlock.commands.hooks.receive import judge_received

    return judge_received()


def _fast(args: list[str]) -> Callable[[], int] | None:
    """The function for a command of every commit, which runs without a parser."""
    *head, last = args or ['']
    if args == ['hook']:
        return lambda: _hook(None)
    elif args == ['pre-receive']:
        return _received
    elif args == ['check', '--staged']:
        return lambda: _staged(None)
    elif last.startswith('-'):
        return None
    elif head == ['hook']:
        return lambda: _hook(last)
    elif head == ['check', '--staged', '--message']:
        return lambda: _staged(last)
    return None


def _parsed() -> int:
    from interlock.commands.click_options import run
    from interlock.commands.group import cli

    return run(cli)


def main() -> None:
    fast = _fast(sys.argv[1:])
    raise SystemExit(quickly(_parsed, 'commands') if fast is None else quickly(fast))
