"""One console script per hook id: the staged change, one check."""

from __future__ import annotations

import sys
from collections.abc import Callable

from interlock.report.terminal import guarded


def _hook(check: str) -> Callable[[], None]:
    def script() -> None:
        args = sys.argv[1:]
        if len(args) < 2 and not any(arg.startswith('-') for arg in args):
            # as in main: no parser where a hook calls
            from interlock.commands.hooks.reporting import run_hook

            message = args[0] if args else None
            raise SystemExit(guarded(lambda: run_hook(message, check)))
        from interlock.checks.run import CHECKS
        from interlock.commands.click_options import run
        from interlock.commands.hooks.hook import hook

        raise SystemExit(run(hook(f'interlock-{check}', CHECKS[check].__doc__, check)))

    return script


commit = _hook('commit')
contracts = _hook('contracts')
document = _hook('document')
handoff = _hook('handoff')
locks = _hook('locks')
message = _hook('message')
registry = _hook('registry')
stages = _hook('stages')


def trail() -> None:
    if len(sys.argv) == 1:
        from interlock.tasks.commit_log import log_commit

        raise SystemExit(guarded(log_commit))
    from interlock.commands.click_options import run
    from interlock.commands.hooks.post_commit import command

    raise SystemExit(run(command))


def trailers() -> None:
    """The message file, then what git says about where it comes from."""
    args = sys.argv[1:]
    if args and not any(arg.startswith('-') for arg in args):
        from interlock.engine.commit_trailers import add_trailers

        raise SystemExit(guarded(lambda: add_trailers(args[0])))
    from interlock.commands.click_options import run
    from interlock.commands.hooks.prepare_commit_msg import command

    raise SystemExit(run(command))
