"""The data that the HTML page shows about a history."""

from __future__ import annotations

import datetime
import time
from collections import Counter

from interlock.engine.judge import Judge
from interlock.engine.status_board import board, people, state_of
from interlock.git.parse import Commit
from interlock.model.change import Change
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.model.state import State
from interlock.report.html_board import Move, Page, Series, Step
from interlock.report.progress import progress
from interlock.workflow.reading.changed_items import pairs_to_judge

# a chart with more columns is not readable
MOST_PERIODS = 12


def day_of(seconds: int) -> str:
    try:
        return time.strftime('%Y-%m-%d', time.gmtime(seconds))
    except (OverflowError, OSError, ValueError):
        # git stores times that this platform cannot represent
        return f'@{seconds}'


def _line_of(commits: Sequence[Commit]) -> set[str]:
    """The last commit, its first parent, the first parent of that, and so on."""
    parents = {commit.oid: commit.parents for commit in commits}
    found: set[str] = set()
    oid = commits[-1].oid if commits else ''
    while oid in parents:
        found.add(oid)
        oid = next(iter(parents[oid]), '')
    return found


def _states(judge: Judge, change: Change) -> Iterator[tuple[str, str, str]]:
    """The items that a change moves or renames, their new states ('' if removed),
    and their old names if it renames them."""
    try:
        workflow = judge.governing.before(change.before)
    except InvalidWorkflow:
        return
    for kind in workflow.kinds:
        for old, new in pairs_to_judge(change, kind):
            after, was = state_of(new), old.item if old.item != new.item else ''
            if was or after != state_of(old):
                yield new.item, after, was


def _moves(judge: Judge, commits: Sequence[Commit]) -> tuple[list[Move], list[Step]]:
    """The moves that each commit makes, and the moves along the branch."""
    moves: list[Move] = []
    steps: list[Step] = []
    line, repository = _line_of(commits), judge.repository
    for commit in progress(commits, 'reading states'):
        day, (change, *_) = day_of(commit.time), repository.of_commit(commit)
        subject = f'{commit.oid[:10]} {commit.message.partition(chr(10))[0]}'
        moved = [*_states(judge, change)]
        moves.extend(Move(day, item, state, subject, was) for item, state, was in moved)
        if commit.oid not in line:
            continue
        elif len(commit.parents) > 1:
            first = repository.commit(commit.parents[0])
            moved = [*_states(judge, repository.between(first, commit))]
        steps.extend((day, was, '') for _, _, was in moved if was)
        steps.extend((day, item, state) for item, state, _ in moved)
    return moves, steps


def _periods(commits: Sequence[Commit]) -> tuple[int, tuple[str, ...]]:
    """The length of the date prefix that names a period, and all periods."""
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
    moves, steps = _moves(judge, commits)
    name = judge.repository.facts.common_dir.rstrip('/').split('/')[-2:]
    return Page(
        title=f'Interlock: {name[0] if name[-1] == ".git" else name[-1]}',
        facts=(
            f'{plural(len(commits), "commit")} up to {last.oid[:10]} '
            f'of {day_of(last.time)}',
            f'{guilty} of them would be refused',
            f'{plural(len(standing.findings), "finding")} now',
            f'{report.suppressed} suppressed by the baseline',
            # ages are relative to this day, and a page may be kept
            f'as of {datetime.date.today()}',
        ),
        board=[*board(snapshot, workflow, counts)],
        moves=moves,
        steps=steps,
        states=[
            kind.label(State(name)) for kind in workflow.kinds for name in kind.states
        ],
        periods=periods,
        series=series,
        findings=standing.findings,
        locks=now.locks,
        waits=now.waits,
    )
