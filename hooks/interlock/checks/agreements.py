"""Records of other formats: do they agree, and does what is frozen stay?

Part of the checks `registry` and `contracts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from interlock.documents.text import decode, shown
from interlock.model.change import Blob, Change, Snapshot
from interlock.model.errors import Unreadable
from interlock.model.finding import WARNING, Finding, Fix
from interlock.model.fixes import edit
from interlock.rules.new_finding import finding
from interlock.workflow.agreements.board import Board, Entry, Key, KindBoard
from interlock.workflow.agreements.judge import Disagreement, disagreements, holds
from interlock.workflow.agreements.names import INSIDE, ITEM
from interlock.workflow.agreements.readers import BOX_RE, LABEL_RE, section_lines
from interlock.workflow.agreements.spec import (
    PRESENT,
    PUSH,
    UNKNOWN,
    Agreement,
    Freeze,
    Once,
    Record,
    RecordedKind,
)
from interlock.workflow.language.spec import Workflow

# readers of files in which every line or key may be another item
SHARED = ('boxes', 'heading', 'table', 'yaml', 'json', 'jsonl')


class Broken(NamedTuple):
    """What one tree breaks, as it is told apart from what another breaks."""

    name: str
    item: str
    offender: str


def _board(snapshot: Snapshot, workflow: Workflow) -> Board:
    return snapshot.cached(
        ('agreements', id(workflow)), lambda: Board(snapshot, workflow.recorded)
    )


def is_recorded(workflow: Workflow, change: Change) -> bool:
    """Whether a change touches a file that any record or freeze is about."""
    if not workflow.recorded:
        return False
    elif change.everything:
        return True
    return any(
        _is_watched(kind, path) for kind in workflow.recorded for path in change.touched
    )


def _is_watched(kind: RecordedKind, path: str) -> bool:
    patterns = [
        pattern for record in kind.records.values() for pattern in record.files
    ] + [pattern for freeze in kind.frozen for pattern in freeze.files]
    sources = [*kind.let.values(), *([kind.words_from] if kind.words_from else [])]
    named = {file for source in sources for file in source.files}
    return path in named or any(_could_fit(pattern, path) for pattern in patterns)


def _could_fit(pattern: str, path: str) -> bool:
    """Cheaply: what every such path begins and ends with."""
    head = re.split(r'[*{]', pattern, maxsplit=1)[0]
    tail = re.split(r'[*}]', pattern)[-1]
    return path.startswith(head) and path.endswith(tail)


def _keys_of_path(
    board: KindBoard, record: Record, path: str
) -> Iterator[tuple[Key, Entry]]:
    for key, entries in board.entries(record.name).items():
        for entry in entries:
            if entry.path == path or (record.folder and path.startswith(entry.path)):
                yield key, entry


def _essence(entry: Entry) -> tuple[object, ...]:
    """What an entry says, wherever it stands."""
    reading = entry.reading
    if reading is None:
        return entry.value, entry.place
    return (
        entry.value,
        tuple(child.label for child in reading.open),
        reading.depends,
        reading.parent,
        tuple((child.label, child.word) for child in reading.children),
    )


def _touched(change: Change, before: KindBoard, after: KindBoard) -> set[Key]:
    """The items of which a change says something else."""
    found = set[Key]()
    for record in after.kind.records.values():
        for path in change.touched:
            parts = after.parts(record, path)
            if parts is None:
                continue
            is_shared = (record.read in SHARED and (record.line or record.item)) or (
                record.read in ('yaml', 'json', 'jsonl') and ITEM not in parts
            )
            if ITEM in parts and not is_shared:
                found.add(after.key(parts[ITEM], parts.get(INSIDE, '')))
                continue
            old, new = (
                {
                    (key, _essence(entry))
                    for key, entry in _keys_of_path(board, record, path)
                }
                for board in (before, after)
            )
            found |= {key for key, _ in old ^ new}
            if record.once:
                # the same item twice in one file says the same twice
                found |= {
                    key
                    for key, entry in _keys_of_path(after, record, path)
                    if len(after.entries(record.name)[key])
                    != len(before.entries(record.name).get(key, ()))
                }
    return found


def _related(
    kind: KindBoard, touched: Mapping[str, set[Key]], boards: Board
) -> set[Key]:
    """Items whose agreements ask for those that were touched."""
    found = set(touched[kind.kind.name])
    if kind.kind.has_relations() and found:
        insides = {key.inside for key in found}
        found |= {key for key in kind.items() if key.inside in insides}
    for agreement in kind.kind.agree:
        for side in agreement.then:
            other = side.rpartition('.')[0]
            if touched.get(other):
                found |= {
                    key
                    for key in kind.items()
                    if any(
                        each.item.startswith(f'{key.item}{kind.kind.join}')
                        for each in touched[other]
                    )
                }
    return found


class _Judge:
    def __init__(self, change: Change, workflow: Workflow) -> None:
        self.change, self.workflow = change, workflow
        self.before = _board(change.before, workflow)
        self.after = _board(change.after, workflow)
        self.parents = [_board(parent.snapshot, workflow) for parent in change.parents]

    def run(self) -> Iterator[Finding]:
        if self.change.everything:
            keys = {name: kind.items() for name, kind in self.after.kinds.items()}
        else:
            touched = {
                name: _touched(self.change, self.before.kinds[name], kind)
                for name, kind in self.after.kinds.items()
            }
            keys = {
                name: _related(kind, touched, self.after)
                for name, kind in self.after.kinds.items()
            }
        for name, kind in self.after.kinds.items():
            for key in sorted(keys[name]):
                yield from self._of_item(kind, key)
            yield from self._unreadable(kind)

    def _of_item(self, kind: KindBoard, key: Key) -> Iterator[Finding]:
        if not self.change.is_ref_step:
            yield from self._twice(kind, key)
            yield from self._unknown(kind, key)
        for agreement in kind.kind.agree:
            if self.change.is_ref_step and agreement.at != PUSH:
                continue
            yield from self._of_agreement(kind, key, agreement)

    def _of_agreement(
        self, kind: KindBoard, key: Key, agreement: Agreement
    ) -> Iterator[Finding]:
        found = list(disagreements(self.after, kind, key, agreement))
        if not found or self._is_excused(agreement.unless):
            return
        if agreement.upon:
            old = self.before.kinds[kind.kind.name]
            if holds(old, key, agreement.when):
                return
            for each in found:
                yield self._finding(kind, each, True)._replace(standing=False)
            return
        known = self._broken(self.before, kind, key, agreement)
        for each in found:
            is_new = each.offender not in known
            if not is_new and self.parents:
                is_new = not any(
                    each.offender in self._broken(parent, kind, key, agreement)
                    for parent in self.parents
                )
            yield self._finding(kind, each, is_new)

    @staticmethod
    def _broken(
        board: Board, kind: KindBoard, key: Key, agreement: Agreement
    ) -> set[str]:
        there = board.kinds[kind.kind.name]
        return {each.offender for each in disagreements(board, there, key, agreement)}

    def _is_excused(self, trailer: str) -> bool:
        """By a reason in the message, or because that is still to come."""
        if not trailer:
            return False
        message = self.change.message
        if message is None:
            return self.change.message_follows()
        wanted = trailer.casefold()
        return any(
            name.casefold() == wanted and value.strip()
            for name, value in message.trailers.items()
        )

    def _finding(self, kind: KindBoard, each: Disagreement, is_new: bool) -> Finding:
        agreement = each.agreement
        severity = agreement.severity
        if agreement.at == PUSH and not self.change.is_ref_step:
            severity = WARNING
        item = shown(each.key.label)
        message = _text(
            agreement.say or f'{agreement.name}: {{found}}',
            item=item,
            found=shown(each.found),
        )
        return finding(
            'REG016',
            item,
            each.path,
            each.line,
            message,
            # the step of a ref is judged beside the commits that make it
            key='\0'.join(
                (agreement.name, kind.kind.name, each.offender)
                + ((PUSH,) if self.change.is_ref_step else ())
            ),
            fix=_fix(agreement.fix, item, each.path, each.line),
            severity=severity,
        )._replace(introduced=is_new, standing=True, rule=agreement.name)

    def _twice(self, kind: KindBoard, key: Key) -> Iterator[Finding]:
        for record in kind.kind.records.values():
            if record.once is None:
                continue
            places = _places(kind, record, key)
            if len(places) < 2:
                continue
            known = _places(self.before.kinds[kind.kind.name], record, key)
            old = set(known) if len(known) > 1 else set[str]()
            inherited = any(
                set(places) <= set(_places(parent.kinds[kind.kind.name], record, key))
                for parent in self.parents
            )
            new = [place for place in places if place not in old]
            entry = places[(new or list(places))[-1]]
            is_new = bool(new) or (bool(self.parents) and not inherited)
            yield self._recorded_twice(kind, record.once, key, places, entry, is_new)

    def _recorded_twice(
        self,
        kind: KindBoard,
        once: Once,
        key: Key,
        places: Mapping[str, Entry],
        entry: Entry,
        is_new: bool,
    ) -> Finding:
        item = shown(key.label)
        where = shown(', '.join(places))
        message = _text(once.say or f'{once.name}: {{found}}', item=item, found=where)
        return finding(
            'REG017',
            item,
            entry.path,
            entry.line,
            message,
            key=f'{once.name}\0{kind.kind.name}\0{where}',
            fix=edit(entry.path, entry.line),
            severity=once.severity,
        )._replace(introduced=is_new, standing=True, rule=once.name)

    def _unknown(self, kind: KindBoard, key: Key) -> Iterator[Finding]:
        for record in kind.kind.records.values():
            entry = kind.first(record.name, key) if record.strict else None
            if entry is None or entry.value != UNKNOWN or record.read == PRESENT:
                continue
            old = self.before.kinds[kind.kind.name].first(record.name, key)
            word = shown(entry.word.strip())
            yield finding(
                'REG005',
                shown(key.label),
                entry.path,
                entry.line,
                f'`{word}` is not a state of {kind.kind.name}',
                found=word,
                fix=edit(entry.path, entry.line),
            )._replace(introduced=old is None or old.word != entry.word, standing=True)

    def _unreadable(self, kind: KindBoard) -> Iterator[Finding]:
        if self.change.is_ref_step:
            return
        old = self.before.kinds[kind.kind.name]
        seen = set[str]()
        for problem in kind.problems:
            is_touched = problem.path in self.change.touched or self.change.everything
            if not is_touched or problem.path in seen:
                continue
            seen.add(problem.path)
            # reads the file as it was
            old.entries(problem.record.name)
            known = any(each.path == problem.path for each in old.problems)
            yield finding(
                'REG018',
                shown(problem.path),
                problem.path,
                problem.error.line,
                f'{problem.path} {problem.error.message}, '
                f'so what it says is not checked',
                found=problem.error.message,
                fix=edit(problem.path, problem.error.line),
                severity=problem.record.severity,
            )._replace(introduced=not known, standing=True)


def _places(board: KindBoard, record: Record, key: Key) -> dict[str, Entry]:
    """Where an item is recorded; in one file, by how many times."""
    found: dict[str, Entry] = {}
    seen: dict[str, int] = {}
    for entry in board.entries(record.name).get(key, ()):
        if record.folder or not entry.reading or not entry.reading.item:
            found.setdefault(entry.place, entry)
        else:
            seen[entry.path] = seen.get(entry.path, 0) + 1
            number = seen[entry.path]
            found[entry.path if number == 1 else f'{entry.path} #{number}'] = entry
    return found


def _text(template: str, **parts: str) -> str:
    for name, value in parts.items():
        template = template.replace(f'{{{name}}}', value)
    return template


def _fix(text: str, item: str, path: str, line: int) -> Fix:
    if not text:
        return edit(path, line)
    return Fix('run', _text(text, item=item, path=path))


def of_records(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """The agreements: part of the check `registry`."""
    if is_recorded(workflow, change):
        yield from _Judge(change, workflow).run()


def _frozen_text(
    blob: Blob, freeze: Freeze, kind: KindBoard, record_fields: Iterable[str]
) -> list[str] | None:
    """What may not change: no ticks, no status line; None where it is absent."""
    try:
        text = decode(blob)
    except Unreadable:
        return [blob.oid]
    lines = [line.rstrip() for line in text.split('\n')]
    if freeze.section:
        chosen = section_lines(list(enumerate(lines, 1)), freeze.section, kind.names)
        if chosen is None:
            return None
        lines = [line for _, line in chosen]
    elif freeze.between:
        chosen_lines = _between(lines, *freeze.between)
        if chosen_lines is None:
            return None
        lines = chosen_lines
    fields = {label.casefold() for label in record_fields}
    kept = (_unticked(line) for line in lines if not _is_field(line, fields))
    return [line for line in kept if line]


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
    match = BOX_RE.match(line)
    return line if match is None else line.replace(f'[{match[2]}]', '[ ]', 1)


def _is_field(line: str, fields: set[str]) -> bool:
    match = LABEL_RE.match(line.lstrip('# '))
    return match is not None and match[2].strip().casefold() in fields


def of_frozen(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """What is frozen: part of the check `contracts`."""
    if change.everything or change.is_ref_step or not is_recorded(workflow, change):
        # of a ref each commit is asked
        return
    judge = _Judge(change, workflow)
    for name, after in judge.after.kinds.items():
        before = judge.before.kinds[name]
        for freeze in after.kind.frozen:
            if judge._is_excused(freeze.amendment):
                continue
            for path in change.touched:
                yield from _of_freeze(change, before, after, freeze, path)


def _of_freeze(
    change: Change, before: KindBoard, after: KindBoard, freeze: Freeze, path: str
) -> Iterator[Finding]:
    parts = next(
        (
            found
            for pattern in freeze.files
            if (found := after.names.path(pattern, path)) is not None
        ),
        None,
    )
    old, new = change.before.blob(path), change.after.blob(path)
    if parts is None or ITEM not in parts or old is None or new is None:
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
    was = _frozen_text(old, freeze, after, fields)
    if was is None or was == _frozen_text(new, freeze, after, fields):
        return
    item = shown(key.label)
    hint = f"git commit --trailer '{freeze.amendment}: WHY'" if freeze.amendment else ''
    yield finding(
        'CON007',
        item,
        path,
        1,
        _text(freeze.say or f'{freeze.name}: {{path}} changed', item=item, path=path),
        key=f'{freeze.name}\0{path}\0{new.oid}',
        fix=Fix('say why in the commit', hint) if hint else edit(path, 1),
        severity=freeze.severity,
    )._replace(rule=freeze.name)
