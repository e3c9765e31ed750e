from __future__ import annotations

import sys

from interlock.commands.hooks.quick_start import collect_rarely, quickly
from interlock.files import module_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable


def _hook(message: str | None) -> int:
    # the checks are imported only where they are asked for
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
    """What runs at every commit is called without importing a parser."""
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


def main() -> None:
    fast = _fast(sys.argv[1:])
    if fast is not None:
        raise SystemExit(quickly(fast))
    collect_rarely()
    module_cache.use('commands')
    from interlock.commands.click_options import run
    from interlock.commands.group import cli

    code = run(cli)
    module_cache.keep()
    raise SystemExit(code)
