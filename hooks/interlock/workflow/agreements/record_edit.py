"""Sets one value of a record; every other byte stays.

The value is replaced on its line, and the file is read again. The edit is
offered only if exactly that one value changed.
"""

from __future__ import annotations

from collections import Counter

from interlock.model import quick_re as re
from interlock.model.change import Blob, Snapshot
from interlock.model.quick_typing import Callable, Iterator, NamedTuple, Sequence
from interlock.workflow.agreements.board import KindBoard
from interlock.workflow.agreements.entries import ItemKey
from interlock.workflow.agreements.judge import disagreements
from interlock.workflow.agreements.names import Names
from interlock.workflow.agreements.readers import BOX_RE, ParsedRecord, Parser, Reading
from interlock.workflow.agreements.scope import board_of
from interlock.workflow.agreements.spec import Edit, Record, RecordedKind

TICKED, UNTICKED = 'x', ' '
BOM = '\ufeff'.encode()


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
    """The line with the old word replaced at each place, the last place first."""
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
    # in a list of objects the status may be above or below the name
    reach = range(first, len(lines)) if record.read == 'json' else (first,)
    for at in reach:
        for line in _with_word(lines[at], reading.word, word):
            yield at, line
    for at in range(first - 1, -1, -1) if record.read == 'json' else ():
        for line in _with_word(lines[at], reading.word, word):
            yield at, line


def _read(data: bytes, record: Record, names: Names) -> ParsedRecord:
    return Parser(record, names)(Blob('', len(data), data))


def _essence(parsed: ParsedRecord) -> list[tuple[object, ...]]:
    return [
        (each.item, each.inside, each.line, each.word.strip(), each.open, each.depends)
        for each in parsed.readings
    ]


def with_value(
    data: bytes, record: Record, names: Names, reading: Reading, word: str
) -> bytes | None:
    """The file with a new word for one reading, None if that is not possible."""
    before = _read(data, record, names)
    if before.problem is not None or reading not in before.readings:
        return None
    wanted = _essence(before)
    at = before.readings.index(reading)
    item, inside, line, _, left, depends = wanted[at]
    wanted[at] = (item, inside, line, word, left, depends)
    mark = BOM if data.startswith(BOM) else b''
    try:
        lines = data.removeprefix(mark).decode().split('\n')
    except UnicodeDecodeError:
        return None
    for number, text in _proposals(lines, record, reading, word):
        body = '\n'.join([*lines[:number], text, *lines[number + 1 :]])
        made = mark + body.encode()
        after = _read(made, record, names)
        if after.problem is None and _essence(after) == wanted:
            return made
    return None


def _spelt(board: KindBoard, record: Record, state: str) -> str:
    """The word that this project writes for a state in a record."""
    used = Counter(
        core
        for entries in board.entries(record.name).values()
        for entry in entries
        if entry.value == state and (core := board.matcher.core(entry.word))
    )
    return used.most_common(1)[0][0] if used else state


def _edit(
    board: KindBoard,
    key: ItemKey,
    edit: Edit,
    spelt: Callable[[KindBoard, Record, str], str] = _spelt,
) -> _Edit | None:
    record = board.kind.records[edit.record]
    entry = board.first(edit.record, key)
    if entry is None:
        return None
    state = edit.word or board.says(edit.like, key)
    word = state
    if record.read != 'boxes':
        # emphasis and remarks around the old word stay
        old = board.matcher.core(entry.word)
        new = spelt(board, record, state)
        word = entry.word.strip().replace(old, new, 1) if old else ''
        if board.matcher.value(word) != state:
            return None
    return _Edit(entry.path, record, board.names, entry.reading, word)


def _edits(snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> Iterator[_Edit]:
    whole = board_of(snapshot, kinds)
    for board in whole.kinds.values():
        for agreement in board.kind.agree:
            for key in sorted(board.items()) if agreement.edit else ():
                if any(disagreements(whole, board, key, agreement)):
                    assert agreement.edit is not None
                    edit = _edit(board, key, agreement.edit)
                    if edit is not None:
                        yield edit


def can_be_made(board: KindBoard, key: ItemKey, edit: Edit) -> bool:
    """Whether `--fix` can bring an item in line; other items are not read."""
    found = _edit(board, key, edit, lambda _board, _record, state: state)
    blob = None if found is None else board.snapshot.blob(found.path)
    if found is None or blob is None or blob.data is None:
        return False
    return with_value(blob.data, *found[1:]) is not None


def fixed_records(
    snapshot: Snapshot, kinds: Sequence[RecordedKind]
) -> dict[str, tuple[bytes, bytes]]:
    """Path -> its current content, and the content after `--fix`."""
    found: dict[str, tuple[bytes, bytes]] = {}
    for path, record, names, reading, word in _edits(snapshot, kinds):
        blob = snapshot.blob(path)
        assert blob is not None and blob.data is not None, 'it was read'
        old, now = found.get(path, (blob.data, blob.data))
        new = with_value(now, record, names, reading, word)
        if new is not None:
            found[path] = (old, new)
    return found
