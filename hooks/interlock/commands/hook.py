"""One console script per hook id: the staged change, one check."""
from __future__ import annotations

import click

from interlock.checks.engine import CHECKS
from interlock.commands.check import judge_staged
from interlock.commands.check import say
from interlock.commands.host import common
from interlock.commands.host import run


def hook(name: str, doc: str | None, only: tuple[str, ...]) -> click.Command:
    @click.command(name, help=doc)
    @click.argument('message', required=False, metavar='[MESSAGE_FILE]')
    @common
    def command(message: str | None, verbose: int, quiet: int) -> int:
        return say(judge_staged(message, only), 'text', verbose, quiet)

    return command


command = hook('hook', 'Judge the staged change, as a git hook does.', ())


def _run(check: str) -> int:
    return run(hook(f'interlock-{check}', CHECKS[check].__doc__, (check,)))


def commit() -> None:
    raise SystemExit(_run('commit'))


def contracts() -> None:
    raise SystemExit(_run('contracts'))


def handoff() -> None:
    raise SystemExit(_run('handoff'))


def message() -> None:
    raise SystemExit(_run('message'))


def registry() -> None:
    raise SystemExit(_run('registry'))


def stages() -> None:
    raise SystemExit(_run('stages'))
