"""What a session is told about items that are registered when it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents.text import date
from interlock.engine import last_audit
from interlock.engine.last_audit import Audited
from interlock.files.atomic_files import read
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.text_limits import MOST, clean, listed
from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STAGE, Kind
from interlock.workflow.reading import status_words
from interlock.workflow.reading.records import registry
from interlock.workflow.reading.status_words import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

FENCE = b'---'
# of a file, to find a field of its frontmatter
MAX_FRONT = 16 * 1024
# characters of all that is said of items
NAMES = 400


class Item(NamedTuple):
    name: str
    state: State
    updated: str


def under_way(kind: Kind, top: str) -> list[Item]:
    """What the rows of the registry say is at a stage, newest first."""
    read = registry(SteadySnapshot(top), kind)
    found = []
    for row in read.rows() if read else ():
        state = status_words.read(row.text('status'), kind).state
        if state is not None and kind.states[state.name].role == STAGE:
            found.append(Item(row.item, state, date(row.text('updated'))))
    found.sort(key=lambda item: item.name)
    return sorted(found, key=lambda item: item.updated, reverse=True)


def _field(data: bytes, key: str) -> str:
    """A plain value of a frontmatter; to parse it takes far longer."""
    start = f'{key}:'.encode()
    lines = data[:MAX_FRONT].splitlines()
    if not lines or lines[0].strip() != FENCE:
        return ''
    for line in lines[1:]:
        if line.strip() == FENCE:
            break
        elif line.startswith(start):
            value = line[len(start) :].decode(errors='replace').strip()
            return '' if value in ('null', '~') else value.strip('\'"')
    return ''


def _action(kind: Kind, top: str, item: str) -> str:
    spec = kind.handoff
    for place in spec.places if spec and spec.action else ():
        data = read(os.path.join(top, expand(place, item)))
        if data is not None and spec is not None:
            return _field(data, spec.action)
    return ''


def _line(kind: Kind, top: str, item: Item, last: Audited | None) -> str:
    words = f'{clean(item.name)} at {label(item.state, kind)}'
    action = clean(_action(kind, top, item.name), 40)
    if action:
        words += f', next {action}'
    count = last.items.get(item.name, 0) if last else 0
    if count:
        words += f', {count} finding{"s" if count > 1 else ""}'
    return words


def _of_kind(kind: Kind, top: str, last: Audited | None) -> Iterator[str]:
    items = under_way(kind, top)
    if items:
        named = [_line(kind, top, item, last) for item in items[:MOST]]
        shown = listed(named, NAMES, len(items), '; ')
        yield (
            f'Under way ({len(items)}): {shown}. `interlock resume ITEM` '
            f'says where one goes on.'
        )


def _audited(last: Audited | None) -> Iterator[str]:
    if last is not None and last.errors + last.warnings:
        yield (
            f'The last audit ({clean(last.at, 30)}) found {last.errors} '
            f'errors and {last.warnings} warnings.'
        )


def lines(scene: Scene) -> Iterator[str]:
    last = last_audit.last(scene.state)
    top = scene.top or scene.base
    for kind in scene.workflow.kinds:
        if kind.registry is not None:
            yield from _of_kind(kind, top, last)
    yield from _audited(last)
