"""What a change introduces, and what it only inherits."""
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.workflow.names import is_name
from interlock.workflow.names import paths_of
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.scope import items_to_judge
from interlock.workflow.scope import touched_items
from interlock.workflow.spec import Kind

# items whose files are read in one go
AT_ONCE = 100

Rule = Callable[[Records], Iterable[Finding]]
# the records of one item before and after a change
Pair = tuple[Records, Records]


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
    paths = [path for item in items for path in paths_of(item, kind)]
    change.before.prefetch(paths)
    change.after.prefetch(paths)


def _both(change: Change, kind: Kind, item: str) -> Pair:
    before = records(change.before, kind, item)
    after = records(change.after, kind, item)
    if before.monolithic and not after.monolithic:
        # a change that takes the entries away does not make them needless
        after = after._replace(monolithic=True)
    return before, after


def _pairs(change: Change, kind: Kind) -> list[Pair]:
    """Every check asks for them, so they are made once."""
    return change.after.cached(
        ('pairs', kind.name, id(change.before), change.everything),
        lambda: list(_make_pairs(change, kind)),
    )


def _make_pairs(change: Change, kind: Kind) -> Iterator[Pair]:
    items = [item for item in items_to_judge(change, kind) if is_name(item)]
    for start in range(0, len(items), AT_ONCE):
        some = items[start:start + AT_ONCE]
        _prefetch(change, kind, some)
        for item in some:
            yield _both(change, kind, item)


def judge_items(change: Change, kind: Kind, rule: Rule) -> Iterator[Finding]:
    """A rule about the records of one item, for each item to judge."""
    for before, after in _pairs(change, kind):
        yield from mark(rule(before), rule(after))


def moved_items(change: Change, kind: Kind) -> list[Pair]:
    """The records before and after, for each item the change touches."""
    pairs = _pairs(change, kind)
    if not change.everything:
        return pairs
    touched = set(touched_items(change, kind))
    return [pair for pair in pairs if pair[0].item in touched]
