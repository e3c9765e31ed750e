from __future__ import annotations

from itertools import pairwise

from interlock.checks.compare import (
    Case,
    Concerned,
    as_twin,
    before_message,
    broken_agreements,
    changes_behind,
    judge_items,
    mark,
    no_longer_files,
    twins,
)
from interlock.documents.markdown import first_field
from interlock.documents.text import decode, encoding_of, shown
from interlock.documents.trailers import DROPPED, PLACEHOLDER, reason, without_reason
from interlock.model.change import ADDED, DELETED, TYPE_CHANGED, Change, Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding, Fix
from interlock.model.fixes import (
    SYNC,
    commit_first,
    convert,
    edit,
    ours,
    restore,
    restore_registry,
    there_are,
    unstage,
)
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Iterable, Iterator, Sequence
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand, item_in
from interlock.workflow.language.spec import STAGE, STALE, Kind, Workflow
from interlock.workflow.reading import status_words
from interlock.workflow.reading.changed_items import without_its_files
from interlock.workflow.reading.fix_command import align, decide_conflict, register
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.item_paths import (
    handoff_of,
    is_name,
    similar_name,
    why_no_name,
)
from interlock.workflow.reading.records import Records, records, registry
from interlock.workflow.reading.transitions import differ


def _row_against_entry(at: Records) -> Iterator[Finding]:
    row, entry = at.row, at.entry
    if row is None or entry is None:
        return
    left, right = at.row_status, at.entry_status
    assert left is not None and right is not None
    if left.text != right.text:
        yield Location(at.item, at.registry_path, row.line_of('status')).finding(
            'REG001',
            f'the row says `{shown(left.raw)}`, the entry says `{shown(right.raw)}`',
            expected=right.text,
            found=left.text,
            fix=SYNC,
        )
    elif left.emoji != right.emoji and left.word == right.word:
        message = f'the row has the emoji `{left.emoji}`, the entry `{right.emoji}`'
        yield Location(at.item, at.registry_path, row.line_of('status')).finding(
            'REG006', message, expected=right.emoji, found=left.emoji, fix=SYNC
        )
    for code, field, verb in (
        ('REG004', 'updated', 'was last updated'),
        ('REG012', 'version', 'has version'),
    ):
        old, new = row.compared(field), entry.compared(field)
        if old and new and old != new:
            message = f'the row {verb} {shown(old)}, the entry {shown(new)}'
            yield Location(at.item, at.registry_path, row.line_of(field)).finding(
                code, message, expected=new, found=old, fix=SYNC
            )


def _statuses(at: Records) -> Iterator[Finding]:
    for record, read, path in (
        (at.row, at.row_status, at.registry_path),
        (at.entry, at.entry_status, at.entry_path),
    ):
        if record is None or read is None:
            continue
        if not read.is_known:
            near = status_words.nearest(read, at.kind)
            line, known = record.line_of('status'), [*map(shown, at.kind.states)]
            hint = f'the nearest is `{near}`' if near else there_are(known)
            what = (
                f'`{shown(read.raw)}` is not a status of the workflow'
                if read.raw.strip()
                else 'the status is empty'
            )
            message = f'{what}; {hint}'
            yield Location(at.item, path, line).finding(
                'REG005', message, expected=near, found=read.text
            )
        elif read.emoji and read.own_emoji not in ('', read.emoji):
            line = record.line_of('status')
            yield Location(at.item, path, line).finding(
                'REG006',
                f'`{shown(read.raw)}` has the emoji of another status; '
                f'its own is `{read.own_emoji}`',
                expected=read.own_emoji,
                found=read.emoji,
            )


def _unregistered(at: Records) -> Iterator[Finding]:
    if not at.registered and at.current is not None and not was_unreadable(at):
        message = f'it has a handoff but is not in {at.registry_path}'
        yield Location(at.item, at.current.path).finding(
            'REG014', message, fix=register(at)
        )


def _registered_twice(at: Records) -> Iterator[Finding]:
    for what, found, path in (
        ('rows', at.rows, at.registry_path),
        ('entries', at.entries, at.entry_path),
    ):
        if len(found) > 1:
            lines = ', '.join(str(record.line) for record in found)
            message = f'it has {len(found)} {what} (lines {lines})'
            yield Location(at.item, path, found[1].line).finding(
                'REG007', message, key=what, found=str(len(found)), expected='1'
            )


def _status_given_twice(at: Records) -> Iterator[Finding]:
    for value in at.entry.again if at.entry else ():
        assert at.entry is not None
        line = at.entry.line_at(value)
        message = f'its entry gives a status twice; the second is `{shown(value.text)}`'
        yield Location(at.item, at.entry_path, line).finding(
            'REG007', message, key='status', found=value.text
        )


def _timeline_order(at: Records) -> Iterator[Finding]:
    for timeline in at.entry.timelines if at.entry else ():
        for above, below in pairwise(timeline):
            if below.text < above.text:
                assert at.entry is not None
                line = at.entry.line_at(below)
                message = f'{below.text} stands below {above.text}'
                yield Location(at.item, at.entry_path, line).finding(
                    'REG011', message, expected=above.text, found=below.text
                )


def _against_handoff(at: Records) -> Iterator[Finding]:
    state = at.state
    handoff = at.current.state if at.current else None
    if state is None or handoff is None or at.current is None:
        return
    elif at.handoff_policy == STALE:
        # HND005 reports it: no stage fits
        return
    if differ(at):
        code, expected, found = 'REG010', state.name, handoff.name
    elif state.phase is not None and state.phase != handoff.phase:
        code, expected, found = 'REG015', str(state), str(handoff)
    else:
        return
    line = at.current.handoff.line(at.kind.handoff.keys['stage'])
    yield Location(at.item, at.current.path, line).finding(
        code,
        f'the handoff is at {at.kind.label(handoff)}, '
        f'{at.canonical_path} says {at.kind.label(state)}',
        expected=expected,
        found=found,
        fix=align(at),
    )


def _against_notes(at: Records) -> Iterator[Finding]:
    spec = at.kind.registry
    if not spec.notes or at.monolithic or at.row is None:
        return
    path = expand(spec.notes, at.item)
    blob = at.snapshot.blob(path)
    label = dict(spec.shape.fields).get('status', '').lower()
    if blob is None:
        yield Location(at.item, path).finding('REG013', 'the notes file is missing')
        return
    try:
        found = first_field(decode(blob), label)
    except Unreadable as e:
        yield Location(at.item, path, e.line).finding(
            'REG013', f'the notes file {e.message}', found=e.message
        )
        return
    mine = at.row_status
    if found is not None and mine is not None:
        theirs = status_words.read(found[1], at.kind)
        # notes are prose: more text may follow the status
        if theirs.text != mine.text and not status_words.starts_with(found[1], mine):
            yield Location(at.item, path, found[0]).finding(
                'REG013',
                f'the notes say `{shown(theirs.raw)}`, '
                f'the row says `{shown(mine.raw)}`',
                expected=mine.text,
                found=theirs.text,
            )


def of_item(at: Records) -> Iterator[Finding]:
    if at.problem is not None:
        where = at.entry_path if at.row else at.registry_path
        encoding = at.problem.encoding if where == at.registry_path else ''
        yield Location(at.item, where, at.problem.line).finding(
            'REG008',
            f'the record {at.problem.message}',
            found=at.problem.message,
            fix=convert(where, at.problem.line, encoding)
            if encoding
            else decide_conflict(where, at.problem),
        )
        return
    yield from _unregistered(at)
    yield from broken_agreements(at, 'REG002', 'REG003')
    yield from _registered_twice(at)
    yield from _status_given_twice(at)
    yield from _statuses(at)
    yield from _row_against_entry(at)
    yield from _timeline_order(at)
    yield from _against_handoff(at)
    yield from _against_notes(at)


def _of_file(snapshot: Snapshot, kind: Kind, used: bool) -> Iterator[Finding]:
    spec = kind.registry
    read = registry(snapshot, kind)
    if read is not None and read.problem is not None:
        where = Location(EVERY_ITEM, spec.file, read.problem.line)
        encoding = read.problem.encoding
        yield where.finding(
            'REG008',
            f'the registry {read.problem.message}',
            found=read.problem.message,
            fix=convert(where.path, where.line, encoding)
            if encoding
            else decide_conflict(where.path, read.problem),
        )
    elif read is None and used:
        yield Location(EVERY_ITEM, spec.file).finding(
            'REG008', 'the registry is missing', found='missing', fix=restore_registry()
        )


def _moves_an_item(items: Concerned) -> bool:
    """Whether a change may move an item of an unreadable registry.

    Judged by the lines of the registry that name a state, and by handoffs.
    """
    change, kind = items.change, items.kind
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
    return _touches_frozen(change, kind) or any(
        before.handoff_state != after.handoff_state for before, after in items.moved
    )


def _touches_frozen(change: Change, kind: Kind) -> bool:
    """Whether a change touches a file that the state of its item may freeze."""
    paths = tuple(path for file in kind.contracts.files for path in file.paths)
    return bool(kind.contracts.frozen) and any(
        letter != ADDED and item_in(path, paths)
        for path, letter in change.touched.items()
    )


def _unreadable(items: Concerned, found: Iterable[Finding]) -> Iterator[Finding]:
    """Report an unreadable registry again, even if it was unreadable before.

    None of its content is checked, so silence would look like a pass. A change
    to it or to an item is reported, and refused if it moves an item.
    """
    for each in found:
        if each.introduced or not _concerns_registry(items):
            yield each
        else:
            # a project may exist before its registry does
            file = items.kind.registry.file
            is_there = items.change.after.blob(file) is not None
            moves = is_there and _moves_an_item(items)
            yield each._replace(
                introduced=True,
                standing=False,
                severity=ERROR if moves else WARNING,
                message=f'{each.message}, so its items are not checked',
            )


def _concerns_registry(items: Concerned) -> bool:
    """Whether a change touches the registry, or an item that has a record."""
    return (
        items.kind.registry.file in items.change.touched
        or _touches_frozen(items.change, items.kind)
        or any(before.current or after.current for before, after in items.moved)
    )


def _bad_name(
    item: str, kind: Kind, path: str, line: int, encoding: str = '', state: str = ''
) -> Finding:
    similar = similar_name(item)
    label = f'rename it, for example to `{similar}`,' if similar else 'rename it'
    until = 'the file is UTF-8 text' if encoding else 'it is renamed'
    return Location(shown(item), path, line).finding(
        'REG009',
        f'`{shown(item)}` cannot be the name of an item: {why_no_name(item, kind)}; '
        f'until {until}, its steps and its files are not checked',
        found=shown(item),
        # its steps are not judged, so each new state is a new finding
        key=state,
        fix=convert(path, line, encoding) if encoding else edit(path, line, label),
    )


def bad_names(
    snapshot: Snapshot, kind: Kind, items: Sequence[str]
) -> Iterator[Finding]:
    """Find names in the registry that would be paths to somewhere else."""
    for item in items:
        read = registry(snapshot, kind)
        if read is None:
            return
        rows, entries = read.place(item)
        for piece in (*rows, *entries)[:1]:
            line = read.line(piece.offset)
            encoding = encoding_of(piece.data)
            state = ''
            if not encoding:
                reader = read.row if rows else read.entry
                state = reader(item, piece).text('status')
            yield _bad_name(item, kind, kind.registry.file, line, encoding, state)


def _bad_folders(change: Change, kind: Kind) -> Iterator[Finding]:
    """Find handoffs in folders whose names cannot be item names."""
    for path, letter in change.touched.items():
        item = handoff_of(path, kind)
        if item and not is_name(item, kind) and letter != DELETED:
            yield _bad_name(item, kind, shown(path), 1)


def _with_status_fix(
    change: Change, workflow: Workflow, kind: Kind, found: Finding
) -> Finding:
    """Correct an unknown status."""
    if found.code != 'REG005' or change.is_ref_step:
        return found
    before = records(change.before, kind, found.item)
    if found.expected and before.state is not None:
        command = ours('registry', 'set-status', before.called, found.expected)
        found = found._replace(fix=Fix(f'set it to {found.expected}', command))
    elif found.found and not found.expected:
        known = f'items.{kind.name}.states of {workflow.path}'
        label = f'write one of these, or first add `{shown(found.found)}` to {known},'
        found = found._replace(fix=edit(found.path, found.line, label))
    return _with_rules_first(change, workflow, kind, found)


def _with_rules_first(
    change: Change, workflow: Workflow, kind: Kind, found: Finding
) -> Finding:
    """Commit the workflow first, if its change is what the registry needs."""
    files = [
        file for file in (workflow.path, *workflow.extended) if file in change.touched
    ]
    if not files or change.commit or not found.introduced:
        return found
    # jsonschema is slow to import, and a workflow seldom changes
    from interlock.checks.workflow_loosened import resolved_workflow

    with suppress(Refusal):
        old, new = (
            resolved_workflow(tree, workflow.path)['items'].get(kind.name, {})
            for tree in (change.before, change.after)
        )
        is_new_status = found.found in new.get('states', ())
        # other columns, or another file
        if is_new_status or old.get('registry') != new.get('registry'):
            return found._replace(fix=commit_first(*files))
    return found


def _is_registry_gone(change: Change, kind: Kind) -> bool:
    return (
        change.after.blob(kind.registry.file) is None
        and change.before.blob(kind.registry.file) is not None
    )


def _is_in_work(at: Records) -> bool:
    """Whether an item is past the first states and not finished, by either record."""
    state = at.stage if at.state is None else at.state
    return state is not None and at.kind.states[state.name].role == STAGE


def _is_explained(change: Change, before: Records) -> bool:
    """Whether the commit, or one behind the step of a ref, gives a reason."""
    if change.message is not None:
        return bool(reason(change.message, DROPPED))
    return any(
        old.registered
        and not new.registered
        and part.message is not None
        and reason(part.message, DROPPED)
        for part, (old, new) in changes_behind(change, before.kind, before.item)
    )


def _bring_back(before: Records) -> Fix:
    """The fix that brings an item back; other changes of the registry stay."""
    if before.canonical_path == before.registry_path:
        return restore_registry(before.called, 'restore its record')
    return restore(before.canonical_path)


def _dropped_item(change: Change, before: Records, after: Records) -> Iterator[Finding]:
    if not before.registered or after.registered or not _is_in_work(before):
        return
    elif was_unreadable(after) or _is_explained(change, before):
        # REG008 reports a registry that is gone
        return
    state = before.state or before.stage
    assert state is not None, 'it is in work'
    missing = (
        f'the commits behind this step have no trailer `{DROPPED}: {PLACEHOLDER}`'
        if change.is_ref_step
        else without_reason(change.message, DROPPED)
    )
    found = Location(before.item, before.canonical_path).finding(
        'REG019',
        f'it left the registry while at {before.kind.said(state)}, and {missing}',
        expected=str(state),
        fix=without_its_files(change, before) or _bring_back(before),
    )
    yield from before_message([found], change)


def check(case: Case) -> Iterator[Finding]:
    change, workflow = case.change, case.workflow
    # only workflows that have them import the modules for them
    if workflow.recorded:
        from interlock.checks import registry_agreements

        yield from registry_agreements.check(change, workflow)
    for items in case.items:
        kind = items.kind
        if not kind.registry.file:
            continue
        used = bool(items.pairs or items.unfit) or _is_registry_gone(change, kind)
        if used or kind.registry.file in change.touched or change.everything:
            unreadable = _unreadable(
                items,
                mark(
                    _of_file(change.before, kind, used=True),
                    _of_file(change.after, kind, used),
                ),
            )
            for found in unreadable:
                yield _with_rules_first(change, workflow, kind, found)
        yield from mark(
            bad_names(change.before, kind, items.unfit),
            bad_names(change.after, kind, items.unfit),
        )
        yield from _bad_folders(change, kind)
        for file, why in no_longer_files(change, [kind.registry.file]):
            read = registry(change.after, kind)
            # otherwise its problem is reported
            if read is not None and read.problem is None:
                yield Location(EVERY_ITEM, file).finding(
                    'REG008',
                    f'the registry {why}',
                    found=TYPE_CHANGED,
                    fix=restore(file),
                )
        for twin, real in twins(change, [kind.registry.file]):
            yield Location(EVERY_ITEM, twin).finding(
                'REG008',
                as_twin(twin, real, 'registry'),
                key=twin,
                found=twin,
                fix=unstage(twin),
            )
        for found in judge_items(items, of_item):
            yield _with_status_fix(change, workflow, kind, found)
        for before, after in items.moved:
            yield from _dropped_item(change, before, after)
