"""What `check --fix` mends: rows that are behind their entries."""
from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from typing import NamedTuple

from interlock.commands.judging import opened
from interlock.documents.registry import Piece
from interlock.documents.registry import Registry
from interlock.documents.registry_edit import set_cells
from interlock.documents.registry_edit import splice
from interlock.documents.text import plain
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.model.errors import Unreadable
from interlock.report.summary import plural
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.records import registry
from interlock.workflow.spec import Kind
from interlock.workflow.spec import Workflow
from interlock.world.config import Governing
from interlock.world.disk import DiskSnapshot
from interlock.world.files import replace


def _status(row: str, entry: str) -> str:
    """The entry's status in the style of the row."""
    bare = entry.replace('**', '').replace('__', '').strip()
    if '**' not in row:
        return bare
    text = plain(bare)
    return bare.replace(text, f'**{text}**') if text in bare else bare


def _row_values(at: Records) -> dict[str, str]:
    """The cells of the row that differ from the entry, as they should be."""
    row, entry = at.row, at.entry
    if row is None or entry is None:
        return {}
    elif len(at.rows) > 1 or len(at.entries) > 1:
        # which of them is right is not for us to say
        return {}
    values = {}
    left, right = at.status(row), at.status(entry)
    if left and right and right.text and (
            left.text != right.text or left.emoji != right.emoji
    ):
        values['status'] = _status(left.raw, right.raw)
    for role in ('updated', 'version'):
        old, new = plain(row.text(role)), plain(entry.text(role))
        if new and old != new and role in row.values:
            values[role] = new
    return values


def _changes(
        read: Registry,
        snapshot: Snapshot,
        kind: Kind,
) -> dict[Piece, bytes]:
    changes = {}
    for item, place in read.places.items():
        at = records(snapshot, kind, item)
        values = _row_values(at)
        if values:
            row = place.rows[0]
            changes[row] = set_cells(read, row, values)
    return changes


class Mended(NamedTuple):
    path: str
    old: bytes
    new: bytes
    rows: int


def _mended(snapshot: Snapshot, workflow: Workflow) -> Iterator[Mended]:
    """The registries that have rows to mend."""
    for kind in workflow.kinds:
        read = registry(snapshot, kind)
        if kind.registry is None or read is None or read.problem is not None:
            continue
        path = kind.registry.file
        try:
            changes = _changes(read, snapshot, kind)
        except Unreadable as e:
            raise Refusal(f'{path}:{e.line}: the registry {e.message}') from e
        if changes:
            new = splice(read.data, changes)
            yield Mended(path, read.data, new, len(changes))


def _diff(path: str, old: bytes, new: bytes) -> Iterator[str]:
    yield from difflib.unified_diff(
        old.decode(errors='replace').splitlines(),
        new.decode(errors='replace').splitlines(),
        f'a/{path}', f'b/{path}', lineterm='',
    )


def fix_rows(config: str, write: bool) -> Iterator[str]:
    """Says what is mended, or without `write` shows it as a diff."""
    with opened() as repository:
        if not repository.facts.top:
            raise Refusal('a bare repository has no files to mend')
        workflow = Governing(repository, config).on_disk()
        snapshot = DiskSnapshot(repository.facts.top)
    for path, old, new, number in _mended(snapshot, workflow):
        if write:
            replace(os.path.join(snapshot.top, path), old, new)
            rows = plural(number, 'row')
            yield f'mended {rows} of {path}; next: git add {path}'
        else:
            yield from _diff(path, old, new)


def unstaged(config: str) -> Iterator[str]:
    """What is right on disk already, and only in the index is not."""
    with opened() as repository:
        workflow = Governing(repository, config).on_disk()
        index = repository.staged(None)[0].after
        for mended in _mended(index, workflow):
            yield f'nothing to mend on disk; next: git add {mended.path}'
