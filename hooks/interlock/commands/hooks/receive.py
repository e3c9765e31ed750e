"""Judges a push that a server is asked to accept."""

from __future__ import annotations

import sys

from interlock.commands.hooks.reporting import say
from interlock.engine import breakglass
from interlock.engine.lock_records import is_record, judge_records
from interlock.engine.open_repository import opened
from interlock.engine.push import PushJudge
from interlock.engine.time_budget import Budget
from interlock.git import push_updates
from interlock.git.repository import Repository
from interlock.model.errors import Busy, Refusal
from interlock.model.report import Report
from interlock.report.terminal import err

# where HEAD names no branch: the server has its branches; what only other
# refs have, such as those of pull requests, may never have been judged
KNOWN = ('--not', '--branches')


def _judge(
    repository: Repository,
    judge: PushJudge,
    work: list[push_updates.Update],
    updates: list[push_updates.Update],
    budget: Budget,
) -> Busy | None:
    """`work` is what brings commits, `updates` all that is pushed.

    Gives why the engine of the locks could not be asked, if it was silent.
    """
    silence = None
    head, main = repository.head(), push_updates.main_branch(repository)
    for update in work:
        push = push_updates.pushed(repository, update, head, main, KNOWN)
        if push is None:
            continue
        with budget.spent_on(update.ref, len(push.commits)) as expect:
            judge.push(push, expect)
            judge.forwarded(push, push_updates.to_main(repository, push.ref))
            try:
                judge.under_grants(push, updates)
            except Busy as e:
                silence = e
    return silence


def judge_received(
    config: str = '', budget: float | None = None, verbosity: int = 0
) -> int:
    if sys.stdin.isatty():
        raise Refusal(
            'pre-receive is a hook: git gives it the refs of a push',
            'interlock check --range A..B',
        )
    updates = push_updates.of_pre_receive(sys.stdin.buffer.read())
    with opened() as repository:
        reason = breakglass.reason(repository)
        records = judge_records(repository.git, updates)
        work = [update for update in updates if not is_record(update.ref)]
        silence = None
        if work:
            judge = PushJudge(repository, config)
            judge.findings.extend(records)
            silence = _judge(repository, judge, work, updates, Budget(budget))
            if silence is not None and not reason:
                raise silence
            report = judge.report()
        else:
            report = Report(records)
        code = say(report, 'text', verbosity)
        if (code or silence) and reason:
            why = silence.message if silence else ''
            path = breakglass.log(repository, reason, updates, report, why)
            err(f'interlock: accepted by override: {reason} (see {path})')
            return 0
        return code
