"""A row without its entry, or an entry without its row."""

from __future__ import annotations

from interlock.documents.registry import edits
from interlock.documents.registry.record import Record
from interlock.documents.text import decode, plain
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import edit
from interlock.operations.outcome import Files, Outcome
from interlock.operations.registry.add import entry_text, with_entry
from interlock.operations.registry.status import readable, registered
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import RegistrySpec
from interlock.workflow.reading.records import Records, registry

# what else a row and an entry say of an item
ROLES = ('status', 'updated', 'version', 'type')


def is_incomplete(at: Records, committed: Records | None) -> bool:
    """Whether a row or an entry is missing that the registry keeps."""
    kept = at.monolithic or bool(committed and committed.monolithic)
    return (
        at.registered
        and at.problem is None
        and (at.row is None or (at.entry is None and kept))
    )


def _said(record: Record) -> dict[str, str]:
    """Cells are plain; of a status the emoji stays."""
    return {
        role: record.text(role).replace('**', '')
        if role == 'status'
        else plain(record.text(role))
        for role in ROLES
        if record.text(role)
    }


def _committed_entry(committed: Records | None, spec: RegistrySpec) -> str:
    """The entry as the last commit has it, '' where it has none."""
    if committed is None or committed.entry is None:
        return ''
    if spec.entry_file:
        path = expand(spec.entry_file, committed.item)
        blob = committed.snapshot.blob(path)
        return decode(blob) if blob else ''
    read = registry(committed.snapshot, committed.kind)
    pieces = read.place(committed.item).entries if read else ()
    return pieces[0].data.decode() if pieces else ''


def _entry(at: Records, row: Record, committed: Records | None, day: str) -> Files:
    """The entry that was lost, or a new one, saying what the row says."""
    spec, read = readable(at)
    said = {'type': '-', 'updated': day, **_said(row)}
    if 'status' not in said:
        raise Refusal(
            f'{spec.file}: the row of {at.item} has no status, so no entry '
            f'can be written',
            *edit(spec.file, row.line).hint,
        )
    text = _committed_entry(committed, spec)
    if text:
        known = {role: said[role] for role in ('status', 'updated') if row.text(role)}
        text = edits.set_values(text, spec.shape, known)
    else:
        text = entry_text(
            at.snapshot,
            spec,
            at.item,
            {'status': said['status'], 'type': said['type'], 'date': said['updated']},
        )
    return with_entry(read, spec, at.item, text, read.data)


def complete(at: Records, committed: Records | None, day: str) -> Outcome:
    """The record that is missing, as the other one says it."""
    registered(at)
    try:
        return _complete(at, committed, day)
    except (Unreadable, UnicodeError) as e:
        raise Refusal(
            f'{at.registry_path}: the record of {at.item} {e}',
            *edit(at.registry_path).hint,
        ) from None


def _complete(at: Records, committed: Records | None, day: str) -> Outcome:
    spec, read = readable(at)
    if at.row is not None:
        files = _entry(at, at.row, committed, day)
        return Outcome(files, (f'{at.item}: entry written',))
    assert at.entry is not None, 'it is registered'
    values = {'item': at.item, **_said(at.entry)}
    return Outcome(
        {spec.file: edits.new_row(read, values)}, (f'{at.item}: row written',)
    )
