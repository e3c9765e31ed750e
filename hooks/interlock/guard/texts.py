"""Texts of unknown origin: shortens them, lists them, and finds items in them."""

from __future__ import annotations

from interlock.documents.text import one_line, shown
from interlock.guard.decision import cut
from interlock.model import quick_re as re
from interlock.model.change import Snapshot
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterable, Sequence
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import all_items, registry

# how many names are listed, and how long each may be
MOST = 10
WIDTH = 60


def clean(text: str, width: int = WIDTH) -> str:
    """The text on one line, without characters that control a terminal or a reader."""
    return cut(' '.join(one_line(text).split()), width)


def said_at(finding: Finding) -> str:
    """A finding with its place."""
    said = finding._replace(item=shown(finding.item)).said
    return f'{shown(finding.path)}:{finding.line}: {finding.code} {said}'


def listed(
    names: Sequence[str], limit: int, count: int = 0, between: str = ', '
) -> str:
    """The first of `count` names, as many as fit."""
    text, number = '', 0
    for name in names[:MOST]:
        longer = f'{text}{between}{name}' if text else name
        if len(longer) > limit and text:
            break
        text, number = longer, number + 1
    more = max(count, len(names)) - number
    return f'{text} and {more} more' if more > 0 else text


def known_items(snapshot: Snapshot, kind: Kind) -> list[str]:
    """The items of the registry, or of the whole tree if there is no registry."""
    read = registry(snapshot, kind)
    if read is None or kind.registry.entry_file:
        return all_items(snapshot, kind)
    return list(read.places)


def items_named(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in a text as whole words.

    The longest come first, because `Gain Pro` does not name `Gain`.
    """
    found = []
    for name in sorted(set(names), key=len, reverse=True):
        if name in text:
            whole = rf'(?<![\w-]){re.escape(name)}(?![\w-])'
            text, times = re.subn(whole, '\0', text)
            if times:
                found.append(name)
    return sorted(found)
