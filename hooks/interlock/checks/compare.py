"""What a change introduces, and what it only inherits."""

from __future__ import annotations

from interlock.model.change import Change
from interlock.model.finding import OFF, Finding
from interlock.model.quick_typing import Callable, Iterable, Iterator, Sequence
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.item_pairs import Pair
from interlock.workflow.reading.records import Records, records
from interlock.workflow.reading.touched_items import pairs_to_judge, touched_items

Rule = Callable[[Records], Iterable[Finding]]


def counted(findings: Iterable[Finding], workflow: Workflow) -> list[Finding]:
    """Apply the workflow's severities; drop rules that are off."""
    severities = workflow.severities
    judged = [
        each._replace(
            severity=severities.get(each.rule)
            or severities.get(each.code)
            or each.severity
        )
        for each in findings
    ]
    return [each for each in judged if each.severity != OFF]


def twins(change: Change, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """New files whose names differ from one of these by case only, each with it:
    on macOS and Windows they take its place."""
    known = {file.casefold(): file for file in files if file}
    for path, letter in change.touched.items():
        real = known.get(path.casefold(), path)
        if letter == 'A' and real != path and change.after.blob(real):
            yield path, real


def mark(before: Iterable[Finding], after: Iterable[Finding]) -> Iterator[Finding]:
    """Mark each finding as introduced or inherited."""
    known: set[str] | None = None
    for finding in after:
        if known is None:
            # most changes have no finding, so before is rarely looked at
            known = {old.fingerprint for old in before}
        yield finding._replace(
            introduced=finding.fingerprint not in known, standing=True
        )


def judge_items(change: Change, kind: Kind, rule: Rule) -> Iterator[Finding]:
    """A rule about the records of one item, for each item to judge."""
    for before, after in pairs_to_judge(change, kind):
        # what was wrong with an item is not new because of its new name
        found = mark(
            (old._replace(item=after.item) for old in rule(before)), rule(after)
        )
        if change.parents:
            found = _invented(change, kind, rule, list(found))
        yield from found


def _invented(
    change: Change, kind: Kind, rule: Rule, found: Sequence[Finding]
) -> Iterator[Finding]:
    """What no parent of a merge has is new, whatever it was made of."""
    for finding in found:
        known = finding.introduced or any(
            finding.fingerprint
            in {
                old.fingerprint
                for old in rule(records(parent.snapshot, kind, finding.item))
            }
            for parent in change.parents
        )
        yield finding if known else finding._replace(introduced=True)


def moved_items(change: Change, kind: Kind) -> list[Pair]:
    """The records before and after, for each item the change touches.

    The names in a pair differ where the change renames the item.
    """
    pairs = pairs_to_judge(change, kind)
    if not change.everything:
        return pairs
    touched = set(touched_items(change, kind))
    return [pair for pair in pairs if pair[1].item in touched]
