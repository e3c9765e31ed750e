from __future__ import annotations

import click

from interlock.commands.click_options import Options, Seconds, example, governed, option
from interlock.commands.hooks.receive import judge_received


@example('interlock pre-receive --budget 60')
@click.command('pre-receive')
@option(
    '--budget SECONDS',
    'Refuse a push that takes longer to judge.',
    type=Seconds(min_open=True),
)
@governed
def command(options: Options, budget: float | None) -> int:
    """Judge a push before a server accepts it, as the git hook of that name.

    Reads the updated refs from standard input, as git writes them. A push is judged
    by the workflow of the branch it goes to, a new branch by that of the server's
    HEAD; `--config` overrides both.

    `git push -o interlock.breakglass=REASON` overrides a refusal if the server's
    `git config interlock.breakglass` is true. Every override is logged.
    """
    return judge_received(options.config, budget, options.verbosity)
