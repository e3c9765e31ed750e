"""Changes of the registry: row and entry together."""

from __future__ import annotations

from interlock.documents.markdown import whole_lines
from interlock.documents.registry import edits
from interlock.documents.registry.edits import set_cells, splice
from interlock.documents.registry.record import Record, read_entry
from interlock.documents.registry.table import Registry
from interlock.documents.text import date, decode, plain
from interlock.model.change import Blob, Snapshot
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import edit
from interlock.model.quick_typing import Mapping
from interlock.operations.outcome import Outcome, differing, refusing
from interlock.operations.registry.status import (
    require_readable,
    require_registered,
    written_status,
)
from interlock.workflow.language.spec import Kind, RegistrySpec
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.records import Records, located_path, records, registry
from interlock.workflow.reading.status_words import Status


def parse_again(data: bytes, spec: RegistrySpec) -> Registry:
    return Registry(Blob('', len(data), data), spec.shape)


def entry_text_of(at: Records) -> str | None:
    """The text of the entry, None if there is none."""
    spec, read = at.kind.registry, registry(at.snapshot, at.kind)
    if spec.entry_file:
        path = located_path(at.snapshot, at.kind, spec.entry_file, at.item)
        blob = at.snapshot.blob(path)
        return decode(blob) if blob else None
    entries = read.place(at.item).entries if read else ()
    return entries[0].data.decode() if entries else None


def _edited(text: str, spec: RegistrySpec, values: Mapping[str, str], line: str) -> str:
    """The entry with other values and one more line in its timeline."""
    if spec.entry_format == 'frontmatter':
        from interlock.documents.frontmatter_edit import scalar, set_field

        for role, key in spec.shape.fields:
            if role in values:
                text = set_field(text, (key,), scalar(values[role]))
    else:
        text = edits.set_values(text, spec.shape, values)
    if line and spec.shape.timelines:
        text = edits.append_to_timeline(text, spec.shape, line)
    return text


def _apply(
    at: Records, row: Mapping[str, str], entry: Mapping[str, str], line: str = ''
) -> dict[str, bytes | None]:
    """Row and entry of an item with other values."""
    spec, read = require_readable(at)
    files: dict[str, bytes | None] = {}
    record = f'the record of {at.item}'
    with refusing(at.entry_path, record, edit(at.entry_path)):
        old = entry_text_of(at)
        new = b'' if old is None else _edited(old, spec, entry, line).encode()
        if old is not None and spec.entry_file:
            files[at.entry_path] = new
        elif old is not None:
            data = splice(read.data, {read.place(at.item).entries[0]: new})
            files[spec.file], read = data, parse_again(data, spec)
    with refusing(spec.file, record, edit(spec.file)):
        changed = edits.set_row(read, at.item, row)
        if changed is not None:
            files[spec.file] = changed
    return differing(files, at.snapshot)


def timeline_line(day: str, about: str, text: str) -> str:
    behind = f' ({about})' if about else ''
    return f'- **{day}{behind}:** {text}'


def timeline_of(at: Records) -> list[str]:
    """The dated lines of the timelines of an item."""
    spec, _ = require_readable(at)
    text = entry_text_of(at) or ''
    lines = whole_lines(text)
    return [
        lines[value.line - 1].rstrip('\r\n')
        for timeline in read_entry(at.item, text, spec.shape).timelines
        for value in timeline
    ]


def _missing(
    at: Records, record: Record | None, wanted: Status, day: str
) -> dict[str, str]:
    """The values that a record still needs to be at a status."""
    if record is None:
        return {}
    old = record.text('status')
    read = statuses.read(old, at.kind)
    values = {}
    if (read.text, read.word) != (wanted.text, wanted.word):
        new = written_status(wanted, at.kind)
        values['status'] = edits.restyled(old, new)
    if 'updated' in record.values and date(record.text('updated')) != day:
        values['updated'] = day
    return values


def move(
    at: Records, wanted: Status, day: str, about: str, text: str, undo: bool = False
) -> dict[str, bytes | None]:
    """Move row and entry to a status, with a line in the timeline about it.

    Nothing is written twice, and an undone step adds no line.
    """
    # refuses a record that cannot be read
    require_registered(at)
    read = at.status
    moved = read is None or read.text != wanted.text
    if about:
        mark = f'{day} ({about})' if moved else f'({about})'
        told = any(mark in line for line in timeline_of(at))
    else:
        told = not moved
    return _apply(
        at,
        _missing(at, at.row, wanted, day),
        _missing(at, at.entry, wanted, day),
        '' if told or undo else timeline_line(day, about, text),
    )


def with_committed_row(outcome: Outcome, at: Records, committed: Records) -> Outcome:
    """Take the row from the last commit, where only spaces differ.

    The padding of a status depends on the status that it replaces.
    """
    data = outcome.files.get(at.registry_path)
    then = registry(committed.snapshot, at.kind)
    if data is None or then is None:
        return outcome
    now = parse_again(data, at.kind.registry)
    rows, old = now.place(at.item).rows, then.place(at.item).rows
    if len(rows) != 1 or len(old) != 1:
        return outcome
    if edits.bare_cells(rows[0]) != edits.bare_cells(old[0]):
        return outcome
    end = rows[0].data[len(rows[0].data.rstrip(edits.ENDS)) :]
    row = old[0].data.rstrip(edits.ENDS) + end
    files = {**outcome.files, at.registry_path: splice(data, {rows[0]: row})}
    return outcome._replace(files=differing(files, at.snapshot))


def add_timeline(at: Records, day: str, about: str, text: str) -> Outcome:
    require_registered(at)
    if at.entry is None:
        raise Denied(f'{at.item} has no entry with a timeline')
    elif not text.strip():
        raise Refusal('a line of the timeline needs a text')
    values = {'updated': day} if 'updated' in at.entry.values else {}
    row = {'updated': day} if at.row and 'updated' in at.row.values else {}
    files = _apply(at, row, values, timeline_line(day, about, text))
    return Outcome(files, (f'{at.item}: timeline extended',))


def _says_the_same(at: Records, role: str, row: str, entry: str) -> bool:
    if role != 'status':
        return plain(row) == plain(entry)
    left, right = statuses.read(row, at.kind), statuses.read(entry, at.kind)
    # an alias has an emoji of its own
    return left.text == right.text and (
        left.emoji == right.emoji or left.word != right.word
    )


def _behind(at: Records, row: Record, entry: Record) -> dict[str, str]:
    """The cells of a row that differ from the entry."""
    return {
        role: edits.restyled(row.text(role), entry.text(role))
        for role in ('status', 'updated', 'version')
        if entry.text(role)
        and role in row.values
        and not _says_the_same(at, role, row.text(role), entry.text(role))
    }


def sync(at: Records) -> Outcome:
    """Copy the values of the entry into the row."""
    require_registered(at)
    require_readable(at)
    if at.row is None or at.entry is None:
        return Outcome({}, (f'{at.item}: the registry keeps no entries',))
    values = _behind(at, at.row, at.entry)
    if not values:
        return Outcome({}, (f'{at.item}: row and entry agree',))
    return Outcome(_apply(at, values, {}), (f'{at.item}: row brought in line',))


def sync_all(snapshot: Snapshot, kind: Kind) -> Outcome:
    """Copy the values of every entry into its row; skip duplicate items."""
    read = registry(snapshot, kind)
    spec = kind.registry
    if read is None or read.problem is not None:
        return Outcome({})
    changes = {}
    for item, place in read.places.items():
        at = records(snapshot, kind, item)
        if at.problem or len(at.rows) != 1 or len(at.entries) != 1:
            continue
        values = _behind(at, at.rows[0], at.entries[0])
        try:
            if values:
                row = place.rows[0]
                changes[row] = set_cells(read, row, values)
        except Unreadable as e:
            line = at.rows[0].line
            raise Refusal(f'{spec.file}:{line}: the row {e}') from None
    if not changes:
        return Outcome({}, (f'{spec.file}: rows and entries agree',))
    return Outcome(
        {spec.file: splice(read.data, changes)},
        (f'{spec.file}: {len(changes)} of its rows brought in line',),
    )
