from __future__ import annotations

import click

from interlock.commands.parsing import common
from interlock.commands.staged import judge_staged
from interlock.commands.staged import say


def hook(name: str, doc: str | None, only: tuple[str, ...]) -> click.Command:
    @click.command(name, help=doc)
    @click.argument('message', required=False, metavar='[MESSAGE_FILE]')
    @common
    def command(message: str | None, verbose: int, quiet: int) -> int:
        return say(judge_staged(message, only), 'text', verbose, quiet)

    return command


command = hook('hook', 'Judge the staged change, as a git hook does.', ())
