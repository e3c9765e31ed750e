"""Judges the registries, handoffs and contracts that a write would leave.

The first half of an edit in two steps passes: the commit refuses drift. A
change that no second step can repair is refused here. Each function yields the
objections to a write; the first one is the answer.
"""

from __future__ import annotations

import os

from interlock.checks import stages
from interlock.checks.compare import Case, with_severities
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.context import Context
from interlock.guard.decision import LEAVE, Decision, ask, deny
from interlock.guard.guards.wiring import UNTRACKED, is_left
from interlock.guard.relevance import Write
from interlock.model.change import Change, data_of
from interlock.model.errors import NoRepository
from interlock.model.finding import ERROR, Finding
from interlock.model.overlay import Overlay
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.workflow.language.patterns import expand, path_re
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.fix_command import legal_step
from interlock.workflow.reading.item_paths import item_of, record_paths
from interlock.workflow.reading.records import Records, records
from interlock.workflow.reading.seals import frozen_at, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.agreements.spec import Agreement, RecordedKind

STEPS = frozenset({'STG001', 'STG002'})
SEALS = frozenset({'CON001', 'CON002', 'CON005'})
FROZEN = 'CON007'
# the rules that a workflow sets for its own records
AGREEMENTS = frozenset({'REG016', 'REG017'})
# with these findings, the state of an item is unknown
LOST = frozenset({'REG008', 'HND001', 'HND002'})
# content that no seal matches
OTHER = b'\0'
BY_EDIT = 'ask the user; then: change it with the tool for edits'
EDIT = 'make the change with the tool for edits, whose result is judged'
MATCH = 'read the file again, and repeat its lines exactly (a patch: below `@@`)'
Files = dict[str, bytes | None]


class RecordFile(NamedTuple):
    """A file that is a record: its kind, its pattern in the workflow, its item."""

    kind: str
    pattern: str
    # '' for a registry, which all items share
    item: str = ''

    def __str__(self) -> str:
        return f'the handoff of {shown(self.item)}' if self.item else 'the registry'


def record_of(workflow: Workflow, name: str) -> RecordFile | None:
    """The record that a file is, None if it is not one; contracts and notes are not."""
    for kind in workflow.kinds:
        spec = kind.registry
        entry = spec.entry_file and path_re(spec.entry_file).match(name)
        if name == spec.file or entry:
            return RecordFile(kind.name, spec.file)
        for pattern in kind.handoff.places:
            match = path_re(pattern).match(name)
            if match:
                return RecordFile(kind.name, pattern, match['item'])
    return None


def _contract_of(kind: Kind, name: str, free: bool = True) -> str:
    """The pattern of the contract that a file is, '' if it is not a contract.
    Without `free`, only contracts that must not change once frozen count."""
    for contract in kind.contracts.files:
        for pattern in contract.paths if free or not contract.free else ():
            if path_re(pattern).match(name):
                return pattern
    return ''


def is_sealed(workflow: Workflow, name: str) -> bool:
    return any(_contract_of(kind, name, free=False) for kind in workflow.kinds)


def known(context: Context, top: str) -> Iterator[str]:
    """The records and contracts of every item that has a directory."""
    for kind in context.workflow.kinds:
        if kind.registry:
            yield kind.registry.file
        folder = os.path.join(top, os.path.dirname(kind.path))
        for item in os.listdir(folder) if os.path.isdir(folder) else ():
            yield from (expand(path, item) for path in record_paths(kind))


def _reached(context: Context, write: Write, top: str, name: str) -> list[str]:
    """The records and contracts among the files that a write reaches."""
    if not write.tree:
        return [name]
    below = os.path.relpath(write.real, top).replace(os.sep, '/')
    return [
        path
        for path in dict.fromkeys(known(context, top))
        if below == '.' or path == below or path.startswith(f'{below}/')
        if os.path.lexists(os.path.join(top, path))
    ]


def _findings(context: Context, change: Change) -> Iterator[Finding]:
    workflow = context.workflow
    case = Case(change, workflow)
    for found in with_severities(stages.check(case), workflow):
        if found.code in STEPS:
            yield found
    # imported only now: if the step is refused, contracts need no check
    from interlock.checks import contracts

    for found in with_severities(contracts.check(case), workflow):
        if found.code in SEALS and found.path in change.touched:
            if is_sealed(workflow, found.path):
                yield found


def _frozen(path: str, item: str, is_removed: bool, why: str) -> Decision:
    """Refuse a change that only the user can make, and say what follows it."""
    change = 'remove' if is_removed else 'change'
    amend = f"interlock handoff update {item} --amend 'WHY'"
    hint = f'ask the user to {change} it; then: {amend}'
    return deny('CON006', f'{path} is a frozen contract of {shown(item)}{why}', hint)


def _judged(
    context: Context, before: SteadySnapshot, files: Files
) -> Iterator[Decision]:
    change = Change(before, Overlay(before, files), dict.fromkeys(files, 'M'))
    for found in _findings(context, change):
        if not found.introduced or not found.refuses:
            continue
        elif found.code in SEALS:
            is_removed = files[found.path] is None
            why = f', and {found.message}'
            yield _frozen(found.path, found.item, is_removed, why)
        else:
            message = f'{shown(found.item)}: {found.message}'
            yield deny(found.code, message, _legal(context, change, found))


def _legal(context: Context, change: Change, found: Finding) -> str:
    """The legal step to take instead: nothing was written, so nothing needs undoing."""
    record = record_of(context.workflow, found.path)
    assert record is not None, 'steps are judged by records'
    kind = next(each for each in context.workflow.kinds if each.name == record.kind)
    before = records(change.before, kind, found.item)
    after = records(change.after, kind, found.item)
    return legal_step(before, after.state).step


def _of_unknown_contract(
    context: Context, before: SteadySnapshot, name: str, is_removed: bool
) -> Iterator[Decision]:
    """Judge a contract that is removed, or whose new content is unknown."""
    if is_sealed(context.workflow, name):
        yield from _judged(context, before, {name: None if is_removed else OTHER})
        for found in of_unsealed_contract(context, before, name, None):
            yield found if is_removed else deny(FROZEN, found.message, BY_EDIT)


def _of_unknown_record(context: Context, write: Write, name: str) -> Iterator[Decision]:
    """Judge a record that is removed, or whose new content is unknown."""
    found = record_of(context.workflow, name)
    if found is None:
        return
    elif write.removed:
        delete = f'interlock handoff delete {shown(found.item)}'
        hint = delete if found.item else 'ask the user'
        yield deny('CLD016', f'this would remove {name}, {found}', hint)
    elif write.how:
        what = f'`{shown(write.how)}` rewrites {name}, {found}'
        yield deny('CLD016', f'{what}; its result cannot be judged', EDIT)
    else:
        # some clients apply an edit even if its text matches only roughly
        what = f'this edit does not match the text of {name}, {found}'
        yield deny('CLD016', f'{what}, so its result cannot be judged', MATCH)


def _are_alike(context: Context, name: str, other: str) -> bool:
    """Whether two files play the same part for two items."""
    old, new = (record_of(context.workflow, each) for each in (name, other))
    if old and new:
        return bool(old.item) and old._replace(item='') == new._replace(item='')
    for kind in context.workflow.kinds:
        pattern = _contract_of(kind, name)
        if pattern:
            return pattern == _contract_of(kind, other)
    return False


def _stays(context: Context, write: Write, top: str, name: str) -> bool:
    """Whether a removal leaves a file in place, or moves it to another item."""
    path, target = os.path.join(top, name), write.target
    if not os.path.lexists(path):
        return True
    elif write.how in UNTRACKED:
        return is_left(context, write.how, path)
    elif not target:
        return False
    if os.path.isdir(target) and not os.path.isdir(write.real):
        target = os.path.join(target, os.path.basename(write.path))
    there = os.path.realpath(target + path[len(write.real) :])
    return not os.path.lexists(there) and (
        _are_alike(context, name, context.inside(there))
    )


def _has_seal(at: Records, name: str) -> bool:
    return any(seal.path == name and seal.is_checksum for seal in seals(at))


def of_unsealed_contract(
    context: Context, before: SteadySnapshot, name: str, new: bytes | None
) -> Iterator[Decision]:
    """Ask about a frozen contract that no seal protects; None removes it.

    A commit may change it for a reason, so the user decides. Until it is committed
    as frozen, it may still change.
    """
    if context.workflow.severities.get(FROZEN, ERROR) != ERROR:
        return
    for kind in context.workflow.kinds:
        item = item_of(name, kind) if _contract_of(kind, name, free=False) else ''
        at = records(before, kind, item) if item else None
        if at is None or not frozen_at(at) or _has_seal(at, name):
            continue
        try:
            with closing(context.repository(before.top)) as repository:
                tree = repository.tree_of(repository.head())
                old = data_of(tree, name)
                holds = frozen_at(records(tree, kind, item))
        except NoRepository:
            return
        if holds and old is not None and old != new:
            text = (
                f'{name} is a frozen contract of {shown(item)}; a commit that changes '
                f'it needs the trailer `{kind.contracts.amendment}: WHY`'
            )
            yield ask(FROZEN, text, LEAVE)


def _is_in_one_file(kind: RecordedKind, agreement: Agreement) -> bool:
    sides = (*agreement.same, *(name for side in agreement.when for name in side))
    names = {each.rpartition('.')[2] for each in (*sides, *agreement.then)}
    files = {kind.records[name].files for name in names if name in kind.records}
    related = any('.' in each for each in agreement.then)
    if len(files) != 1 or names - set(kind.records):
        return False
    return not related or not any('{item}' in file for group in files for file in group)


def _within_files(kind: RecordedKind) -> RecordedKind:
    """The kind with only those rules that a single file can break."""
    return kind._replace(
        agree=tuple(each for each in kind.agree if _is_in_one_file(kind, each)),
        records={
            name: each if each.line or each.item else each._replace(once=None)
            for name, each in kind.records.items()
        },
    )


def _of_agreements(
    workflow: Workflow, before: SteadySnapshot, files: Files
) -> Iterator[Decision]:
    """Judge records and frozen files of other formats.

    An edit of records in several files takes several steps, so their
    disagreements are left to the commit.
    """
    from interlock.checks import contracts_agreements, registry_agreements

    touched = {path: 'D' if data is None else 'M' for path, data in files.items()}
    change = Change(before, Overlay(before, files), touched)
    for found in with_severities(
        contracts_agreements.check(change, workflow), workflow
    ):
        answer = deny if found.refuses else ask
        yield answer(found.code, f'{found.rule}: {found.message}', found.fix.step)
    alone = workflow._replace(recorded=tuple(map(_within_files, workflow.recorded)))
    for found in with_severities(registry_agreements.check(change, alone), workflow):
        if found.introduced and found.refuses and found.code in AGREEMENTS:
            text = f'{found.rule}: {shown(found.item)}: {found.message}'
            yield deny(found.code, text, found.fix.step)


def _of_content(
    context: Context, write: Write, before: SteadySnapshot, name: str, new: bytes
) -> Iterator[Decision]:
    files: Files = {name: new}
    yield from _judged(context, before, files)
    yield from of_unsealed_contract(context, before, name, new)
    if context.workflow.recorded:
        yield from _of_agreements(context.workflow, before, files)
    if not write.how or record_of(context.workflow, name) is None:
        # a tool may edit in two steps
        return
    from interlock.checks import handoff, registry

    change = Change(before, Overlay(before, files), {name: 'M'})
    case = Case(change, context.workflow)
    for check in (registry.check, handoff.check):
        for found in check(case):
            if found.code in LOST and found.introduced and found.path == name:
                text = f'{name} could no longer be read: {found.message}'
                yield deny('CLD016', text, EDIT)


def _at(context: Context, write: Write, path: str) -> Iterator[Decision]:
    name = context.inside(path)
    if not name:
        return
    top = path[: -len(name)].rstrip(os.sep) or os.sep
    before = SteadySnapshot(top)
    if not write.removed and write.new is not None:
        yield from _of_content(context, write, before, name, write.new)
        return
    files = _reached(context, write, top, name)
    if write.removed:
        files = [each for each in files if not _stays(context, write, top, each)]
    for each in files:
        # contracts first: once the handoff is removed too, no seal is left to compare
        yield from _of_unknown_contract(context, before, each, write.removed)
    for each in files:
        yield from _of_unknown_record(context, write, each)
    if write.removed:
        yield from _judged(context, before, dict.fromkeys(files))


def judge(context: Context, write: Write) -> Iterator[Decision]:
    if write.kept or write.restored:
        return
    source = context.inside(write.source) if write.source else ''
    for path in write.places:
        if source and not os.path.lexists(path):
            if _are_alike(context, source, context.inside(path)):
                # the item is renamed; the commit judges the new name
                continue
        yield from _at(context, write, path)
