"""New records of an item: all of them, or the one that is missing."""

from __future__ import annotations

from interlock.documents import frontmatter, markdown
from interlock.documents.registry import edits
from interlock.documents.registry.edits import width
from interlock.documents.registry.record import Record
from interlock.documents.registry.table import Registry
from interlock.documents.text import plain
from interlock.model.change import Snapshot, data_of
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import correction, did_you_mean, edit, ours
from interlock.model.overlay import Files
from interlock.model.quick_typing import Iterator, Mapping
from interlock.model.state import State
from interlock.operations.outcome import Outcome, new_path, refusing
from interlock.operations.registry.change import entry_text_of, parse_again
from interlock.operations.registry.status import (
    require_readable,
    require_registered,
    status_text,
)
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind, RegistrySpec
from interlock.workflow.reading.fix_command import registering
from interlock.workflow.reading.item_paths import (
    is_ignored,
    is_name,
    similar_name,
    why_no_name,
)
from interlock.workflow.reading.records import (
    Records,
    handoff_state,
    is_monolithic,
    records,
)
from interlock.workflow.reading.transitions import first_step

# the other values in a row and an entry
ROLES = ('status', 'updated', 'version', 'type')


def _paragraphs(text: str) -> Iterator[str]:
    lines: list[str] = []
    for _, line in (*markdown.visible_lines(text), (0, '')):
        if line.strip() and not markdown.HEADING_RE.match(line):
            lines.append(line)
        elif lines:
            yield ' '.join(' '.join(lines).split())
            lines = []


def _description(snapshot: Snapshot, spec: RegistrySpec, item: str) -> str:
    """The first paragraph of text in the file that describes the item."""
    path = expand(spec.description, item)
    data = data_of(snapshot, path) if path else None
    text = (data or b'').decode(errors='replace').replace('\0', '')
    try:
        front = frontmatter.parse(text)
        text = front.body if front else text
    except Unreadable:
        pass
    for paragraph in _paragraphs(text):
        # not a rule, a table or a list of fields
        if not paragraph.startswith(('---', '|', '**')):
            return paragraph
    return 'No description yet.'


def _begun(at: Records) -> tuple[RegistrySpec, Registry] | None:
    """A new registry with columns and no items, where there is none."""
    spec = at.kind.registry
    if not spec or at.snapshot.blob(spec.file) is not None:
        return None
    names = [name for _, name in spec.shape.columns]
    rule = '|'.join('-' * (width(name) + 2) for name in names)
    return spec, parse_again(f'| {" | ".join(names)} |\n|{rule}|\n'.encode(), spec)


def _bad_name(item: str, kind: Kind) -> Refusal:
    why = 'the workflow ignores it' if is_name(item, kind) else why_no_name(item, kind)
    similar, spec = similar_name(item), kind.registry
    return Refusal(
        f'{item!r} cannot be the name of an item: {why}',
        registering(kind, similar)
        if spec and similar and not is_ignored(similar, kind)
        else 'choose another name',
    )


def add(snapshot: Snapshot, kind: Kind, item: str, type_: str, day: str) -> Outcome:
    """A new item: its entry and its row."""
    if not is_name(item, kind) or is_ignored(item, kind):
        raise _bad_name(item, kind)
    at = records(snapshot, kind, item)
    if at.registered:
        raise Denied(f'{item} is already registered', ours('resume', at.called))
    begun = _begun(at)
    spec, read = begun or require_readable(at)
    if spec.types and type_ not in spec.types:
        known = ', '.join(spec.types)
        raise Refusal(
            f'`{type_}` is not one of {known}{did_you_mean(type_, spec.types)}'
            if type_
            else f'which of {known} is {item}?',
            registering(kind, item),
            meant=correction(type_, spec.types),
        )
    # a new item starts at the state of its handoff, if it has one
    begins = first_step(None, None, kind) or next(iter(kind.states))
    first = handoff_state(at.active_handoff) or State(begins)
    status = status_text(first, kind)
    values = {'item': item, 'status': status, 'updated': day, 'type': type_}
    data = edits.new_row(read, values)
    files: Files = {spec.file: data}
    # an empty registry gets the layout that its workflow describes
    if spec.template and (
        is_monolithic(spec, read) or (spec.layout == 'auto' and not read.places)
    ):
        text = entry_text(
            snapshot, spec, item, {'status': status, 'type': type_, 'date': day}
        )
        files = with_entry(read, spec, item, text, data)
    return Outcome(
        files,
        (
            *([f'{spec.file}: created'] if begun else ()),
            f'{item}: registered as {kind.label(first)}',
        ),
    )


def entry_text(
    snapshot: Snapshot, spec: RegistrySpec, item: str, values: Mapping[str, str]
) -> str:
    """A new entry, as the workflow describes it."""
    text, begins = spec.template, spec.begins
    path = expand(spec.description, item)
    described = path and snapshot.blob(path)
    for key, value in {
        'item': item,
        **values,
        'description': _description(snapshot, spec, item),
        'begins': begins.described if described else begins.otherwise,
    }.items():
        text = text.replace(f'{{{key}}}', value)
    return text


def with_entry(
    read: Registry, spec: RegistrySpec, item: str, text: str, data: bytes
) -> Files:
    """The registry (`data`) with a new entry, or with the entry in its own file."""
    if spec.entry_file:
        path = new_path(spec.entry_file, item)
        files: dict[str, bytes | None] = {path: text.encode()}
        return files | ({} if data == read.data else {spec.file: data})
    data = edits.new_entry(parse_again(data, spec), text)
    place = parse_again(data, spec).place(item)
    # a comment or a fence that is never closed would hide the entry
    if (len(place.rows), len(place.entries)) != (1, 1):
        raise Refusal(
            f'{spec.file}: a new entry of {item} could not be read back',
            *edit(spec.file).hint,
        )
    return {spec.file: data}


def is_incomplete(at: Records, committed: Records | None) -> bool:
    """Whether a row or an entry that the registry keeps is missing."""
    kept = at.monolithic or bool(committed and committed.monolithic)
    return (
        at.registered
        and at.problem is None
        and (at.row is None or (at.entry is None and kept))
    )


def _said(record: Record) -> dict[str, str]:
    """The values of a record as plain text; a status keeps its emoji."""
    return {
        role: record.text(role).replace('**', '')
        if role == 'status'
        else plain(record.text(role))
        for role in ROLES
        if record.text(role)
    }


def _new_entry(at: Records, row: Record, committed: Records | None, day: str) -> Files:
    """The lost entry, or a new one, with the values of the row."""
    spec, read = require_readable(at)
    said = {'type': '-', 'updated': day, **_said(row)}
    if 'status' not in said:
        raise Refusal(
            f'{spec.file}: the row of {at.item} has no status, so no entry '
            f'can be written',
            *edit(spec.file, row.line).hint,
        )
    text = entry_text_of(committed) if committed and committed.entry else ''
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
    """Write the missing record from the values of the other one."""
    require_registered(at)
    path = at.registry_path
    with refusing(path, f'the record of {at.item}', edit(path)):
        spec, read = require_readable(at)
        if at.row is not None:
            files = _new_entry(at, at.row, committed, day)
            return Outcome(files, (f'{at.item}: entry written',))
        assert at.entry is not None, 'it is registered'
        values = {'item': at.item, **_said(at.entry)}
        return Outcome(
            {spec.file: edits.new_row(read, values)}, (f'{at.item}: row written',)
        )
