"""The board: every item with its state, its age and its findings."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents.text import date
from interlock.model.change import Snapshot
from interlock.workflow.agreements.scope import board_of
from interlock.workflow.agreements.spec import UNKNOWN
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
    yield from _recorded(snapshot, workflow, counts)


def _recorded(
    snapshot: Snapshot, workflow: Workflow, counts: Counter[tuple[str, str]]
) -> Iterator[Line]:
    """Items whose records agree by the language of agreements."""
    kinds = [kind for kind in workflow.recorded if kind.board]
    boards = board_of(snapshot, workflow.recorded).kinds if kinds else {}
    for kind in kinds:
        found = []
        for key in sorted(boards[kind.name].items()):
            entry = next(
                filter(
                    None, (boards[kind.name].first(each, key) for each in kind.board)
                ),
                None,
            )
            if entry is not None:
                state = entry.value if entry.value != UNKNOWN else entry.word.strip()
                found.append((state, key.label))
        for state, item in sorted(found):
            yield Line(
                item,
                kind.name,
                state,
                '',
                '',
                None,
                counts[item, 'error'],
                counts[item, 'warning'],
            )


def _order(at: Records, kind: Kind) -> tuple[int, int]:
    if at.state is None:
        return len(kind.states), 0
    return kind.position(at.state.name), at.state.phase or 0
