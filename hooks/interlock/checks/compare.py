"""What a change introduces, what it only inherits, and the reasons that commits
give for what they may not do without one."""

from __future__ import annotations

from interlock.documents.message import prose
from interlock.documents.trailers import reason, says_something
from interlock.model.change import Change, Message
from interlock.model.finding import OFF, Finding, Fix
from interlock.model.fixes import ours
from interlock.model.quick_typing import Callable, Iterable, Iterator, Mapping, Sequence
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading import transitions
from interlock.workflow.reading.changed_items import Pair, pairs_to_judge, touched_items
from interlock.workflow.reading.records import Records, records

Rule = Callable[[Records], Iterable[Finding]]
Step = tuple[State | None, State]


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


def broken(at: Records, *names: str) -> Iterator[Finding]:
    """Those agreements of the records of an item that do not hold."""
    for each in at.kind.agree:
        if each.name in names and not _hold(at, (each.then,)) and _hold(at, each.when):
            path, _, line = each.place.format(at=at).rpartition(':')
            label, _, words = each.fix.partition(': ')
            yield Location(at.item, path, int(line)).finding(
                each.name,
                each.say.format(at=at),
                expected=each.expected,
                found=each.found.format(at=at),
                fix=Fix(label, ours(*(word.format(at=at) for word in words.split()))),
            )


def _hold(at: Records, sides: Iterable[Mapping[str, Sequence[str]]]) -> bool:
    return any(
        all(at.says(name) in allowed for name, allowed in side.items())
        for side in sides
    )


def moved_items(change: Change, kind: Kind) -> list[Pair]:
    """The records before and after, for each item the change touches.

    The names in a pair differ where the change renames the item.
    """
    pairs = pairs_to_judge(change, kind)
    if not change.everything:
        return pairs
    touched = set(touched_items(change, kind))
    return [pair for pair in pairs if pair[1].item in touched]


def has_reason(message: Message, trailer: str, kind: Kind) -> bool:
    """Whether a message says why: by a trailer, or in words of its own."""
    if reason(message, trailer):
        return True
    # what a command of ours writes into every message
    spec = kind.commit
    own = (*spec.body, *spec.footers, *spec.agent_footers)
    return any(
        says_something(line) and line not in own for line in prose(message).split('\n')
    )


def behind(change: Change, kind: Kind, *items: str) -> Iterator[tuple[Change, Pair]]:
    """What the commits behind a change did to an item, oldest first.

    `items` are the names that it has before and after the change; those
    that it had meanwhile are found by its renames.
    """
    found = [
        (part, pair, {pair[0].item, pair[1].item})
        for part in change.behind()
        for pair in moved_items(part, kind)
    ]
    names, known = set(items), 0
    while len(names) > known:
        known = len(names)
        for _, _, both in found:
            if both & names:
                names |= both
    for part, pair, both in found:
        if both & names:
            yield part, pair


def _explained(message: Message | None, step: Step, kind: Kind) -> bool:
    old, new = step
    if message is None or old == new:
        return False
    needed = transitions.step(old, new, kind).reason
    return bool(needed) and has_reason(message, needed, kind)


def explained_steps(change: Change, kind: Kind, *items: str) -> list[Step]:
    """The steps of an item that need a reason, and were made with one."""
    found: list[Step] = []
    for part, (before, after) in behind(change, kind, *items):
        for old, new in (
            (before.state, after.state),
            (before.handoff_state, after.handoff_state),
        ):
            if new is not None and _explained(part.message, (old, new), kind):
                found.append((old, new))
    return found


def is_excused(change: Change, trailer: str) -> bool:
    """By a reason in the message, or because that is still to come."""
    if not trailer:
        return False
    elif change.message is None:
        return change.waits_for_message
    return bool(reason(change.message, trailer))
