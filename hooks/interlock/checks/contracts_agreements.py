"""Frozen parts of records in other formats; part of the check `contracts`."""

from __future__ import annotations

from interlock.checks.compare import is_excused
from interlock.documents.text import decode, shown
from interlock.documents.trailers import left_placeholder
from interlock.model.change import ADDED, DELETED, Blob, Change, Snapshot
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import restore, say_why
from interlock.model.quick_typing import Iterable, Iterator, Mapping, Sequence
from interlock.rules.new_finding import Location
from interlock.workflow.agreements.board import Board, KindBoard
from interlock.workflow.agreements.entries import ItemKey
from interlock.workflow.agreements.judge import fill, holds
from interlock.workflow.agreements.names import DATE, INSIDE, ITEM, literal_ends
from interlock.workflow.agreements.readers import BOX_RE, LABEL_RE, section_lines
from interlock.workflow.agreements.scope import (
    board_of,
    boards_of,
    is_about_records,
    recorded,
)
from interlock.workflow.agreements.spec import Freeze
from interlock.workflow.language.spec import Workflow

HALF = 0.5


def _frozen_lines(blob: Blob, freeze: Freeze, kind: KindBoard) -> list[str] | None:
    """The lines that must not change, None if they are absent."""
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
    """Whether lines differ in more than ticks, status lines and blank lines."""
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
    """The lines between two markers; the first one may have attributes."""
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


def _is_same_text(was: list[str], now: list[str]) -> bool:
    """Whether a text may be an edited version of another: half of it is equal."""
    old, new = ({line for line in lines if line.strip()} for lines in (was, now))
    return len(old & new) >= HALF * max(len(old), len(new))


class _Freezing:
    """One frozen thing in one change."""

    def __init__(
        self, change: Change, boards: Sequence[Board], name: str, freeze: Freeze
    ) -> None:
        self._change, self._freeze, self._name = change, freeze, name
        self._before, self._after = (board.kinds[name] for board in boards)
        self._kinds = boards[0].recorded
        self._fields = [
            label
            for record in self._after.kind.records.values()
            for label in (record.label, record.status)
            if label
        ]

    def findings(self, touched: Mapping[str, str]) -> Iterator[Finding]:
        keys = {path: key for path in touched if (key := self._key(path)) is not None}
        if not keys or is_excused(self._change, self._freeze.amendment):
            return
        for path, key in keys.items():
            # a new file was not frozen, and a deleted one may go
            if touched[path] not in (ADDED, DELETED) and self._holds(key):
                if self._is_other(path, path) and self._is_asked(key, path):
                    yield self._finding(key, path)
        added = [path for path in keys if touched[path] == ADDED]
        for path, key in keys.items():
            # but a deleted file may come back under another name
            there = [each for each in added if keys[each] == key]
            if touched[path] == DELETED and there and self._holds(key):
                yield from self._moved(key, path, there)

    def _key(self, path: str) -> ItemKey | None:
        _, parts = self._after.names.path(self._freeze.files, path) or (0, {})
        if ITEM not in parts:
            return None
        return self._after.key(parts[ITEM], parts.get(INSIDE, ''))

    def _name_of(self, path: str) -> tuple[str, Mapping[str, str]]:
        """The parts of a path that name a file of an item, apart from a date."""
        files = self._freeze.files
        at, parts = self._after.names.path(files, path) or (0, {})
        # files below may have the name of the item, too
        head, _ = literal_ends(files[at])
        *_, below = path[len(head) :].split(parts[ITEM], 1)
        return below, {**parts, DATE: ''}

    def _holds(self, key: ItemKey) -> bool:
        when = self._freeze.when
        return holds(self._before, key, when) and holds(self._after, key, when)

    def _lines(self, snapshot: Snapshot, path: str) -> list[str] | None:
        blob = snapshot.blob(path)
        return blob and _frozen_lines(blob, self._freeze, self._after)

    def _is_other(self, path: str, now: str) -> bool:
        old = self._lines(self._change.before, path)
        new = self._lines(self._change.after, now)
        if old is None:
            return False
        return new is None or _is_other(old, new, self._fields)

    def _moved(
        self, key: ItemKey, path: str, there: Sequence[str]
    ) -> Iterator[Finding]:
        old = self._lines(self._change.before, path)
        if all(self._is_other(path, now) for now in there) and old is not None:
            for now in there:
                new = self._lines(self._change.after, now)
                if new is not None and (
                    self._name_of(path) == self._name_of(now) or _is_same_text(old, new)
                ):
                    if self._is_asked(key, path, now):
                        yield self._finding(key, now)

    def _is_asked(self, key: ItemKey, *paths: str) -> bool:
        """Whether a change must be judged: in the step of a ref, only if one
        commit deleted a file that another one added again."""
        if not self._change.is_ref_step:
            return True
        found = [
            part
            for part in self._change.behind()
            if any(part.contents.get(path) in (ADDED, DELETED) for path in paths)
        ]
        return (
            len(found) > 1
            and not any(self._is_lifted(part, key) for part in found)
            and not all(is_excused(part, self._freeze.amendment) for part in found)
        )

    def _is_lifted(self, part: Change, key: ItemKey) -> bool:
        """Whether the item was not frozen for a while; one that was dropped
        and came back is still the same."""
        board = board_of(part.after, self._kinds).kinds[self._name]
        is_recorded = any(board.of(name, key) for name in board.kind.records)
        return is_recorded and not holds(board, key, self._freeze.when)

    def _finding(self, key: ItemKey, path: str) -> Finding:
        freeze, item = self._freeze, shown(key.label)
        new = self._change.after.blob(path)
        unsaid = left_placeholder(self._change.message, freeze.amendment)
        said = fill(
            freeze.say or f'{freeze.name}: {{path}} changed', item=item, path=path
        )
        return Location(item, path).finding(
            'CON007',
            f'{said}; {unsaid}' if unsaid else said,
            key=f'{freeze.name}\0{path}\0{new.oid if new else ""}',
            fix=say_why(freeze.amendment) if freeze.amendment else restore(path),
            severity=freeze.severity,
            rule=freeze.name,
        )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    kinds = workflow.recorded
    if change.everything or not is_about_records(change, kinds):
        return
    touched = recorded(kinds)(change.touched)
    boards = boards_of(change, kinds)
    for kind in kinds:
        for freeze in kind.frozen:
            yield from _Freezing(change, boards, kind.name, freeze).findings(touched)
