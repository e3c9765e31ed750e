"""Which items of recorded kinds a change concerns."""

from __future__ import annotations

from interlock.model import quick_tools as functools
from interlock.model.change import Change, Parent, Snapshot
from interlock.model.quick_typing import (
    Callable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.workflow.agreements.board import Board, KindBoard, above
from interlock.workflow.agreements.entries import FileEntries, ItemKey
from interlock.workflow.agreements.names import literal_ends
from interlock.workflow.agreements.readers import Reading
from interlock.workflow.agreements.record_paths import FoundFile, Held
from interlock.workflow.agreements.spec import (
    CHILDREN,
    DEPENDS,
    PRESENT,
    Record,
    RecordedKind,
)
from interlock.workflow.reading.kind_cache import remember

KNOWN_PATHS = 8192


def board_of(snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> Board:
    key = 'board', id(kinds)
    if key not in snapshot.known:
        snapshot.known[key] = Board(snapshot, kinds)
    board: Board = snapshot.known[key]
    return board


def boards_of(change: Change, kinds: Sequence[RecordedKind]) -> tuple[Board, Board]:
    """The boards before and after a change."""
    before = board_of(change.before, kinds)
    if not change.commit or change.is_ref_step:
        # only for a commit does `touched` list every difference between the trees
        return before, board_of(change.after, kinds)
    key, known = ('board', id(kinds)), change.after.known
    if key not in known:
        base, touched = (*change.parents, Parent(change.before, change.touched))[0]
        known[key] = Board(change.after, kinds).follow(
            board_of(base, kinds), recorded(kinds)(touched)
        )
    return before, known[key]


def has_records(snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> bool:
    """Whether any file of a tree is a record of an item."""
    return any(
        kind.files(record)
        for kind in board_of(snapshot, kinds).kinds.values()
        for record in kind.kind.records.values()
    )


def is_about_records(change: Change, kinds: Sequence[RecordedKind]) -> bool:
    """Whether a change touches a file that any record or freeze covers."""
    if not kinds or change.everything:
        return bool(kinds)
    return bool(recorded(kinds)(change.contents))


def watched_by(kinds: Sequence[RecordedKind], but: str = '') -> Callable[[str], bool]:
    """Selects the files that any record or freeze may cover; `but` leaves out
    records with that reader."""
    files = {file for kind in kinds for file in project_files(kind)}
    groups = [
        record.files
        for kind in kinds
        for record in kind.records.values()
        if record.read != but
    ]
    groups += [freeze.files for kind in kinds for freeze in kind.frozen]
    ends = {literal_ends(pattern) for patterns in groups for pattern in patterns}
    heads = tuple({head for head, _ in ends})
    # a history contains the same paths many times
    return functools.lru_cache(maxsize=KNOWN_PATHS)(
        lambda path: (
            path in files
            or (
                path.startswith(heads)
                and any(
                    path.startswith(head) and path.endswith(tail) for head, tail in ends
                )
            )
        )
    )


def read_by(kinds: Sequence[RecordedKind]) -> Callable[[str], bool]:
    """Selects the files whose content may matter, not just their existence."""
    return watched_by(kinds, but=PRESENT)


@remember
def recorded(
    kinds: Sequence[RecordedKind],
) -> Callable[[Mapping[str, str]], Mapping[str, str]]:
    """Selects the paths of a change that any record or freeze may cover."""
    is_watched = watched_by(kinds)
    # several checks ask for it, for each kind
    return remember(
        lambda touched: {
            path: letter for path, letter in touched.items() if is_watched(path)
        }
    )


@remember
def project_files(kind: RecordedKind) -> set[str]:
    """The files in which a project defines words of a kind."""
    sources = [*kind.let.values(), *([kind.words_from] if kind.words_from else [])]
    return {file for source in sources for file in source.files}


def _essence(said: FileEntries, key: ItemKey) -> list[tuple[object, ...]]:
    """What a file says about an item, without the lines."""
    return [
        (
            said.value(each),
            tuple(child.label for child in each.open),
            each.depends,
            each.parent,
            tuple((child.label, child.word) for child in each.children),
        )
        for each in said.said.get(key, ())
    ]


def _said(board: KindBoard, record: Record, file: FoundFile) -> FileEntries:
    """The entries of a file; of all files together if only the first ones count."""
    if not record.first:
        return board.in_file(record, file)
    found: dict[ItemKey, Sequence[Reading]] = {}
    for file in board.files(record):
        for key, readings in board.in_file(record, file).said.items():
            found[key] = (*found.get(key, ()), *readings)
    return FileEntries(found, value=board.matcher.value)


def _other_items(old: FileEntries, new: FileEntries) -> Iterator[ItemKey]:
    """The items that differ between two versions of a file."""
    for key in {**old.said, **new.said}:
        # most readings are equal, even in their line numbers
        if old.said.get(key) != new.said.get(key):
            if _essence(old, key) != _essence(new, key):
                yield key


class TouchedFiles(NamedTuple):
    """The files in a change that hold records of a kind."""

    # the items that their paths name, and prefixes of item names
    named: set[ItemKey]
    short: set[ItemKey]
    # the files whose content counts
    read: Sequence[tuple[Record, FoundFile]]


def files_of(change: Change, board: Board, kind: KindBoard) -> TouchedFiles:
    key, known = ('files', id(kind.matcher), id(change.before)), change.after.known
    if key not in known:
        held = kind.matcher.held_in(recorded(board.recorded)(change.contents))
        known[key] = _sorted_out(kind, held)
    found: TouchedFiles = known[key]
    return found


def _sorted_out(kind: KindBoard, touched: Sequence[Held]) -> TouchedFiles:
    found = TouchedFiles(set(), set(), read := [])
    for _, held in touched:
        for place, file in held:
            record = kind.kind.records[place[0]]
            if record.is_by_path:
                (found.short if record.short else found.named).add(file.key)
            if record.read != PRESENT:
                read.append((record, file))
    return found


def _touched(
    change: Change,
    board: Board,
    before: KindBoard,
    after: KindBoard,
    only_repeated: bool,
) -> set[ItemKey]:
    """The items whose entries a change alters; `only_repeated`: skip a file
    that lists each item once, if no other file lists any."""
    if not project_files(after.kind).isdisjoint(change.contents):
        # the same words may have another meaning now
        return after.items()
    files = files_of(change, board, after)
    found = set(files.named)
    for key in files.short:
        found |= after.items_behind(key)
    for record, file in files.read:
        if record.is_by_path:
            continue
        new = _said(after, record, file)
        if only_repeated and after.is_alone(record, file):
            if all(len(readings) == 1 for readings in new.said.values()):
                continue
        found.update(_other_items(_said(before, record, file), new))
    return found


def _asking(kind: KindBoard, touched: Mapping[str, set[ItemKey]]) -> Iterator[ItemKey]:
    """Items whose agreements refer to the touched items."""
    own = touched[kind.kind.name]
    for agreement in kind.kind.agree:
        for side, allowed in agreement.then.items():
            head, _, name = side.rpartition('.')
            if head in (DEPENDS, CHILDREN):
                # a value that fulfils the agreement cannot break it for another item
                wrong = {key for key in own if kind.says(name, key) not in allowed}
                if head == CHILDREN:
                    for key in wrong:
                        yield from kind.parents(name, key)
                elif wrong:
                    yield from kind.dependents(name, wrong)
            elif head:
                for key in touched.get(head, ()):
                    yield from above(key, kind.kind.join)


def items_to_judge(
    change: Change, before: Board, after: Board
) -> dict[str, set[ItemKey]]:
    """Kind -> the items that a change concerns."""
    if change.everything:
        return {name: kind.items() for name, kind in after.kinds.items()}
    asked = {
        side.rpartition('.')[0]
        for kind in after.kinds.values()
        for agreement in kind.kind.agree
        for side in agreement.then
    }
    touched = {
        name: _touched(
            change,
            after,
            before.kinds[name],
            kind,
            kind.matcher.only_counts and name not in asked,
        )
        for name, kind in after.kinds.items()
    }
    return {
        name: {*touched[name], *_asking(kind, touched)}
        for name, kind in after.kinds.items()
    }
