"""Which items of recorded kinds a change is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from interlock.model.change import Change, Snapshot
from interlock.workflow.agreements.board import (
    Board,
    Key,
    KindBoard,
    RecordEntry,
    is_below,
)
from interlock.workflow.agreements.names import INSIDE, ITEM, literal_ends
from interlock.workflow.agreements.spec import Record, RecordedKind

# readers of files in which every line or key may be another item
SHARED = ('boxes', 'heading', 'table', 'yaml', 'json', 'jsonl')


def board_of(snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> Board:
    return snapshot.cached(('board', id(kinds)), lambda: Board(snapshot, kinds))


def is_about_records(change: Change, kinds: Sequence[RecordedKind]) -> bool:
    """Whether a change touches a file that any record or freeze is about."""
    if not kinds or change.everything:
        return bool(kinds)
    return any(is_watched(kind, path) for kind in kinds for path in change.contents)


def is_watched(kind: RecordedKind, path: str) -> bool:
    patterns = [
        pattern for record in kind.records.values() for pattern in record.files
    ] + [pattern for freeze in kind.frozen for pattern in freeze.files]
    return path in _project_files(kind) or any(
        path.startswith(head) and path.endswith(tail)
        for head, tail in map(literal_ends, patterns)
    )


def _project_files(kind: RecordedKind) -> set[str]:
    """The files in which a project keeps words of a kind."""
    sources = [*kind.let.values(), *([kind.words_from] if kind.words_from else [])]
    return {file for source in sources for file in source.files}


def _keys_of_path(
    board: KindBoard, record: Record, path: str
) -> Iterator[tuple[Key, RecordEntry]]:
    for key, entries in board.entries(record.name).items():
        for entry in entries:
            if entry.path == path or (record.folder and path.startswith(entry.path)):
                yield key, entry


def _essence(entry: RecordEntry) -> tuple[object, ...]:
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
    if not _project_files(after.kind).isdisjoint(change.contents):
        # the same words may mean something else now
        return after.items()
    for record in after.kind.records.values():
        for path in change.contents:
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


def _related(kind: KindBoard, touched: Mapping[str, set[Key]]) -> set[Key]:
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
                        is_below(each.item, key.item, kind.kind.join)
                        for each in touched[other]
                    )
                }
    return found


def items_to_judge(change: Change, before: Board, after: Board) -> dict[str, set[Key]]:
    """Kind -> the items that a change is about."""
    if change.everything:
        return {name: kind.items() for name, kind in after.kinds.items()}
    touched = {
        name: _touched(change, before.kinds[name], kind)
        for name, kind in after.kinds.items()
    }
    return {name: _related(kind, touched) for name, kind in after.kinds.items()}
