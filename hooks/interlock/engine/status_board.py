"""The board: every item with its state, its age and its findings."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents.text import date
from interlock.model.change import Snapshot
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import (
    Records,
    all_items,
    handoff_state,
    records,
    scalar,
)
from interlock.workflow.reading.status_words import label


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
    days = [
        date(record.text('updated'))
        for record in (at.row, at.entry)
        if record is not None
    ]
    days.append(date(written.text) if written else '')
    return max(days)


def _age(day: str, today: datetime.date) -> int | None:
    try:
        return (today - datetime.date.fromisoformat(day)).days
    except ValueError:
        return None


def _line(at: Records, counts: Counter[tuple[str, str]]) -> Line:
    day = _updated(at)
    handoff = handoff_state(at.current)
    status = at.status(at.canonical)
    return Line(
        at.item,
        at.kind.name,
        label(at.state, at.kind)
        if at.state
        else (status.text if status else 'not registered'),
        label(handoff, at.kind) if handoff else '',
        day,
        _age(day, datetime.date.today()),
        counts[at.item, 'error'],
        counts[at.item, 'warning'],
    )


def board(
    snapshot: Snapshot, workflow: Workflow, counts: Counter[tuple[str, str]]
) -> Iterator[Line]:
    for kind in workflow.kinds:
        found = [
            records(snapshot, kind, item)
            for item in all_items(snapshot, kind)
            if is_name(item)
        ]
        found.sort(key=lambda at: (_order(at, kind), at.item))
        for at in found:
            yield _line(at, counts)


def _order(at: Records, kind: Kind) -> tuple[int, int]:
    if at.state is None:
        return len(kind.states), 0
    return kind.position(at.state.name), at.state.phase or 0
