from __future__ import annotations

import click

from interlock.commands.click_options import common
from interlock.commands.hooks.staged import run_hook


def hook(name: str, doc: str | None, check: str) -> click.Command:
    @click.command(name, help=doc)
    @click.argument('message', required=False, metavar='[MESSAGE_FILE]')
    @common
    def command(message: str | None, verbose: int, quiet: int) -> int:
        return run_hook(message, check, verbose, quiet)

    return command


command = hook('hook', 'Judge the staged change, as a git hook does.', '')
