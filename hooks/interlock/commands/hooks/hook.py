from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example
from interlock.commands.hooks.reporting import run_hook


def hook(name: str, doc: str | None, check: str) -> click.Command:
    @click.command(name, help=doc)
    @click.argument('message', required=False, metavar='[MESSAGE_FILE]')
    @common
    def command(options: Options, message: str | None) -> int:
        return run_hook(message, check, options.verbosity)

    return command


command = example('interlock hook', 'interlock hook .git/COMMIT_EDITMSG')(
    hook('hook', 'Judge the staged change, as a git hook does.', '')
)
