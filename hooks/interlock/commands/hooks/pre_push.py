from __future__ import annotations

import sys

import click

from interlock.commands.click_options import Options, example, governed
from interlock.commands.hooks.reporting import say, unless_ungoverned
from interlock.engine.judgements import judge_pushed
from interlock.engine.staged import is_push
from interlock.model.errors import Refusal


@example('interlock pre-push origin')
@click.command('pre-push')
@click.argument('remote', default='')
@click.argument('url', default='')
@governed
def command(options: Options, remote: str, url: str) -> int:
    """Judge what a push brings, as the git hook of that name.

    Reads the updated refs from standard input, as git writes them. Each
    commit that the remote does not have is judged by the workflow that the
    remote has.
    """
    if sys.stdin.isatty() and not is_push():
        raise Refusal(
            'pre-push is a hook: git gives it the refs of a push',
            'interlock check --base auto',
        )
    with unless_ungoverned():
        report = judge_pushed(remote, options.config, bool(url))
        return say(report, 'text', options.verbosity)
    return 0
