from __future__ import annotations

import sys

from interlock.commands.host import guarded
from interlock.commands.staged import run_staged


def _hook_arguments(args: list[str]) -> tuple[str | None] | None:
    """The message file (or none) where a hook calls, else None."""
    if args in (['hook'], ['check', '--staged']):
        return None,
    elif args[:-1] in (['hook'], ['check', '--staged', '--message']):
        return None if args[-1].startswith('-') else (args[-1],)
    return None


def main() -> None:
    # what runs at every commit is not made to wait for a parser of options
    hook = _hook_arguments(sys.argv[1:])
    if hook is not None:
        raise SystemExit(guarded(lambda: run_staged(*hook)))
    from interlock.commands.group import cli
    from interlock.commands.parsing import run
    raise SystemExit(run(cli))
