from __future__ import annotations

import click

from interlock.commands.click_options import Options, Seconds, governed
from interlock.commands.hooks.receive import judge_received


@click.command('pre-receive')
@click.option(
    '--budget',
    type=Seconds(min_open=True),
    default=None,
    metavar='SECONDS',
    help='Refuse a push that takes longer to judge.',
)
@governed
def command(options: Options, budget: float | None) -> int:
    """Judge a push before a server accepts it, as git's hook of that name.

    The updated refs come on standard input, as git writes them there. A push
    is judged by the workflow of the branch it goes to, a new branch by that
    of the server's HEAD; `--config` wins over both.

    `git push -o interlock.breakglass=REASON` lets a push in all the same
    where the server's `git config interlock.breakglass` is true. It is
    logged.
    """
    return judge_received(options.config, budget, options.verbosity)
