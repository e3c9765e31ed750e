from __future__ import annotations

import click

from interlock.commands.click_options import common
from interlock.commands.hooks.trailers import add_trailers


@click.command('prepare-commit-msg')
@click.argument('message', metavar='MESSAGE_FILE')
@click.argument('source', nargs=-1, metavar='[SOURCE [COMMIT]]')
@common
def command(message: str, source: tuple[str, ...], verbose: int, quiet: int) -> int:
    """Write whose work a commit is into its message, as a git hook does."""
    return add_trailers(message)
