"""The board: items with state, age and findings; locks; what waits for a person."""

from __future__ import annotations

import datetime
import os
from collections import Counter

from interlock.documents.text import date, shown
from interlock.engine.judge import Judge
from interlock.files.actor import actor
from interlock.model.change import Snapshot
from interlock.model.quick_tools import partial
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.operations.tasks.approve import pending_approval
from interlock.report.html_board import BoardLine, Holder, Wait
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_files, task_layout
from interlock.tasks.engines.overview import overview
from interlock.workflow.agreements.scope import board_of
from interlock.workflow.agreements.spec import UNKNOWN
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import Records, all_items, records


def _updated(at: Records) -> str:
    written = at.handoff_field('updated')
    texts = [each.text('updated') for each in (at.row, at.entry) if each is not None]
    return max(map(date, [*texts, written.text if written else '']))


def _age(day: str) -> int | None:
    try:
        return (datetime.date.today() - datetime.date.fromisoformat(day)).days
    except ValueError:
        return None


def state_of(at: Records) -> str:
    """The state as boards name it; an unknown word unchanged, '' without a record."""
    status = at.status
    return at.kind.label(at.state) if at.state else status.text if status else ''


def _line(at: Records, counts: Counter[tuple[str, str]]) -> BoardLine:
    day, handoff = _updated(at), at.handoff_state
    return BoardLine(
        shown(at.item),
        at.kind.name,
        state_of(at) or 'not registered',
        at.kind.label(handoff, ''),
        day,
        _age(day),
        counts[shown(at.item), 'error'],
        counts[shown(at.item), 'warning'],
    )


def _order(at: Records, kind: Kind) -> tuple[int, int, str]:
    if at.state is None:
        return len(kind.states), 0, at.item
    return kind.position(at.state.name), at.state.phase or 0, at.item


def board(
    snapshot: Snapshot, workflow: Workflow, counts: Counter[tuple[str, str]]
) -> Iterator[BoardLine]:
    for kind in workflow.kinds:
        read = [records(snapshot, kind, item) for item in all_items(snapshot, kind)]
        # a registry row is an item, whatever its name
        found = [at for at in read if at.registered or is_name(at.item, kind)]
        for at in sorted(found, key=lambda at: _order(at, kind)):
            yield _line(at, counts)
    yield from _recorded(snapshot, workflow, counts)


def _recorded(
    snapshot: Snapshot, workflow: Workflow, counts: Counter[tuple[str, str]]
) -> Iterator[BoardLine]:
    """Items whose records must agree."""
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
        order = list(dict.fromkeys(kind.words.values()))
        found.sort(
            key=lambda each: (order.index(each[0]) if each[0] in order else -1, each)
        )
        for state, item in found:
            yield BoardLine(
                item,
                kind.name,
                state,
                '',
                '',
                None,
                counts[item, 'error'],
                counts[item, 'warning'],
            )


class People(NamedTuple):
    locks: Sequence[Holder] = ()
    waits: Sequence[Wait] = ()


def people(judge: Judge, workflow: Workflow) -> People:
    """Who holds which lock, and what waits for a person; empty without tasks."""
    space = task_layout.workspace_of(judge.repository, judge.governing, workflow)
    if space is None:
        return People()
    who = actor(os.environ, space.state)
    locks, waits = [], []
    found = overview(space, who, asks=True)
    if found.warning:
        err(found.warning)
    for line in found.lines:
        asked_when = f'; confirmed: {line.confirmed}' if line.confirmed else ''
        words = f'{line.holder}{asked_when}'
        if not line.is_here and line.worktree:
            words += f'; in {shown(line.worktree)}'
        locks.append(Holder(line.task, shown(line.state), words))
    for name, held in lock_holders.all_held(space):
        checksum = partial(task_files.plan_checksum, space, name)
        asked = pending_approval(space.kind, held.lock, checksum)
        # a step that was not presented waits for the agent, not for the user
        if (
            asked is not None
            and asked.at
            and not task_files.has_mark(space, name, held.lock, asked.of)
        ):
            command = f'interlock approve {name}'
            waits.append(Wait(name, asked.of, shown(asked.at), command))
    return People(locks, waits)
