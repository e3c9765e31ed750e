"""Which items a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from interlock.model.change import Snapshot
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import all_items, registry


def known(snapshot: Snapshot, kind: Kind) -> list[str]:
    """The items of a registry; where there is none, of the whole tree."""
    read = registry(snapshot, kind)
    if read is None or (kind.registry and kind.registry.entry_file):
        return all_items(snapshot, kind)
    return list(read.places)


def named(text: str, names: Iterable[str]) -> list[str]:
    """The names that stand in a text as whole words.

    `Gain Pro` names no `Gain`, so the longest come first.
    """
    found = []
    for name in sorted(set(names), key=len, reverse=True):
        if name in text:
            whole = rf'(?<![\w-]){re.escape(name)}(?![\w-])'
            text, times = re.subn(whole, '\0', text)
            if times:
                found.append(name)
    return sorted(found)
