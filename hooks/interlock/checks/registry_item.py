"""The records of one item: do they agree?"""

from __future__ import annotations

from itertools import pairwise

from interlock.documents.markdown import first_field
from interlock.documents.registry.record import Record
from interlock.documents.text import date, decode, plain, shown
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import SYNC, convert
from interlock.model.quick_typing import Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STALE, Kind
from interlock.workflow.reading import status_words
from interlock.workflow.reading.fix_command import align, complete_records, register
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.records import Records
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
    for code, field, read, verb in (
        ('REG004', 'updated', _day, 'was last updated'),
        ('REG012', 'version', _version, 'has version'),
    ):
        old, new = read(row), read(entry)
        if old and new and old != new:
            message = f'the row {verb} {shown(old)}, the entry {shown(new)}'
            yield Location(at.item, at.registry_path, row.line_of(field)).finding(
                code, message, expected=new, found=old, fix=SYNC
            )


def _day(record: Record) -> str:
    text = plain(record.text('updated'))
    return date(text) or ('' if text.lower() in EMPTY else text)


def _version(record: Record) -> str:
    text = plain(record.text('version'))
    return '' if text.lower() in EMPTY else text


def _known(kind: Kind) -> str:
    return f'there are {shown(", ".join(kind.states))}'


def _words(at: Records) -> Iterator[Finding]:
    for record, path in ((at.row, at.registry_path), (at.entry, at.entry_path)):
        read = at.status(record)
        if record is None or read is None:
            continue
        own = status_words.own_emoji(read, at.kind)
        if not status_words.is_known(read, at.kind):
            near = status_words.nearest(read, at.kind)
            line = record.line_of('status')
            hint = f'the nearest is `{near}`' if near else _known(at.kind)
            message = f'`{shown(read.raw)}` is not a status of the workflow; {hint}'
            yield Location(at.item, path, line).finding(
                'REG005', message, expected=near, found=read.text
            )
        elif read.emoji and own and read.emoji != own:
            line = record.line_of('status')
            yield Location(at.item, path, line).finding(
                'REG006',
                f'`{shown(read.raw)}` has the emoji of another status; '
                f'its own is `{own}`',
                expected=own,
                found=read.emoji,
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
            yield Location(at.item, where).finding(
                'REG014', f'it has a handoff but is not in {path}', fix=register(at)
            )
    elif at.monolithic and at.entry is None:
        line = at.row.line if at.row else 1
        yield Location(at.item, path, line).finding(
            'REG002',
            f'it has a row but no entry in {_entry_path(at)}',
            fix=complete_records(at),
        )
    elif at.monolithic and at.row is None:
        line = at.entry.line if at.entry else 1
        yield Location(at.item, at.entry_path, line).finding(
            'REG003',
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
            message = f'it has {len(found)} {what} (lines {lines})'
            yield Location(at.item, path, found[1].line).finding(
                'REG007', message, key=what, found=str(len(found)), expected='1'
            )


def _doubled_fields(at: Records) -> Iterator[Finding]:
    for value in at.entry.again if at.entry else ():
        assert at.entry is not None
        line = at.entry.line_at(value)
        message = f'its entry gives a status twice; the second is `{shown(value.text)}`'
        yield Location(at.item, at.entry_path, line).finding(
            'REG007', message, key='status', found=value.text
        )


def _timelines(at: Records) -> Iterator[Finding]:
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
    handoff = at.handoff_state
    if state is None or handoff is None or at.current is None:
        return
    elif at.kind.states[state.name].handoff == STALE:
        # HND005: no stage fits any more
        return
    path = at.current.path
    said = (
        f'the handoff is at {at.kind.label(handoff)}, '
        f'{at.canonical_path} says {at.kind.label(state)}'
    )
    assert at.kind.handoff is not None
    line = at.current.handoff.line(at.kind.handoff.keys['stage'])
    if differ(at):
        yield Location(at.item, path, line).finding(
            'REG010', said, expected=state.name, found=handoff.name, fix=align(at)
        )
    elif state.phase is not None and state.phase != handoff.phase:
        yield Location(at.item, path, line).finding(
            'REG015', said, expected=str(state), found=str(handoff), fix=align(at)
        )


def _notes(at: Records) -> Iterator[Finding]:
    spec = at.kind.registry
    if spec is None or not spec.notes or at.monolithic or at.row is None:
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
    mine = at.status(at.row)
    if found is not None and mine is not None:
        theirs = status_words.read(found[1], at.kind)
        # notes are prose: more may stand behind the status
        if theirs.text != mine.text and (not status_words.starts_with(found[1], mine)):
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
            fix=convert(where, at.problem.line, encoding) if encoding else None,
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
