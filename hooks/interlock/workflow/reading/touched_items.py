"""Which items a change is about."""

from __future__ import annotations

from interlock.model.change import Change
from interlock.model.merge import MergedSnapshot
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_pairs import Pair, item_pairs
from interlock.workflow.reading.item_paths import item_of
from interlock.workflow.reading.kind_cache import of_change
from interlock.workflow.reading.records import all_items, registry


def _in_registry(change: Change, kind: Kind) -> set[str]:
    """The items whose rows or entries a change of the registry touches."""
    if kind.registry.file not in change.touched:
        return set()
    # most commits leave the registry alone
    from interlock.documents.registry.diff import changed

    after = registry(change.after, kind)
    items: set[str] = set()
    # what a merge lost of one parent is the same as in another
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
    """What is done to an item under its old name concerns the new one."""
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


@of_change
def pairs_to_judge(change: Change, kind: Kind) -> list[Pair]:
    """The records before and after the change of every item to judge."""
    items = items_to_judge(change, kind)
    return item_pairs(change.before, change.after, kind, items)
