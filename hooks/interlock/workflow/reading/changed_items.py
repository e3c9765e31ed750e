"""The items that a change concerns, each matched with its earlier self.

A renamed item is the same item: one name disappears from the records, another
appears, and a file of its records (its handoff, a contract) moved with it. An
item without files was renamed if the other cells of its row are unchanged.
"""

from __future__ import annotations

from interlock.documents import markdown
from interlock.model.change import Blob, Change, MergedSnapshot, Snapshot
from interlock.model.quick_typing import Iterable, Iterator, Sequence
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_paths import is_name, item_of, paths_of
from interlock.workflow.reading.kind_cache import of_change
from interlock.workflow.reading.records import Records, all_items, records, registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter

    from interlock.model.finding import Fix

# a line is counted in pieces of at most this many bytes
PIECE = 64
# the similarity from which on a new file counts as renamed
RENAMED = 0.5


def _pieces(data: bytes) -> Counter[bytes]:
    from collections import Counter

    found: Counter[bytes] = Counter()
    for line in data.replace(b'\r\n', b'\n').splitlines(keepends=True):
        for start in range(0, len(line), PIECE):
            found[line[start : start + PIECE]] += 1
    return found


def similarity(one: bytes, two: bytes) -> float:
    """The share of the larger file that both have, from 0 to 1."""
    if one == two:
        # an empty file does not show where it came from
        return 1.0 if one else 0.0
    larger, smaller = max(len(one), len(two)), min(len(one), len(two))
    if smaller < larger * RENAMED:
        # they cannot be similar enough, so we need not count
        return smaller / larger * RENAMED
    common = _pieces(one) & _pieces(two)
    return sum(len(piece) * n for piece, n in common.items()) / larger


# the records of one item before and after; the names differ if it was renamed
Pair = tuple[Records, Records]

# the number of items whose files are read at once
AT_ONCE = 100
# beyond this many pairs of names, only identical files are matched
MANY = 10_000


def is_recorded(at: Records) -> bool:
    return at.registered or at.current is not None


def _likeness(one: Blob, two: Blob, exact: bool) -> float:
    if one.oid == two.oid:
        return 1.0 if one.size else 0.0
    elif exact or one.data is None or two.data is None:
        return 0.0
    return similarity(one.data, two.data)


def _moved(gone: Records, new: Records, exact: bool) -> float:
    """The similarity of the file that moved with the fewest changes."""
    best = 0.0
    before, after = gone.snapshot, new.snapshot
    for old_path, new_path in zip(
        paths_of(gone.item, gone.kind), paths_of(new.item, new.kind), strict=True
    ):
        old, fresh = before.blob(old_path), after.blob(new_path)
        if (
            old
            and fresh
            and after.blob(old_path) is None
            and before.blob(new_path) is None
        ):
            best = max(best, _likeness(old, fresh, exact))
    return best


def renamed(
    before: Snapshot, after: Snapshot, kind: Kind, items: Iterable[str]
) -> dict[str, str]:
    """The new name -> the old name of each renamed item.

    `items` are the names that may differ between the snapshots.
    """
    gone, new = [], []
    for item in items:
        old, fresh = records(before, kind, item), records(after, kind, item)
        if is_recorded(old) and not is_recorded(fresh):
            gone.append(old)
        elif is_recorded(fresh) and not is_recorded(old) and is_name(item, kind):
            new.append(fresh)
    if not gone or not new:
        return {}
    found = dict(_matched([old for old in gone if is_name(old.item, kind)], new))
    moved = {*found.values()}
    found.update(
        _same_rows(
            [old for old in gone if old.item not in moved],
            [fresh for fresh in new if fresh.item not in found],
        )
    )
    return found


def _other_cells(at: Records, *but: str) -> tuple[str, ...]:
    """The row of an item without its name and the columns `but`; empty if it has
    other records."""
    read = registry(at.snapshot, at.kind)
    if read is None or at.current or len(at.rows) != 1 or at.entries:
        return ()
    (piece,) = read.place(at.item).rows
    table = read.table_at(piece.offset)
    assert table is not None, 'every row stands in a table'
    cells = markdown.cells(piece.data.decode(errors='surrogateescape'))
    left_out = [table.columns[role] for role in ('item', *but)]
    return tuple(cell.strip() for at, cell in enumerate(cells) if at not in left_out)


def _has_files(at: Records) -> bool:
    """Whether it has a file that would have moved with it."""
    return is_name(at.item, at.kind) and any(
        at.snapshot.blob(path) is not None for path in paths_of(at.item, at.kind)
    )


def _same_rows(
    gone: Sequence[Records], new: Sequence[Records]
) -> Iterator[tuple[str, str]]:
    rows: dict[tuple[str, ...], list[str]] = {}
    for old in gone:
        cells = _other_cells(old)
        if cells and not _has_files(old):
            rows.setdefault(cells, []).append(old.item)
    for fresh in new:
        same = rows.get(_other_cells(fresh))
        if same:
            yield fresh.item, same.pop(0)


def apparent_rename(change: Change, at: Records) -> Pair | None:
    """The old and the new records of an item that was apparently renamed.

    `at` are one of them. A new row replaces an old one if it has the same cells, or
    if no other row, or none with its status, came or left.
    """
    pairs = pairs_to_judge(change, at.kind)
    gone = [old for old, new in pairs if old.registered and not new.registered]
    came = [new for old, new in pairs if new.registered and not is_recorded(old)]
    for old in gone:
        like = [new for new in came if new.state == old.state]
        same = [new for new in like if _other_cells(new) == _other_cells(old) != ()]
        alone = like if [each.state for each in gone].count(old.state) == 1 else []
        if not like and len(gone) == 1:
            alone = came
        for new in same[:1] if same else alone if len(alone) == 1 else ():
            if at.item in (old.item, new.item):
                return old, new
    return None


def without_its_files(change: Change, at: Records) -> Fix | None:
    """The fix that moves the files of an item that was apparently renamed without
    them."""
    # only refused changes need it
    from interlock.model.fixes import move_files

    old, new = apparent_rename(change, at) or (at, at)
    paths = zip(paths_of(old.item, at.kind), paths_of(new.item, at.kind), strict=True)
    moves = [
        (here, there)
        for here, there in paths
        if change.after.blob(here) and not change.after.blob(there)
    ]
    return move_files(old.item, moves) if moves else None


def only_state_differs(old: Records, new: Records) -> bool:
    """Whether two rows have the same cells apart from their names and states."""
    cells = _other_cells(old, 'status')
    return old.state != new.state and _other_cells(new, 'status') == cells != ()


def _matched(
    gone: Sequence[Records], new: Sequence[Records]
) -> Iterator[tuple[str, str]]:
    """Pairs in which each name occurs once, the most similar first."""
    exact = len(gone) * len(new) > MANY
    likely = sorted(
        (-_moved(old, fresh, exact), fresh.item, old.item)
        for old in gone
        for fresh in new
    )
    taken: set[str] = set()
    for likeness, name, old_name in likely:
        if -likeness >= RENAMED and not taken & {name, old_name}:
            taken |= {name, old_name}
            yield name, old_name


def _pair(
    before: Snapshot, after: Snapshot, kind: Kind, old_name: str, name: str
) -> Pair:
    old, new = records(before, kind, old_name), records(after, kind, name)
    if old.monolithic and not new.monolithic:
        # a change that removes the entries still needs them
        new = new._replace(monolithic=True)
    return old, new


def item_pairs(
    before: Snapshot, after: Snapshot, kind: Kind, items: Sequence[str]
) -> list[Pair]:
    """The records before and after for each of these items.

    A renamed item is one pair under its new name; `pair[0].item` is its old
    name. Names that cannot belong to an item are left out.
    """
    names = [item for item in items if is_name(item, kind)]
    for start in range(0, len(names), AT_ONCE):
        paths = [
            path
            for item in names[start : start + AT_ONCE]
            for path in paths_of(item, kind)
        ]
        before.prefetch(paths)
        after.prefetch(paths)
    old_names = renamed(before, after, kind, items)
    elsewhere = set(old_names.values())
    return [
        _pair(before, after, kind, old_names.get(name, name), name)
        for name in names
        if name not in elsewhere
    ]


def _in_registry(change: Change, kind: Kind) -> set[str]:
    """The items whose rows or entries a change of the registry touches."""
    if kind.registry.file not in change.touched:
        return set()
    # most commits do not touch the registry
    from interlock.documents.registry.diff import changed

    after = registry(change.after, kind)
    items: set[str] = set()
    # every parent: a row that a merge lost from one may be as in another
    for snapshot in [parent.snapshot for parent in change.parents] or [change.before]:
        before = registry(snapshot, kind)
        if before is not None and after is not None:
            items |= changed(after, before)
        elif before is not None or after is not None:
            one = before or after
            items.update(one.places if one else ())
    return items


@of_change
def touched_items(change: Change, kind: Kind) -> list[str]:
    items = _in_registry(change, kind)
    for path in change.touched:
        item = item_of(path, kind)
        if item:
            items.add(item)
    return sorted(items | _renamed(change, kind, items))


def _renamed(change: Change, kind: Kind, items: set[str]) -> set[str]:
    """The new names of items: a change under the old name concerns the new one."""
    if not items or not isinstance(change.before, MergedSnapshot):
        return set()
    # only merges need it
    from interlock.workflow.reading.merged_records import renames

    return {new for new, old in renames(change.before, kind).items() if old in items}


def items_to_judge(change: Change, kind: Kind) -> list[str]:
    items = set(touched_items(change, kind))
    if change.everything:
        items.update(all_items(change.after, kind))
    return sorted(items)


def unfit_names(change: Change, kind: Kind) -> list[str]:
    """The names to judge that cannot be those of items."""
    return [name for name in items_to_judge(change, kind) if not is_name(name, kind)]


@of_change
def pairs_to_judge(change: Change, kind: Kind) -> list[Pair]:
    """The records before and after the change of every item to judge."""
    items = items_to_judge(change, kind)
    return item_pairs(change.before, change.after, kind, items)
