from __future__ import annotations

import datetime
import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.host import colour
from interlock.commands.host import err
from interlock.commands.host import out
from interlock.commands.judging import Judge
from interlock.commands.parsing import common
from interlock.documents.text import date
from interlock.model.change import Snapshot
from interlock.report.style import paint
from interlock.report.summary import plural
from interlock.report.summary import sentence
from interlock.workflow.names import is_name
from interlock.workflow.records import all_items
from interlock.workflow.records import handoff_state
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.records import scalar
from interlock.workflow.spec import Kind
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.world import worktree


class Line(NamedTuple):
    item: str
    kind: str
    state: str
    handoff: str
    updated: str
    # days since, None where no date is known
    age: int | None
    errors: int
    warnings: int


def _updated(at: Records) -> str:
    written = scalar(at.current, at.kind, 'updated')
    days = [date(record.text('updated')) for record in (at.row, at.entry)
            if record is not None]
    days.append(date(written.text) if written else '')
    return max(days)


def _age(day: str, today: datetime.date) -> int | None:
    try:
        return (today - datetime.date.fromisoformat(day)).days
    except ValueError:
        return None


def _line(at: Records, counts: Counter[tuple[str, str]]) -> Line:
    day = _updated(at)
    handoff = handoff_state(at.current, at.kind)
    status = at.status(at.canonical)
    return Line(
        at.item, at.kind.name,
        label(at.state, at.kind) if at.state else (
            status.text if status else 'not registered'
        ),
        label(handoff, at.kind) if handoff else '',
        day, _age(day, datetime.date.today()),
        counts[at.item, 'error'], counts[at.item, 'warning'],
    )


def _lines(
        snapshot: Snapshot,
        workflow: Workflow,
        counts: Counter[tuple[str, str]],
) -> Iterator[Line]:
    for kind in workflow.kinds:
        found = [
            records(snapshot, kind, item)
            for item in all_items(snapshot, kind) if is_name(item)
        ]
        found.sort(key=lambda at: (_order(at, kind), at.item))
        for at in found:
            yield _line(at, counts)


def _order(at: Records, kind: Kind) -> tuple[int, int]:
    if at.state is None:
        return len(kind.states), 0
    return kind.position(at.state.name), at.state.phase or 0


def _board(lines: list[Line]) -> Iterator[str]:
    width = max((len(line.item) for line in lines), default=0)
    group = None
    for line in lines:
        if (line.kind, line.state) != group:
            group = (line.kind, line.state)
            number = sum((o.kind, o.state) == group for o in lines)
            yield f'{line.state} ({plural(number, line.kind)})'
        age = '' if line.age is None else f'{plural(line.age, "day")} ago'
        if line.age is not None and line.age < 0:
            age = f'dated {line.updated}'
        parts = [f'  {line.item:{width}}', f'{age:14}']
        if line.handoff:
            parts.append(f'handoff at {line.handoff}')
        for number, severity in (
                (line.errors, 'error'), (line.warnings, 'warning'),
        ):
            if number:
                text = plural(number, severity)
                parts.append(paint(text, severity, colour()))
        yield '  '.join(parts).rstrip()


def _missing(snapshot: Snapshot, workflow: Workflow) -> Iterator[str]:
    """A registry that is not there looks like one without items."""
    for kind in workflow.kinds:
        if kind.registry and snapshot.blob(kind.registry.file) is None:
            yield f'{kind.registry.file} does not exist: nothing is watched'


@click.command('status')
@click.option(
    '--format', 'form', type=click.Choice(['text', 'json']), default='text',
)
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(form: str, config: str, verbose: int, quiet: int) -> int:
    """Show the items by stage, their age, and what is wrong with them."""
    with worktree.opened(os.environ, config) as (repository, tree):
        judge = Judge(repository, config)
        judge.tree(tree)
        report = judge.report()
        counts = Counter((f.item, f.severity) for f in report.findings)
        snapshot = repository.tree(tree)
        workflow = judge.governing.before(snapshot)
        lines = list(_lines(snapshot, workflow, counts))
        for missing in _missing(snapshot, workflow):
            err(missing)
    if form == 'json':
        out(json.dumps(
            {'version': 1, 'items': [line._asdict() for line in lines]},
            ensure_ascii=False, indent=2,
        ))
    else:
        out('\n'.join(_board(lines)))
        out(f'{plural(len(lines), "item")}: {sentence(report)}')
    return 0
