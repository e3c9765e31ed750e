from __future__ import annotations

from interlock.checks.compare import judge_items, mark, moved_items
from interlock.checks.reasons import behind
from interlock.checks.registry_item import of_item
from interlock.documents.text import encoding_of, shown
from interlock.documents.trailers import DROPPED, PLACEHOLDER, reason
from interlock.model.change import Change, Snapshot
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding
from interlock.model.fixes import convert, edit, restore, restore_registry
from interlock.model.quick_typing import Iterable, Iterator, Sequence
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import STAGE, Kind, Workflow
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.item_paths import (
    handoff_of,
    is_name,
    similar_name,
    why_no_name,
)
from interlock.workflow.reading.records import Records, registry
from interlock.workflow.reading.touched_items import items_to_judge


def _of_file(snapshot: Snapshot, kind: Kind, used: bool) -> Iterator[Finding]:
    spec = kind.registry
    assert spec is not None
    read = registry(snapshot, kind)
    if read is not None and read.problem is not None:
        where = Location(EVERY_ITEM, spec.file, read.problem.line)
        encoding = read.problem.encoding
        yield where.finding(
            'REG008',
            f'the registry {read.problem.message}',
            found=read.problem.message,
            fix=convert(where.path, where.line, encoding) if encoding else None,
        )
    elif read is None and used:
        yield Location(EVERY_ITEM, spec.file).finding(
            'REG008', 'the registry is missing', found='missing', fix=restore_registry()
        )


def _moves_an_item(change: Change, kind: Kind) -> bool:
    """Whether a change may move an item of an unreadable registry.

    Judged by the lines of the registry that name a state, and by handoffs.
    """
    assert kind.registry is not None
    path = kind.registry.file
    if path in change.touched:
        old, new = change.before.blob(path), change.after.blob(path)
        assert old is not None and new is not None, 'the file exists but was not read'
        if old.data is None or new.data is None:
            return True
        lines = {*old.data.splitlines()} ^ {*new.data.splitlines()}
        words = [word.lower().encode() for word in kind.words]
        if any(word in line.lower() for line in lines for word in words):
            return True
    return any(
        before.handoff_state != after.handoff_state
        for before, after in moved_items(change, kind)
    )


def _unreadable(
    change: Change, kind: Kind, found: Iterable[Finding]
) -> Iterator[Finding]:
    """A registry that could not be read before either is said again.

    Nothing that it says is checked, so silence would look like a pass: a
    change of it or of an item is reported, and refused if it moves an item.
    """
    assert kind.registry is not None
    for each in found:
        if each.introduced or not _concerns(change, kind):
            yield each
        else:
            # a project may begin before its registry does
            is_there = change.after.blob(kind.registry.file) is not None
            moves = is_there and _moves_an_item(change, kind)
            yield each._replace(
                introduced=True,
                standing=False,
                severity=ERROR if moves else WARNING,
                message=f'{each.message}, so what it says of items is not checked',
            )


def _concerns(change: Change, kind: Kind) -> bool:
    """Whether a change touches the registry, or an item with a record."""
    assert kind.registry is not None
    return kind.registry.file in change.touched or any(
        before.current or after.current for before, after in moved_items(change, kind)
    )


def _bad_name(item: str, path: str, line: int, encoding: str = '') -> Finding:
    similar = similar_name(item)
    label = f'rename it, for example to `{similar}`,' if similar else 'rename it'
    return Location(shown(item), path, line).finding(
        'REG009',
        f'`{shown(item)}` cannot be the name of an item: {why_no_name(item)}',
        found=shown(item),
        fix=convert(path, line, encoding) if encoding else edit(path, line, label),
    )


def _bad_names(
    snapshot: Snapshot, kind: Kind, items: Sequence[str]
) -> Iterator[Finding]:
    """Names in the registry that would be paths to somewhere else."""
    read = registry(snapshot, kind)
    assert kind.registry is not None
    for item in items if read else ():
        assert read is not None
        rows, entries = read.place(item)
        for piece in (*rows, *entries)[:1]:
            line = read.line(piece.offset)
            encoding = encoding_of(piece.data)
            yield _bad_name(item, kind.registry.file, line, encoding)


def _bad_folders(change: Change, kind: Kind) -> Iterator[Finding]:
    """Handoffs in folders whose names can be no item's."""
    for path, letter in change.touched.items():
        item = handoff_of(path, kind)
        if item and not is_name(item) and letter != 'D':
            yield _bad_name(item, shown(path), 1)


def _gone(change: Change, kind: Kind) -> bool:
    assert kind.registry is not None
    return (
        change.after.blob(kind.registry.file) is None
        and change.before.blob(kind.registry.file) is not None
    )


def _is_in_work(at: Records) -> bool:
    """Past the first states, and not finished; by either record."""
    state = at.stage if at.state is None else at.state
    return state is not None and at.kind.states[state.name].role == STAGE


def _is_explained(change: Change, before: Records) -> bool:
    """Whether the commit, or one behind the step of a ref, says why."""
    if change.message is not None:
        return bool(reason(change.message, DROPPED))
    return any(
        old.registered
        and not new.registered
        and part.message is not None
        and reason(part.message, DROPPED)
        for part, (old, new) in behind(change, before.kind, before.item)
    )


def _dropped(change: Change, before: Records, after: Records) -> Iterator[Finding]:
    if not before.registered or after.registered or not _is_in_work(before):
        return
    elif was_unreadable(after) or _is_explained(change, before):
        # REG008 speaks of a registry that is gone
        return
    state = before.state or before.stage
    assert state is not None, 'it is in work'
    whose = (
        'the message has'
        if change.message is not None
        else ('the commits behind this step have')
    )
    yield Location(before.item, before.canonical_path).finding(
        'REG019',
        f'it is at {before.kind.label(state)} and left the registry, and '
        f'{whose} no trailer `{DROPPED}: {PLACEHOLDER}`',
        expected=str(state),
        fix=restore(before.canonical_path),
    )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    # only workflows that have them load what reads them
    if workflow.recorded:
        from interlock.checks import registry_agreements

        yield from registry_agreements.check(change, workflow)
    for kind in workflow.kinds:
        if kind.registry is None:
            continue
        items = items_to_judge(change, kind)
        used = bool(items) or _gone(change, kind)
        if used or kind.registry.file in change.touched or change.everything:
            yield from _unreadable(
                change,
                kind,
                mark(
                    _of_file(change.before, kind, used=True),
                    _of_file(change.after, kind, used),
                ),
            )
        bad = [item for item in items if not is_name(item)]
        yield from mark(
            _bad_names(change.before, kind, bad), _bad_names(change.after, kind, bad)
        )
        yield from _bad_folders(change, kind)
        yield from judge_items(change, kind, of_item)
        if change.message is not None or change.is_ref_step:
            for before, after in moved_items(change, kind):
                yield from _dropped(change, before, after)
