"""What a change introduces, and what it only inherits."""
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.workflow.names import is_name
from interlock.workflow.names import record_paths
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.scope import items_to_judge
from interlock.workflow.scope import touched_items
from interlock.workflow.spec import Kind
from interlock.workflow.template import expand

# items whose files are read in one go
AT_ONCE = 100

Rule = Callable[[Records], Iterable[Finding]]


def mark(
        before: Iterable[Finding],
        after: Iterable[Finding],
) -> Iterator[Finding]:
    """The findings after, each told apart by whether it was there before."""
    known: set[str] | None = None
    for finding in after:
        if known is None:
            # most changes have no finding, so before is rarely looked at
            known = {old.fingerprint for old in before}
        yield finding._replace(
            introduced=finding.fingerprint not in known, standing=True,
        )


def _prefetch(change: Change, kind: Kind, items: Sequence[str]) -> None:
    paths = [
        expand(path, item) for item in items for path in record_paths(kind)
    ]
    change.before.prefetch(paths)
    change.after.prefetch(paths)


def _both(change: Change, kind: Kind, item: str) -> tuple[Records, Records]:
    before = records(change.before, kind, item)
    after = records(change.after, kind, item)
    # a change that takes the entries away does not make them needless
    return before, after._replace(
        monolithic=after.monolithic or before.monolithic,
    )


def judge_items(change: Change, kind: Kind, rule: Rule) -> Iterator[Finding]:
    """A rule about the records of one item, for each item to judge."""
    items = [item for item in items_to_judge(change, kind) if is_name(item)]
    for start in range(0, len(items), AT_ONCE):
        some = items[start:start + AT_ONCE]
        _prefetch(change, kind, some)
        for item in some:
            before, after = _both(change, kind, item)
            yield from mark(rule(before), rule(after))


def moved_items(
        change: Change,
        kind: Kind,
) -> Iterator[tuple[Records, Records]]:
    """The records before and after, for each item the change touches."""
    for item in touched_items(change, kind):
        if is_name(item):
            yield _both(change, kind, item)
