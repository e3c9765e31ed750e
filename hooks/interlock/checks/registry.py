from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from interlock.checks.compare import judge_items
from interlock.checks.compare import mark
from interlock.checks.registry_item import of_item
from interlock.documents.text import shown
from interlock.model.change import Change
from interlock.model.change import Snapshot
from interlock.model.finding import EVERY_ITEM
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import restore
from interlock.workflow.names import handoff_of
from interlock.workflow.names import is_name
from interlock.workflow.records import registry
from interlock.workflow.scope import items_to_judge
from interlock.workflow.spec import Kind
from interlock.workflow.spec import Workflow


def _of_file(snapshot: Snapshot, kind: Kind, used: bool) -> Iterator[Finding]:
    spec = kind.registry
    assert spec is not None
    read = registry(snapshot, kind)
    if read is not None and read.problem is not None:
        yield finding(
            'REG008', EVERY_ITEM, spec.file, read.problem.line,
            f'the registry {read.problem.message}',
            found=read.problem.message,
            fix=edit(spec.file, read.problem.line),
        )
    elif read is None and used:
        yield finding(
            'REG008', EVERY_ITEM, spec.file, 1,
            'the registry is missing',
            found='missing', fix=restore(spec.file),
        )


def _bad_name(item: str, path: str, line: int) -> Finding:
    return finding(
        'REG009', shown(item), path, line,
        f'`{shown(item)}` cannot be the name of an item',
        found=shown(item), fix=edit(path, line),
    )


def _bad_names(
        snapshot: Snapshot,
        kind: Kind,
        items: Sequence[str],
) -> Iterator[Finding]:
    """Names in the registry that would be paths to somewhere else."""
    read = registry(snapshot, kind)
    assert kind.registry is not None
    for item in items if read else ():
        assert read is not None
        rows, entries = read.place(item)
        for piece in (*rows, *entries)[:1]:
            line = read.line(piece.offset)
            yield _bad_name(item, kind.registry.file, line)


def _bad_folders(change: Change, kind: Kind) -> Iterator[Finding]:
    """Handoffs in folders whose names can be no item's."""
    for path, letter in change.touched.items():
        item = handoff_of(path, kind)
        if item and not is_name(item) and letter != 'D':
            yield _bad_name(item, shown(path), 1)


def _gone(change: Change, kind: Kind) -> bool:
    assert kind.registry is not None
    return (
        change.after.blob(kind.registry.file) is None and
        change.before.blob(kind.registry.file) is not None
    )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """The records of an item agree: row, entry, handoff."""
    for kind in workflow.kinds:
        if kind.registry is None:
            continue
        items = items_to_judge(change, kind)
        used = bool(items) or _gone(change, kind)
        if used or kind.registry.file in change.touched or change.everything:
            yield from mark(
                _of_file(change.before, kind, used=True),
                _of_file(change.after, kind, used),
            )
        bad = [item for item in items if not is_name(item)]
        yield from mark(
            _bad_names(change.before, kind, bad),
            _bad_names(change.after, kind, bad),
        )
        yield from _bad_folders(change, kind)
        yield from judge_items(change, kind, of_item)
