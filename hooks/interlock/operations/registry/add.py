"""New items: their entries and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interlock.documents import frontmatter, markdown
from interlock.documents.registry import entry_edit
from interlock.documents.registry.cell_edit import width
from interlock.documents.registry.table import Registry
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import edit, ours
from interlock.model.state import State
from interlock.model.suggest import did_you_mean
from interlock.operations.outcome import Files, Outcome, data_of
from interlock.operations.registry.change import reread
from interlock.operations.registry.status import readable, written
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind, RegistrySpec
from interlock.workflow.reading.item_paths import is_ignored, is_name
from interlock.workflow.reading.records import (
    Records,
    counting,
    handoff_state,
    is_monolithic,
    records,
)
from interlock.workflow.reading.status_words import label


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


def _begins(snapshot: Snapshot, spec: RegistrySpec, item: str) -> str:
    path = expand(spec.description, item)
    described, otherwise = spec.begins
    return described if path and snapshot.blob(path) else otherwise


def _begun(at: Records) -> tuple[RegistrySpec, Registry] | None:
    """Where there is no registry: one without items, with its columns."""
    spec = at.kind.registry
    if spec is None or at.snapshot.blob(spec.file) is not None:
        return None
    names = [name for _, name in spec.shape.columns]
    rule = '|'.join('-' * (width(name) + 2) for name in names)
    return spec, reread(f'| {" | ".join(names)} |\n|{rule}|\n'.encode(), spec)


def _first(at: Records) -> State:
    """Where a new item is: where its handoff is, if it has one."""
    return handoff_state(counting(at)) or State(next(iter(at.kind.states)))


def add(snapshot: Snapshot, kind: Kind, item: str, type_: str, day: str) -> Outcome:
    """A new item: its entry and its row."""
    if not is_name(item) or is_ignored(item, kind):
        raise Refusal(f'{item!r} cannot be the name of an item')
    at = records(snapshot, kind, item)
    if at.registered:
        raise Denied(f'{item} is registered already', ours('resume', item))
    begun = _begun(at)
    spec, read = begun or readable(at)
    if spec.types and type_ not in spec.types:
        raise Refusal(
            f'`{type_}` is none of {", ".join(spec.types)}'
            f'{did_you_mean(type_, spec.types)}'
        )
    first = _first(at)
    status = written(first, kind)
    values = {'item': item, 'status': status, 'updated': day, 'type': type_}
    data = entry_edit.new_row(read, values)
    files: Files = {spec.file: data}
    # a registry that holds nothing yet gets what its workflow describes
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
            f'{item}: registered as {label(first, kind)}',
        ),
    )


def entry_text(
    snapshot: Snapshot, spec: RegistrySpec, item: str, values: Mapping[str, str]
) -> str:
    """A new entry, as the workflow describes it."""
    text = spec.template
    for key, value in {
        'item': item,
        **values,
        'description': _description(snapshot, spec, item),
        'begins': _begins(snapshot, spec, item),
    }.items():
        text = text.replace(f'{{{key}}}', value)
    return text


def with_entry(
    read: Registry, spec: RegistrySpec, item: str, text: str, data: bytes
) -> Files:
    """A registry (`data`) with an entry, or the file that holds it."""
    if spec.entry_file:
        path = expand(spec.entry_file, item)
        files: dict[str, bytes | None] = {path: text.encode()}
        return files | ({} if data == read.data else {spec.file: data})
    data = entry_edit.new_entry(reread(data, spec), text)
    _refuse_hidden(data, spec, item)
    return {spec.file: data}


def _refuse_hidden(data: bytes, spec: RegistrySpec, item: str) -> None:
    """A comment or a fence that is never closed would hide the entry."""
    place = reread(data, spec).place(item)
    if (len(place.rows), len(place.entries)) != (1, 1):
        raise Refusal(
            f'{spec.file}: a new entry of {item} would not be read',
            *edit(spec.file).hint,
        )
