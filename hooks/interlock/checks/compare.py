"""Tells findings that a change introduces from inherited ones, and finds the
reasons that commits give for changes that need one."""

from __future__ import annotations

from interlock.documents.trailers import reason, says_something
from interlock.model.change import ADDED, TYPE_CHANGED, Change, Message
from interlock.model.finding import OFF, WARNING, Finding, Fix
from interlock.model.fixes import ours
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import ABSENT, PRESENT, Kind, Workflow
from interlock.workflow.reading import transitions
from interlock.workflow.reading.changed_items import (
    Pair,
    pairs_to_judge,
    touched_items,
    unfit_names,
)
from interlock.workflow.reading.item_paths import folded, folded_records
from interlock.workflow.reading.records import Records, all_items, records

Rule = Callable[[Records], Iterable[Finding]]
Step = tuple[State | None, State]


def with_severities(findings: Iterable[Finding], workflow: Workflow) -> list[Finding]:
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
    """New files that would replace a known file where case does not count, each
    with that file."""
    added = [path for path, letter in change.touched.items() if letter == ADDED]
    known = {folded(file): file for file in files if file} if added else {}
    for path in added:
        real = known.get(folded(path), path)
        if real != path and change.after.blob(real):
            yield path, real


def record_twins(
    change: Change, kind: Kind, patterns: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """New files that would replace a record where case does not count: the item, the
    new file and the record."""
    for path, letter in change.touched.items():
        if letter != ADDED:
            continue
        for pattern, name in folded_records(path, patterns):
            names = [
                item for item in all_items(change.before, kind) if folded(item) == name
            ]
            real = {expand(pattern, item): item for item in names}
            # names of two items may differ by case only; then both have records
            for other in () if path in real else real:
                if change.after.blob(other):
                    yield real[other], path, other


def as_twin(path: str, real: str, what: str = '') -> str:
    """Says that a new file replaces another one on some systems."""
    is_case = path.casefold() == real.casefold()
    how = 'only by case' if is_case else 'only by how its letters are encoded'
    where = 'macOS and Windows' if is_case else 'macOS'
    return (
        f'its name differs from that of {what and f"the {what} "}{real} {how}, '
        f'so it replaces that file on {where}'
    )


def no_longer_files(change: Change, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Files that became links or submodules, each with what is wrong.

    Their content in git may be the same, but nobody who checks them out has it.
    """
    for file in files:
        if change.touched.get(file) == TYPE_CHANGED:
            yield file, 'is no longer a file, but a link or a submodule'


def mark(before: Iterable[Finding], after: Iterable[Finding]) -> Iterator[Finding]:
    """Mark each finding as introduced or inherited."""
    known: set[str] | None = None
    for finding in after:
        if known is None:
            # most changes have no finding, so `before` is rarely evaluated
            known = {old.fingerprint for old in before}
        yield finding._replace(
            introduced=finding.fingerprint not in known, standing=True
        )


class Concerned(NamedTuple):
    """The items of a kind that a change concerns, each before and after it.

    The names in a pair differ where the change renames the item.
    """

    change: Change
    kind: Kind
    # the items to judge, and those of them that the change touches
    pairs: Sequence[Pair]
    moved: Sequence[Pair]
    # names that cannot be those of items
    unfit: Sequence[str]


def concerned(change: Change, kind: Kind) -> Concerned:
    pairs = moved = pairs_to_judge(change, kind)
    unfit = unfit_names(change, kind)
    if change.everything:
        touched = set(touched_items(change, kind))
        moved = [pair for pair in pairs if pair[1].item in touched]
    return Concerned(change, kind, pairs, moved, unfit)


class Case:
    """A change, the workflow that judges it, and the items that it concerns."""

    __slots__ = ('_items', 'change', 'workflow')

    def __init__(self, change: Change, workflow: Workflow) -> None:
        self.change = change
        self.workflow = workflow
        self._items: list[Concerned] | None = None

    @property
    def items(self) -> list[Concerned]:
        """The items of each kind, read once for all checks."""
        if self._items is None:
            self._items = [concerned(self.change, each) for each in self.workflow.kinds]
        return self._items


def judge_items(items: Concerned, rule: Rule) -> Iterator[Finding]:
    """Apply a rule about the records of one item to each item to judge."""
    for before, after in items.pairs:
        # an old problem of an item is not new because the item was renamed
        found = mark(
            (old._replace(item=after.item) for old in rule(before)), rule(after)
        )
        if items.change.parents:
            found = _invented(items, rule, list(found))
        yield from found


def _invented(
    items: Concerned, rule: Rule, found: Sequence[Finding]
) -> Iterator[Finding]:
    """A finding that no parent of a merge has is new, whatever its origin."""
    for finding in found:
        known = finding.introduced or any(
            finding.fingerprint
            in {
                old.fingerprint
                for old in rule(records(parent.snapshot, items.kind, finding.item))
            }
            for parent in items.change.parents
        )
        yield finding if known else finding._replace(introduced=True)


def _fits(at: Records, side: Mapping[str, Sequence[str]]) -> bool:
    # asked very often, for every item: a generator would take twice the time
    for name, allowed in side.items():
        said = getattr(at, name)
        if not isinstance(said, str):
            said = PRESENT if said else ABSENT
        if said not in allowed:
            return False
    return True


def broken_agreements(at: Records, *names: str) -> Iterator[Finding]:
    """Find those of the named agreements between its records that do not hold."""
    broken = [
        each
        for each in at.kind.agree
        if each.name in names
        and not _fits(at, each.then)
        and any([_fits(at, side) for side in each.when])
    ]
    for each in broken:
        path, _, line = each.place.format(at=at).rpartition(':')
        label, _, words = each.fix.partition(': ')
        yield Location(at.item, path, int(line)).finding(
            each.name,
            each.say.format(at=at),
            expected=each.expected,
            found=each.found.format(at=at),
            fix=Fix(label, ours(*(word.format(at=at) for word in words.split()))),
        )


def has_reason(message: Message, trailer: str, kind: Kind) -> bool:
    """Whether a message gives a reason: in a trailer, or in its own words."""
    if reason(message, trailer):
        return True
    from interlock.documents.message import prose

    # the text that our commands write into every message
    spec = kind.commit
    own = (*spec.body, *spec.footers, *spec.agent_footers)
    return any(
        says_something(line) and line not in own for line in prose(message).split('\n')
    )


def changes_behind(
    change: Change, kind: Kind, *items: str
) -> Iterator[tuple[Change, Pair]]:
    """The changes that the commits behind a change made to an item, oldest first.

    `items` are its names before and after the change. Names in between are
    found through its renames.
    """
    found = [
        (part, pair, {pair[0].item, pair[1].item})
        for part in change.behind()
        for pair in concerned(part, kind).moved
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
    """The steps of an item that need a reason and were made with one."""
    found: list[Step] = []
    for part, (before, after) in changes_behind(change, kind, *items):
        for old, new in (
            (before.state, after.state),
            (before.handoff_state, after.handoff_state),
        ):
            if new is not None and _explained(part.message, (old, new), kind):
                found.append((old, new))
    return found


def before_message(found: Iterable[Finding], change: Change) -> Iterator[Finding]:
    """Findings that a reason would excuse: without a message, at most warnings."""
    if change.message is not None or change.is_ref_step:
        yield from found
    elif change.is_draft:
        yield from (each._replace(severity=WARNING) for each in found)


def is_excused(change: Change, trailer: str) -> bool:
    """Whether the message gives a reason, or is still to come."""
    if not trailer:
        return False
    elif change.message is None:
        return change.waits_for_message
    return bool(reason(change.message, trailer))
