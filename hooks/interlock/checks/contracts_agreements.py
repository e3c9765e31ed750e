"""What is frozen in records of other formats: part of the check `contracts`."""

from __future__ import annotations

from interlock.checks.reasons import is_excused
from interlock.documents.text import decode, shown
from interlock.model.change import Blob, Change
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import restore, say_why
from interlock.model.quick_typing import Iterable, Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.agreements.board import KindBoard
from interlock.workflow.agreements.judge import fill, holds
from interlock.workflow.agreements.names import INSIDE, ITEM
from interlock.workflow.agreements.readers import BOX_RE, LABEL_RE, section_lines
from interlock.workflow.agreements.record_paths import ADDED, DELETED
from interlock.workflow.agreements.scope import boards_of, is_about_records, recorded
from interlock.workflow.agreements.spec import Freeze
from interlock.workflow.language.spec import Workflow


def _frozen_lines(blob: Blob, freeze: Freeze, kind: KindBoard) -> list[str] | None:
    """The part that may not change; None where it is absent."""
    try:
        text = decode(blob)
    except Unreadable:
        return [blob.oid]
    lines = [line.rstrip() for line in text.split('\n')]
    if freeze.section:
        chosen = section_lines(list(enumerate(lines, 1)), freeze.section, kind.names)
        return None if chosen is None else [line for _, line in chosen]
    return _between(lines, *freeze.between) if freeze.between else lines


def _is_other(was: list[str], now: list[str], record_fields: Iterable[str]) -> bool:
    """Whether lines differ in more than ticks, status lines and blank ones."""
    start, end = 0, 0
    shorter = min(len(was), len(now))
    while start < shorter and was[start] == now[start]:
        start += 1
    while end < shorter - start and was[-1 - end] == now[-1 - end]:
        end += 1
    fields = {label.casefold() for label in record_fields}

    def kept(lines: list[str]) -> list[str]:
        changed = lines[start : len(lines) - end]
        found = (_unticked(line) for line in changed if not _is_field(line, fields))
        return [line for line in found if line]

    return kept(was) != kept(now)


def _between(lines: list[str], start: str, end: str) -> list[str] | None:
    """The lines between two marks; the first may have attributes."""
    opening = start.rstrip('>')
    first = next(
        (at for at, line in enumerate(lines) if line.lstrip().startswith(opening)), None
    )
    if first is None:
        return None
    for at in range(first, len(lines)):
        if end in lines[at]:
            return lines[first + 1 : at]
    return lines[first + 1 :]


def _unticked(line: str) -> str:
    match = BOX_RE.match(line) if '[' in line else None
    return (
        line
        if match is None
        else f'{line[: match.start("mark")]} {line[match.end("mark") :]}'
    )


def _is_field(line: str, fields: set[str]) -> bool:
    match = LABEL_RE.match(line.lstrip('# ')) if ':' in line else None
    return match is not None and match['label'].strip().casefold() in fields


def _of_freeze(
    change: Change, before: KindBoard, after: KindBoard, freeze: Freeze, path: str
) -> Iterator[Finding]:
    _, parts = after.names.path(freeze.files, path) or (0, {})
    if ITEM not in parts:
        return
    old, new = change.before.blob(path), change.after.blob(path)
    if old is None or new is None:
        return
    key = after.key(parts[ITEM], parts.get(INSIDE, ''))
    if not (holds(before, key, freeze.when) and holds(after, key, freeze.when)):
        return
    fields = [
        label
        for record in after.kind.records.values()
        for label in (record.label, record.status)
        if label
    ]
    was, now = (_frozen_lines(blob, freeze, after) for blob in (old, new))
    if was is None or (now is not None and not _is_other(was, now, fields)):
        return
    item = shown(key.label)
    yield Location(item, path).finding(
        'CON007',
        fill(freeze.say or f'{freeze.name}: {{path}} changed', item=item, path=path),
        key=f'{freeze.name}\0{path}\0{new.oid}',
        fix=say_why(freeze.amendment) if freeze.amendment else restore(path),
        severity=freeze.severity,
        rule=freeze.name,
    )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    kinds = workflow.recorded
    if change.everything or change.is_ref_step or not is_about_records(change, kinds):
        # of a ref each commit is asked
        return
    boards = boards_of(change, kinds)
    for kind in kinds:
        before, after = (board.kinds[kind.name] for board in boards)
        for freeze in kind.frozen:
            found = [
                finding
                for path, letter in recorded(kinds)(change.touched).items()
                # a file that is new was not frozen, and nothing keeps a deleted one
                if letter not in (ADDED, DELETED)
                for finding in _of_freeze(change, before, after, freeze, path)
            ]
            if found and not is_excused(change, freeze.amendment):
                yield from found
