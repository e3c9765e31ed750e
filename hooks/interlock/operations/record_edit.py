"""One value of a record is set; every other byte stays.

The value is replaced on its line, and the file is read again: unless exactly
that one value changed, nothing is offered.
"""

from __future__ import annotations

from collections import Counter

from interlock.model import quick_re as re
from interlock.model.change import Blob, Snapshot
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.workflow.agreements.board import KindBoard, RecordEntry
from interlock.workflow.agreements.judge import disagreements
from interlock.workflow.agreements.names import Names
from interlock.workflow.agreements.readers import BOX_RE, Parsed, Parser, Reading
from interlock.workflow.agreements.scope import board_of
from interlock.workflow.agreements.spec import Record, RecordedKind

TICKED, UNTICKED = 'x', ' '


class _Edit(NamedTuple):
    path: str
    record: Record
    names: Names
    reading: Reading
    word: str


def _with_mark(line: str, mark: str) -> Iterator[str]:
    match = BOX_RE.match(line)
    if match is not None:
        yield f'{line[: match.start("mark")]}{mark}{line[match.end("mark") :]}'


def _with_word(line: str, old: str, new: str) -> Iterator[str]:
    """Every place on a line where the old word stands, the last one first."""
    old = old.strip()
    for match in reversed(list(re.finditer(re.escape(old), line))) if old else ():
        yield f'{line[: match.start()]}{new}{line[match.end() :]}'


def _proposals(
    lines: list[str], record: Record, reading: Reading, word: str
) -> Iterator[tuple[int, str]]:
    first = reading.line - 1
    if record.read == 'boxes':
        if record.line and word in (record.ticked, record.unticked):
            mark = TICKED if word == record.ticked else UNTICKED
            for line in _with_mark(lines[first], mark):
                yield first, line
        return
    # in a list of objects the status may stand below or above the name
    reach = range(first, len(lines)) if record.read == 'json' else (first,)
    for at in reach:
        for line in _with_word(lines[at], reading.word, word):
            yield at, line
    for at in range(first - 1, -1, -1) if record.read == 'json' else ():
        for line in _with_word(lines[at], reading.word, word):
            yield at, line


def _read(data: bytes, record: Record, names: Names) -> Parsed:
    return Parser(record, names)(Blob('', len(data), data))


def _essence(parsed: Parsed) -> list[tuple[object, ...]]:
    return [
        (each.item, each.inside, each.line, each.word.strip(), each.open, each.depends)
        for each in parsed.readings
    ]


def with_value(
    data: bytes, record: Record, names: Names, reading: Reading, word: str
) -> bytes | None:
    """The file with another word for one reading; None if it cannot be done."""
    before = _read(data, record, names)
    if before.problem is not None or reading not in before.readings:
        return None
    wanted = _essence(before)
    at = before.readings.index(reading)
    item, inside, line, _, left, depends = wanted[at]
    wanted[at] = (item, inside, line, word, left, depends)
    try:
        lines = data.decode().split('\n')
    except UnicodeDecodeError:
        return None
    for number, text in _proposals(lines, record, reading, word):
        made = '\n'.join([*lines[:number], text, *lines[number + 1 :]]).encode()
        after = _read(made, record, names)
        if after.problem is None and _essence(after) == wanted:
            return made
    return None


def _word(board: KindBoard, record: Record, entry: RecordEntry, state: str) -> str:
    """What a record has to say for a state, as this project writes it; emphasis
    and reasons around the old word stay. '' where that is not possible."""
    if record.read == 'boxes':
        return state
    used = Counter(
        core
        for entries in board.entries(record.name).values()
        for each in entries
        if each.value == state and (core := board.core(each.word))
    )
    old, word = board.core(entry.word), entry.word.strip()
    if not old:
        return ''
    new = word.replace(old, used.most_common(1)[0][0] if used else state, 1)
    return new if board.value(new, False) == state else ''


def _edits(snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> Iterator[_Edit]:
    whole = board_of(snapshot, kinds)
    for board in whole.kinds.values():
        for agreement in board.kind.agree:
            if agreement.edit is None:
                continue
            record = board.kind.records[agreement.edit.record]
            for key in sorted(board.items()):
                if not any(disagreements(whole, board, key, agreement)):
                    continue
                entry = board.first(record.name, key)
                state = agreement.edit.word or board.says(agreement.edit.like, key)
                if entry is None or entry.reading is None:
                    continue
                if word := _word(board, record, entry, state):
                    yield _Edit(entry.path, record, board.names, entry.reading, word)


def fixed_records(
    snapshot: Snapshot, kinds: Sequence[RecordedKind]
) -> dict[str, tuple[bytes, bytes]]:
    """Path -> what stands there, and what `--fix` makes of it."""
    found: dict[str, tuple[bytes, bytes]] = {}
    for path, record, names, reading, word in _edits(snapshot, kinds):
        blob = snapshot.blob(path)
        assert blob is not None and blob.data is not None, 'it was read'
        old, now = found.get(path, (blob.data, blob.data))
        new = with_value(now, record, names, reading, word)
        if new is not None:
            found[path] = (old, new)
    return found
