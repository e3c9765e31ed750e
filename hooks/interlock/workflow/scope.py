"""Which items a change is about."""
from __future__ import annotations

from interlock.documents.registry import Place
from interlock.model.change import Change
from interlock.workflow.names import item_of
from interlock.workflow.records import all_items
from interlock.workflow.records import registry
from interlock.workflow.spec import Kind

NO_PLACE = Place()


def _in_registry(change: Change, kind: Kind) -> set[str]:
    """The items whose rows or entries a change of the registry touches."""
    if kind.registry is None or kind.registry.file not in change.touched:
        return set()
    before = registry(change.before, kind)
    after = registry(change.after, kind)
    if before is None or after is None:
        one = before or after
        return set(one.places) if one else set()
    old, new = before.places, after.places
    if before.header != after.header or (
            before.has_entries != after.has_entries
    ):
        return set(old) | set(new)
    return {
        item for item in old.keys() | new.keys()
        if not old.get(item, NO_PLACE).same_bytes(new.get(item, NO_PLACE))
    }


def touched_items(change: Change, kind: Kind) -> list[str]:
    items = _in_registry(change, kind)
    for path in change.touched:
        item = item_of(path, kind)
        if item:
            items.add(item)
    return sorted(items)


def items_to_judge(change: Change, kind: Kind) -> list[str]:
    items = set(touched_items(change, kind))
    if change.everything:
        items.update(all_items(change.after, kind))
    return sorted(items)
