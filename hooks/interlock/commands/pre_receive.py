from __future__ import annotations

import sys

import click

from interlock.commands import breakglass
from interlock.commands.budget import Budget
from interlock.commands.host import err
from interlock.commands.judging import Judge
from interlock.commands.opening import opened
from interlock.commands.parsing import common
from interlock.commands.staged import say
from interlock.model.errors import Refusal
from interlock.world import pushes
from interlock.world.repository import Repository

# a push that is not among the refs yet: what the server has are its refs
KNOWN = ('--not', '--all')


def _judge(
        repository: Repository,
        judge: Judge,
        updates: list[pushes.Update],
        budget: Budget,
) -> None:
    head = repository.head()
    for update in updates:
        push = pushes.pushed(repository, update, KNOWN, head)
        if push is None:
            continue
        with budget.spent_on(update.ref, len(push.commits)) as expect:
            judge.push(push.base, push.commits, push.default, expect)
            judge.forwarded(
                push.base, push.tip, pushes.to_main(repository, push.ref),
            )


@click.command('pre-receive')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@click.option(
    '--budget', type=click.FloatRange(min=0, min_open=True), default=None,
    metavar='SECONDS', help='Refuse a push that takes longer to judge.',
)
@common
def command(
        config: str,
        budget: float | None,
        verbose: int,
        quiet: int,
) -> int:
    """Judge a push before a server accepts it, as git's hook of that name.

    The updated refs come on standard input, as git writes them there. A push
    is judged by the workflow of the branch it goes to, a new branch by that
    of the server's HEAD; `--config` wins over both.

    `git push -o interlock.breakglass=REASON` lets a push in all the same
    where the server's `git config interlock.breakglass` is true. It is
    logged.
    """
    if sys.stdin.isatty():
        raise Refusal(
            'pre-receive is a hook: git gives it the refs of a push',
            'interlock check --range A..B',
        )
    updates = pushes.of_pre_receive(sys.stdin.buffer.read())
    with opened() as repository:
        reason = breakglass.reason(repository)
        judge = Judge(repository, config)
        _judge(repository, judge, updates, Budget(budget))
        report = judge.report()
        code = say(report, 'text', verbose, quiet)
        if code and reason:
            path = breakglass.log(repository, reason, updates, report)
            err(f'interlock: let in all the same: {reason} (see {path})')
            return 0
        return code
