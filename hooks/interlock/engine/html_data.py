"""What a page for people shows of a history."""

from __future__ import annotations

import datetime
import time
from collections import Counter

from interlock.engine.judge import Judge
from interlock.engine.status_board import board, people, state_of
from interlock.git.parse import Commit
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.model.state import State
from interlock.report.html_board import Move, Page, Series
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import records

# more columns than this are no longer read
MOST_PERIODS = 12


def day_of(seconds: int) -> str:
    try:
        return time.strftime('%Y-%m-%d', time.gmtime(seconds))
    except (OverflowError, OSError, ValueError):
        # no date that this platform knows, but one that git stores
        return f'@{seconds}'


def _moves(judge: Judge, commits: Sequence[Commit]) -> Iterator[Move]:
    for commit in commits:
        change = judge.repository.of_commit(commit)[0]
        try:
            workflow = judge.governing.before(change.before)
        except InvalidWorkflow:
            continue
        for kind in workflow.kinds:
            for item in touched_items(change, kind):
                if not is_name(item, kind):
                    continue
                before = state_of(records(change.before, kind, item))
                after = state_of(records(change.after, kind, item))
                if after != before:
                    yield Move(
                        day_of(commit.time),
                        item,
                        after,
                        f'{commit.oid[:10]} {commit.message.partition(chr(10))[0]}',
                    )


def _periods(commits: Sequence[Commit]) -> tuple[int, tuple[str, ...]]:
    """How much of a date names a period, and all of them."""
    days = [day_of(commit.time) for commit in commits]
    periods: list[str] = []
    for length in (len('2000-01-01'), len('2000-01'), len('2000')):
        periods = sorted({day[:length] for day in days})
        if len(periods) <= MOST_PERIODS:
            break
    return length, tuple(periods[-MOST_PERIODS:])


def _series(
    report: Report, commits: Sequence[Commit]
) -> tuple[tuple[str, ...], list[Series]]:
    length, periods = _periods(commits)
    when = {commit.oid: day_of(commit.time)[:length] for commit in commits}
    counts = Counter(
        (each.rule or each.code, when.get(each.commit, '')) for each in report.findings
    )
    codes = {each.rule or each.code: each.code for each in report.findings}
    return periods, [
        Series(name, code, tuple(counts[name, period] for period in periods))
        for name, code in sorted(codes.items())
    ]


def page(judge: Judge, report: Report, commits: Sequence[Commit], guilty: int) -> Page:
    if not commits:
        raise Refusal('there is no commit to show', 'git commit')
    last = commits[-1]
    snapshot = judge.repository.tree(last.tree)
    workflow = judge.governing.before(snapshot)
    now = people(judge, workflow)
    standing = judge.standing(last.tree)
    counts = Counter((each.item, each.severity) for each in standing.findings)
    periods, series = _series(report, commits)
    name = judge.repository.facts.common_dir.rstrip('/').split('/')[-2:]
    return Page(
        title=f'Interlock: {name[0] if name[-1] == ".git" else name[-1]}',
        facts=(
            f'{plural(len(commits), "commit")} up to {last.oid[:10]} '
            f'of {day_of(last.time)}',
            f'{guilty} of them would be refused',
            f'{plural(len(standing.findings), "finding")} now',
            f'{report.suppressed} suppressed by the baseline',
            # ages are counted from it, and a page may be kept
            f'as of {datetime.date.today()}',
        ),
        board=[*board(snapshot, workflow, counts)],
        moves=list(_moves(judge, commits)),
        states=[
            kind.label(State(name)) for kind in workflow.kinds for name in kind.states
        ],
        periods=periods,
        series=series,
        findings=standing.findings,
        locks=now.locks,
        waits=now.waits,
    )
