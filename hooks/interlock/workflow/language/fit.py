"""How well a workflow fits what a project has written so far."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.quick_typing import Iterable, Iterator
from interlock.model.state import State
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import commit_subject, next_state, status_words
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import (
    STAGE_RE,
    Records,
    is_null,
    is_open,
    records,
    registry,
    scalar,
    values_of,
)


def _is_misplaced(state: State, kind: Kind) -> bool:
    return state.phase is not None and not kind.states[state.name].phased


def _of_registry(at: Records) -> Iterator[str]:
    for record in (*at.rows, *at.entries):
        read = status_words.read(record.text('status'), at.kind)
        if read.raw and (not status_words.is_known(read, at.kind)):
            yield read.raw


def _of_handoff(at: Records) -> Iterator[str]:
    placed, kind = at.current, at.kind
    stage = scalar(placed, kind, 'stage')
    if placed is None or stage is None:
        return
    whole = STAGE_RE.match(stage.text)
    number = whole[1] if whole else stage.text
    if placed.state is None:
        # a word is in the old format, without stages
        if number.isdigit():
            yield stage.text
        return
    phase = scalar(placed, kind, 'phase')
    if (
        phase is not None
        and not is_null(phase)
        and (not kind.states[placed.state.name].phased)
    ):
        yield phase.text
    written = scalar(placed, kind, 'status')
    text = written.text if written else ''
    if placed.state.name not in kind.handoff.status_in.get(text, (placed.state.name,)):
        yield text
    values = values_of(placed)
    action = values.get(kind.handoff.action, '')
    coming = next_state.after(at, placed.state, values)
    if (
        action
        and coming.action
        and not is_open(placed, kind)
        and (action != coming.action)
    ):
        yield action


def _of_subjects(kind: Kind, items: set[str], subjects: Iterable[str]) -> Iterator[str]:
    if not kind.commit:
        return
    for text in subjects:
        read = commit_subject.read(text, kind, items)
        if read is None:
            continue
        elif read.state is None:
            if read.speaks:
                yield text
        elif _is_misplaced(read.state, kind):
            yield text


def misfits(snapshot: Snapshot, kind: Kind, subjects: Iterable[str]) -> list[str]:
    """Statuses, stages, next actions and subjects it has no place for.

    The snapshot must be fresh: it remembers records by the name of a kind,
    and another workflow may have a kind of the same name.
    """
    read = registry(snapshot, kind)
    items = {name for name in read.places if is_name(name, kind)} if read else set()
    found: list[str] = []
    for item in sorted(items):
        at = records(snapshot, kind, item)
        found.extend((*_of_registry(at), *_of_handoff(at)))
    return [*found, *_of_subjects(kind, items, subjects)]
