from __future__ import annotations

import sys
from collections.abc import Callable

from interlock.commands.host import guarded
from interlock.commands.staged import judge_hook
from interlock.commands.staged import judge_staged
from interlock.commands.staged import say


def _fast(args: list[str]) -> Callable[[], int] | None:
    """What runs at every commit is not made to wait for a parser."""
    *head, last = args or ['']
    if args == ['hook']:
        return lambda: say(judge_hook(None))
    elif args == ['check', '--staged']:
        return lambda: say(judge_staged(None, ()))
    elif last.startswith('-'):
        return None
    elif head == ['hook']:
        return lambda: say(judge_hook(last))
    elif head == ['check', '--staged', '--message']:
        return lambda: say(judge_staged(last, ()))
    return None


def main() -> None:
    fast = _fast(sys.argv[1:])
    if fast is not None:
        raise SystemExit(guarded(fast))
    from interlock.commands.group import cli
    from interlock.commands.parsing import run
    raise SystemExit(run(cli))
