from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example


@example('interlock demo')
@click.command('demo')
@common
def command(options: Options) -> int:
    """Show bad commits, a push and tool calls being refused.

    It works in a temporary repository, which is deleted at the end, and takes about
    a minute. Your files are not touched.
    """
    from interlock.demo.run import main

    return main()
