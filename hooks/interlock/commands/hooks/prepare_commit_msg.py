from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example
from interlock.engine.commit_trailers import add_trailers


@example('interlock prepare-commit-msg .git/COMMIT_EDITMSG')
@click.command('prepare-commit-msg')
@click.argument('message', metavar='MESSAGE_FILE')
@click.argument('source', nargs=-1, metavar='[SOURCE [COMMIT]]')
@common
def command(options: Options, message: str, source: tuple[str, ...]) -> int:
    """Add the trailers to a message that say whose work the commit is."""
    return add_trailers(message)
