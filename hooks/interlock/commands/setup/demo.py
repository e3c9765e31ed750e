from __future__ import annotations

import click

from interlock.commands.click_options import Options, common


@click.command('demo')
@common
def command(options: Options) -> int:
    """Show bad commits, a push and tool calls being refused.

    In a repository of its own, which is deleted at the end; nothing of yours
    is touched. It takes about a minute.
    """
    from interlock.demo.run import main

    return main()
