"""What a page for people shows of a history."""

from __future__ import annotations

import datetime
import time
from collections import Counter

from interlock.engine.judge import Judge
from interlock.engine.status_board import BoardLine, board, people
from interlock.git.parse import Commit
from interlock.model.change import Snapshot
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import Finding
from interlock.model.quick_typing import Collection, Iterable, Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.report.html_board import Card, Move, Page, RuleText, Series, Trouble
from interlock.report.text import where
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import records
from interlock.workflow.reading.touched_items import touched_items

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
            for item in filter(is_name, touched_items(change, kind)):
                before = records(change.before, kind, item).state
                after = records(change.after, kind, item).state
                if after is not None and after != before:
                    yield Move(
                        day_of(commit.time),
                        item,
                        kind.label(after),
                        f'{commit.oid[:10]} {commit.message.partition(chr(10))[0]}',
                    )


def _card(line: BoardLine, kinds: Collection[str]) -> Card:
    remarks = [line.kind] if len(kinds) > 1 else []
    if line.age is not None:
        remarks.append(
            f'{plural(line.age, "day")} ago'
            if line.age >= 0
            else f'dated {line.updated}'
        )
    if line.handoff:
        remarks.append(f'handoff at {line.handoff}')
    return Card(line.item, tuple(remarks), line.errors, line.warnings)


def _columns(
    snapshot: Snapshot, workflow: Workflow, found: Sequence[Finding]
) -> list[tuple[str, list[Card]]]:
    counts = Counter((each.item, each.severity) for each in found)
    lines = [*board(snapshot, workflow, counts)]
    kinds = {line.kind for line in lines}
    columns: dict[str, list[Card]] = {}
    for line in lines:
        columns.setdefault(line.state, []).append(_card(line, kinds))
    return list(columns.items())


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
    titles = {
        each.rule or each.code: RULES[each.code].title for each in report.findings
    }
    return periods, [
        Series(name, titles[name], tuple(counts[name, period] for period in periods))
        for name in sorted(titles)
    ]


def _troubles(found: Sequence[Finding]) -> list[Trouble]:
    return [
        Trouble(
            each.severity,
            each.rule or each.code,
            RULES[each.code].title,
            each.item,
            each.message,
            each.fix.label,
            each.fix.command,
            where(each),
            each.code,
        )
        for each in found
    ]


def _rules(codes: Iterable[str]) -> list[RuleText]:
    return [
        RuleText(code, RULES[code].title, RULES[code].why, RULES[code].fix)
        for code in sorted(set(codes))
    ]


def page(judge: Judge, report: Report, commits: Sequence[Commit], guilty: int) -> Page:
    if not commits:
        raise Refusal('there is no commit to show', 'git commit')
    last = commits[-1]
    snapshot = judge.repository.tree(last.tree)
    workflow = judge.governing.before(snapshot)
    now = people(judge, workflow)
    standing = judge.standing(last.tree)
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
        board=_columns(snapshot, workflow, standing.findings),
        moves=list(_moves(judge, commits)),
        periods=periods,
        series=series,
        troubles=_troubles(standing.findings),
        locks=now.locks,
        waits=now.waits,
        rules=_rules(
            [
                *(each.code for each in standing.findings),
                *(each.code for each in report.findings),
            ]
        ),
    )
