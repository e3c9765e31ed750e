"""One console script per hook id: the staged change, one check."""
from __future__ import annotations

import click

from interlock.checks.engine import CHECKS
from interlock.commands.check import judge_staged
from interlock.commands.check import say
from interlock.commands.host import common
from interlock.commands.host import run


def hook(name: str) -> click.Command:
    @click.command(f'interlock-{name}', help=CHECKS[name].__doc__)
    @click.argument('message', required=False)
    @common
    def command(message: str | None, verbose: int, quiet: int) -> int:
        return say(judge_staged(message, (name,)), 'text', verbose, quiet)

    return command


def commit() -> None:
    raise SystemExit(run(hook('commit')))


def contracts() -> None:
    raise SystemExit(run(hook('contracts')))


def handoff() -> None:
    raise SystemExit(run(hook('handoff')))


def message() -> None:
    raise SystemExit(run(hook('message')))


def registry() -> None:
    raise SystemExit(run(hook('registry')))


def stages() -> None:
    raise SystemExit(run(hook('stages')))
