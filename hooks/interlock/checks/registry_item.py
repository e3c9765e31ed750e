"""The records of one item: do they agree?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from interlock.documents.markdown import first_field
from interlock.documents.registry.record import Record
from interlock.documents.text import date, decode, plain, shown
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import SYNC, edit
from interlock.rules.new_finding import finding
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STALE
from interlock.workflow.reading import status_words
from interlock.workflow.reading.fix_command import align, complete_records, register
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.records import Records, handoff_state
from interlock.workflow.reading.status_words import label
from interlock.workflow.reading.transitions import differ

# what stands in a cell that says nothing
EMPTY = {'', '-', '–', '—', 'n/a', 'tbd'}


def _pairs(at: Records) -> Iterator[Finding]:
    row, entry = at.row, at.entry
    if row is None or entry is None:
        return
    left, right = at.status(row), at.status(entry)
    assert left is not None and right is not None
    if left.text != right.text:
        yield finding(
            'REG001',
            at.item,
            at.registry_path,
            row.line_of('status'),
            f'the row says `{shown(left.raw)}`, the entry says `{shown(right.raw)}`',
            expected=right.text,
            found=left.text,
            fix=SYNC,
        )
    elif left.emoji != right.emoji and left.word == right.word:
        yield finding(
            'REG006',
            at.item,
            at.registry_path,
            row.line_of('status'),
            f'the row has the emoji `{left.emoji}`, the entry `{right.emoji}`',
            expected=right.emoji,
            found=left.emoji,
            fix=SYNC,
        )
    old, new = _day(row), _day(entry)
    if old and new and old != new:
        yield finding(
            'REG004',
            at.item,
            at.registry_path,
            row.line_of('updated'),
            f'the row was last updated {shown(old)}, the entry {shown(new)}',
            expected=new,
            found=old,
            fix=SYNC,
        )
    old, new = _version(row), _version(entry)
    if old and new and old != new:
        yield finding(
            'REG012',
            at.item,
            at.registry_path,
            row.line_of('version'),
            f'the row has version {shown(old)}, the entry {shown(new)}',
            expected=new,
            found=old,
            fix=SYNC,
        )


def _day(record: Record) -> str:
    text = plain(record.text('updated'))
    return date(text) or ('' if text.lower() in EMPTY else text)


def _version(record: Record) -> str:
    text = plain(record.text('version'))
    return '' if text.lower() in EMPTY else text


def _words(at: Records) -> Iterator[Finding]:
    for record, path in ((at.row, at.registry_path), (at.entry, at.entry_path)):
        read = at.status(record)
        if record is None or read is None:
            continue
        own = status_words.own_emoji(read, at.kind)
        if not status_words.is_known(read, at.kind):
            near = status_words.nearest(read, at.kind)
            line = record.line_of('status')
            hint = f'; the nearest is `{near}`' if near else ''
            yield finding(
                'REG005',
                at.item,
                path,
                line,
                f'`{shown(read.raw)}` is no status of the workflow{hint}',
                expected=near,
                found=read.text,
                fix=edit(path, line),
            )
        elif read.emoji and own and read.emoji != own:
            line = record.line_of('status')
            yield finding(
                'REG006',
                at.item,
                path,
                line,
                f'`{shown(read.raw)}` has the emoji of another status; '
                f'its own is `{own}`',
                expected=own,
                found=read.emoji,
                fix=edit(path, line),
            )


def _entry_path(at: Records) -> str:
    spec = at.kind.registry
    assert spec is not None
    return expand(spec.entry_file, at.item) or spec.file


def _missing(at: Records) -> Iterator[Finding]:
    path = at.registry_path
    if not at.registered:
        if at.current is not None and not was_unreadable(at):
            where = at.current.path
            yield finding(
                'REG014',
                at.item,
                where,
                1,
                f'it has a handoff but is not in {path}',
                fix=register(at),
            )
    elif at.monolithic and at.entry is None:
        line = at.row.line if at.row else 1
        yield finding(
            'REG002',
            at.item,
            path,
            line,
            f'it has a row but no entry in {_entry_path(at)}',
            fix=complete_records(at),
        )
    elif at.monolithic and at.row is None:
        line = at.entry.line if at.entry else 1
        yield finding(
            'REG003',
            at.item,
            at.entry_path,
            line,
            f'it has an entry but no row in the table of {path}',
            fix=complete_records(at),
        )


def _doubles(at: Records) -> Iterator[Finding]:
    for what, found, path in (
        ('rows', at.rows, at.registry_path),
        ('entries', at.entries, at.entry_path),
    ):
        if len(found) > 1:
            lines = ', '.join(str(record.line) for record in found)
            yield finding(
                'REG007',
                at.item,
                path,
                found[1].line,
                f'it has {len(found)} {what} (lines {lines})',
                key=what,
                found=str(len(found)),
                expected='1',
                fix=edit(path, found[1].line),
            )


def _doubled_fields(at: Records) -> Iterator[Finding]:
    for value in at.entry.again if at.entry else ():
        assert at.entry is not None
        line = at.entry.line_at(value)
        yield finding(
            'REG007',
            at.item,
            at.entry_path,
            line,
            f'its entry gives a status twice; the second is `{shown(value.text)}`',
            key='status',
            found=value.text,
            fix=edit(at.entry_path, line),
        )


def _timelines(at: Records) -> Iterator[Finding]:
    for timeline in at.entry.timelines if at.entry else ():
        for above, below in pairwise(timeline):
            if below.text < above.text:
                assert at.entry is not None
                line = at.entry.line_at(below)
                yield finding(
                    'REG011',
                    at.item,
                    at.entry_path,
                    line,
                    f'{below.text} stands below {above.text}',
                    expected=above.text,
                    found=below.text,
                    fix=edit(at.entry_path, line),
                )


def _against_handoff(at: Records) -> Iterator[Finding]:
    state = at.state
    handoff = handoff_state(at.current)
    if state is None or handoff is None or at.current is None:
        return
    elif at.kind.states[state.name].handoff == STALE:
        # HND005: no stage fits any more
        return
    path = at.current.path
    said = (
        f'the handoff is at {label(handoff, at.kind)}, '
        f'{at.canonical_path} says {label(state, at.kind)}'
    )
    assert at.kind.handoff is not None
    line = at.current.handoff.line(at.kind.handoff.keys['stage'])
    if differ(at):
        yield finding(
            'REG010',
            at.item,
            path,
            line,
            said,
            expected=state.name,
            found=handoff.name,
            fix=align(at),
        )
    elif state.phase is not None and state.phase != handoff.phase:
        yield finding(
            'REG015',
            at.item,
            path,
            line,
            said,
            expected=str(state),
            found=str(handoff),
            fix=align(at),
        )


def _notes(at: Records) -> Iterator[Finding]:
    spec = at.kind.registry
    if spec is None or not spec.notes or at.monolithic or at.row is None:
        return
    path = expand(spec.notes, at.item)
    blob = at.snapshot.blob(path)
    label = dict(spec.shape.fields).get('status', '').lower()
    if blob is None:
        yield finding(
            'REG013', at.item, path, 1, 'the notes file is missing', fix=edit(path, 1)
        )
        return
    try:
        found = first_field(decode(blob), label)
    except Unreadable as e:
        yield finding(
            'REG013',
            at.item,
            path,
            e.line,
            f'the notes file {e.message}',
            found=e.message,
            fix=edit(path, e.line),
        )
        return
    mine = at.status(at.row)
    if found is not None and mine is not None:
        theirs = status_words.read(found[1], at.kind)
        # notes are prose: more may stand behind the status
        if theirs.text != mine.text and (not status_words.starts_with(found[1], mine)):
            yield finding(
                'REG013',
                at.item,
                path,
                found[0],
                f'the notes say `{shown(theirs.raw)}`, '
                f'the row says `{shown(mine.raw)}`',
                expected=mine.text,
                found=theirs.text,
                fix=edit(path, found[0]),
            )


def of_item(at: Records) -> Iterator[Finding]:
    if at.problem is not None:
        where = at.entry_path if at.row else at.registry_path
        yield finding(
            'REG008',
            at.item,
            where,
            at.problem.line,
            f'the record {at.problem.message}',
            found=at.problem.message,
            fix=edit(where, at.problem.line),
        )
        return
    yield from _missing(at)
    yield from _doubles(at)
    yield from _doubled_fields(at)
    yield from _words(at)
    yield from _pairs(at)
    yield from _timelines(at)
    yield from _against_handoff(at)
    yield from _notes(at)
