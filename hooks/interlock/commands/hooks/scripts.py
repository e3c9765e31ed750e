"""One console script per hook id: it runs one check on the staged change."""

from __future__ import annotations

import sys

from interlock.commands.main import quickly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable


def _run(check: str) -> int:
    args = sys.argv[1:]
    if len(args) < 2 and not any(arg.startswith('-') for arg in args):
        # as in main: hooks need no parser
        return quickly(lambda: _check(args[0] if args else None, check))
    from interlock.checks.all_checks import CHECKS
    from interlock.commands.click_options import run
    from interlock.commands.hooks.hook import hook

    return run(hook(f'interlock-{check}', CHECKS[check].title, check))


def _check(message: str | None, check: str) -> int:
    from interlock.commands.hooks.reporting import run_hook

    return run_hook(message, check)


def __getattr__(name: str) -> Callable[[], None]:
    """The script `interlock-NAME` runs the check NAME."""
    if name.startswith('_'):
        raise AttributeError(name)

    def script() -> None:
        raise SystemExit(_run(name))

    return script


def _log() -> int:
    from interlock.tasks.commit_log import log_commit

    return log_commit()


def _add_trailers(message: str) -> int:
    from interlock.engine.commit_trailers import add_trailers

    return add_trailers(message)


def _parsed(name: str) -> int:
    """Run a command as the command line does, with this script's arguments."""
    import click

    from interlock.commands.click_options import run
    from interlock.commands.group import cli

    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return run(command)


def trail() -> None:
    if len(sys.argv) == 1:
        raise SystemExit(quickly(_log))
    raise SystemExit(_parsed('post-commit'))


def trailers() -> None:
    """Arguments: the message file, then its source according to git."""
    args = sys.argv[1:]
    if args and not any(arg.startswith('-') for arg in args):
        raise SystemExit(quickly(lambda: _add_trailers(args[0])))
    raise SystemExit(_parsed('prepare-commit-msg'))
