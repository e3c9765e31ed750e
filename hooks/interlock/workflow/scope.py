"""Which items a change is about."""
from __future__ import annotations

from interlock.documents.registry_changes import changed
from interlock.model.change import Change
from interlock.workflow.names import item_of
from interlock.workflow.records import all_items
from interlock.workflow.records import registry
from interlock.workflow.spec import Kind


def _in_registry(change: Change, kind: Kind) -> set[str]:
    """The items whose rows or entries a change of the registry touches."""
    if kind.registry is None or kind.registry.file not in change.touched:
        return set()
    before = registry(change.before, kind)
    after = registry(change.after, kind)
    if before is None or after is None:
        one = before or after
        return set(one.places) if one else set()
    return changed(after, before)


def touched_items(change: Change, kind: Kind) -> list[str]:
    """Asked by every check, so remembered; `after` may have two parents."""
    return change.after.cached(
        ('touched', kind.name, id(change.before)),
        lambda: _touched_items(change, kind),
    )


def _touched_items(change: Change, kind: Kind) -> list[str]:
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
