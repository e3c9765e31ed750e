"""Changes of the registry: row and entry together."""
from __future__ import annotations

from collections.abc import Mapping

from interlock.documents import entry_edit
from interlock.documents.registry import Registry
from interlock.documents.text import decode
from interlock.model.change import Blob
from interlock.model.change import Snapshot
from interlock.model.errors import Denied
from interlock.model.errors import Refusal
from interlock.model.errors import Unreadable
from interlock.model.near import did_you_mean
from interlock.model.state import State
from interlock.operations.change import data_of
from interlock.operations.change import Outcome
from interlock.workflow import machine
from interlock.workflow import status as statuses
from interlock.workflow.gates import missing
from interlock.workflow.names import is_name
from interlock.workflow.records import is_monolithic
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.records import registry
from interlock.workflow.spec import Kind
from interlock.workflow.spec import RegistrySpec
from interlock.workflow.spec import STAGE
from interlock.workflow.status import label
from interlock.workflow.status import Status
from interlock.workflow.template import expand


def show(at: Records) -> dict[str, str]:
    """The status as programs want it: emoji, stage if any, and the text."""
    read = at.status(at.canonical)
    if read is None:
        raise Denied(f'{at.item} is not registered')
    text = read.raw.replace('**', '').replace('__', '').replace('_', '')
    shown = {'emoji': text.split(' ')[0] if read.emoji else ''}
    state = read.state
    if state is not None and at.kind.states[state.name].role == STAGE:
        number = at.kind.states[state.name].stage
        shown['stage'] = (
            number if state.phase is None else f'{number}.{state.phase}'
        )
    shown['text'] = ' '.join(text.split())
    return shown


def written(state: State, kind: Kind, word: str = '') -> str:
    """A status as the registry writes it: emoji and text."""
    spec = kind.states[state.name]
    name = word or label(state, kind)
    emoji = spec.aliases.get(name.rpartition('.')[0] or name, spec.emoji)
    return f'{emoji} {name}'.strip()


def _readable(at: Records) -> tuple[RegistrySpec, Registry]:
    spec = at.kind.registry
    read = registry(at.snapshot, at.kind)
    if spec is None or read is None:
        file = spec.file if spec else 'no registry'
        raise Refusal(f'{file} does not exist', 'interlock init')
    elif read.problem is not None:
        raise Refusal(
            f'{spec.file}:{read.problem.line}: the registry '
            f'{read.problem.message}',
            f'git checkout HEAD -- {spec.file}',
        )
    place = read.place(at.item)
    if len(place.rows) > 1 or len(place.entries) > 1:
        raise Refusal(
            f'{at.item} is registered twice in {spec.file}',
            'interlock explain REG007',
        )
    return spec, read


def _reread(data: bytes, spec: RegistrySpec) -> Registry:
    return Registry(Blob('', len(data), data), spec.shape)


def _edit_entry(
        at: Records,
        spec: RegistrySpec,
        read: Registry,
        values: Mapping[str, str],
        line: str,
) -> dict[str, bytes | None]:
    """The entry with other values and one more line in its timeline."""
    if spec.entry_file:
        path = expand(spec.entry_file, at.item)
        blob = at.snapshot.blob(path)
        if blob is None:
            return {}
        text = _edited(decode(blob), spec, values, line)
        return {path: text.encode()}
    entries = read.place(at.item).entries
    if not entries:
        return {}
    piece = entries[0]
    text = _edited(piece.data.decode(), spec, values, line)
    end = piece.offset + len(piece.data)
    data = read.data[:piece.offset] + text.encode() + read.data[end:]
    return {spec.file: data}


def _edited(
        text: str,
        spec: RegistrySpec,
        values: Mapping[str, str],
        line: str,
) -> str:
    if spec.entry_format == 'frontmatter':
        from interlock.documents.frontmatter_edit import scalar
        from interlock.documents.frontmatter_edit import set_field
        for role, key in spec.shape.fields:
            if role in values:
                text = set_field(text, (key,), scalar(values[role]))
    else:
        text = entry_edit.set_values(text, spec.shape, values)
    if line and spec.shape.timelines:
        text = entry_edit.append_to_timeline(text, spec.shape, line)
    return text


def _apply(
        at: Records,
        row: Mapping[str, str],
        entry: Mapping[str, str],
        line: str = '',
) -> dict[str, bytes | None]:
    """Row and entry of an item with other values."""
    spec, read = _readable(at)
    try:
        files = _edit_entry(at, spec, read, entry, line)
        changed = files.get(spec.file)
        if changed is not None:
            read = _reread(changed, spec)
        data = entry_edit.set_row(read, at.item, row)
        if data is not None:
            files[spec.file] = data
    except (Unreadable, UnicodeDecodeError) as e:
        raise Refusal(
            f'{spec.file}: the registry {e}', f'${{EDITOR:-vi}} {spec.file}',
        ) from None
    return files


def may(at: Records, wanted: Status) -> tuple[bool, str]:
    """Whether an item may go to a status now, and why not."""
    if at.state is None and at.registered:
        raise Refusal(
            f'{at.canonical_path}: the status of {at.item} is not understood',
            'interlock check --worktree --inherited --only registry',
        )
    assert wanted.state is not None
    step = machine.step(at.state, wanted.state, at.kind)
    if step.severity == 'error' or at.state == wanted.state:
        return step.severity != 'error', step.why
    gaps = [f'{each.path} is missing' for each in missing(
        at, wanted.state.name,
    )]
    return not gaps, '; '.join(gaps) or step.why


def parse_status(text: str, kind: Kind) -> Status:
    read = statuses.read(text, kind)
    if not statuses.is_known(read, kind):
        near = statuses.nearest(read, kind)
        hint = f'; did you mean `{near}`?' if near else ''
        raise Refusal(f'`{text}` is no status of the workflow{hint}')
    return read


def timeline_line(day: str, label_: str, text: str) -> str:
    about = f' ({label_})' if label_ else ''
    return f'- **{day}{about}:** {text}'


def default_timeline(state: State, kind: Kind) -> str:
    spec = kind.states[state.name]
    if state.phase is not None:
        return f'Phase {spec.stage}.{state.phase} complete'
    return spec.timeline or f'{label(state, kind)} reached'


def set_status(
        at: Records,
        wanted: Status,
        day: str,
        text: str = '',
        force: str = '',
) -> Outcome:
    """Row, entry, dates and timeline in one; `force` is the reason."""
    if at.canonical is None:
        raise Denied(
            f'{at.item} is not registered',
            f'interlock registry add {at.item}',
        )
    assert wanted.state is not None
    step = machine.step(at.state, wanted.state, at.kind)
    warnings = []
    if step.severity == 'error' and not force:
        raise Denied(
            f'{at.item} may not go from {at.state} to {wanted.state}: '
            f'{step.why}',
            f'interlock registry may {at.item} STATUS',
        )
    elif step.severity and not force:
        warnings.append(step.why)
    text = text or default_timeline(wanted.state, at.kind)
    if force:
        text = f'{text} (forced: {force})'
    stale = at.kind.states[wanted.state.name].handoff == 'stale'
    removed = at.handoff.path if stale and at.handoff else ''
    if removed:
        text = f'{text}; handoff deleted'
    stage = at.kind.states[wanted.state.name].role == STAGE
    line = timeline_line(day, str(wanted.state) if stage else '', text)
    value = written(wanted.state, at.kind, wanted.word)
    if wanted.annotation:
        value = f'{value} {wanted.annotation}'
    files = _apply(
        at, _row_values(at, value, day), _entry_values(at, value, day), line,
    )
    if removed:
        files[removed] = None
    return Outcome(
        files, (f'{at.item}: {at.state} -> {wanted.state}',), tuple(warnings),
    )


def _row_values(at: Records, value: str, day: str) -> dict[str, str]:
    if at.row is None:
        return {}
    old = at.row.text('status')
    values = {'status': entry_edit.restyled(old, value)}
    if 'updated' in at.row.values:
        values['updated'] = day
    return values


def _entry_values(at: Records, value: str, day: str) -> dict[str, str]:
    if at.entry is None:
        return {}
    old = at.entry.text('status')
    values = {'status': entry_edit.restyled(old, value)}
    if 'updated' in at.entry.values:
        values['updated'] = day
    return values


def add_timeline(at: Records, day: str, about: str, text: str) -> Outcome:
    if at.entry is None:
        raise Denied(f'{at.item} has no entry with a timeline')
    values = {'updated': day} if 'updated' in at.entry.values else {}
    row = {'updated': day} if at.row and 'updated' in at.row.values else {}
    files = _apply(at, row, values, timeline_line(day, about, text))
    return Outcome(files, (f'{at.item}: timeline extended',))


def sync(at: Records) -> Outcome:
    """The row as the entry says."""
    if at.row is None or at.entry is None:
        raise Denied(f'{at.item} has no row and entry to bring in line')
    values = {
        role: entry_edit.restyled(at.row.text(role), at.entry.text(role))
        for role in ('status', 'updated', 'version')
        if at.entry.text(role) and role in at.row.values
    }
    values = {
        role: value for role, value in values.items()
        if value != at.row.text(role)
    }
    if not values:
        return Outcome({}, (f'{at.item}: row and entry agree',))
    return Outcome(
        _apply(at, values, {}), (f'{at.item}: row brought in line',),
    )


def _description(snapshot: Snapshot, spec: RegistrySpec, item: str) -> str:
    """The first paragraph of text in the file that describes the item."""
    path = expand(spec.description, item)
    data = data_of(snapshot, path) if path else None
    for block in (data or b'').decode(errors='replace').split('\n\n'):
        text = ' '.join(block.split())
        if text and not text.startswith(('#', '---', '|', '<!--')):
            return text
    return 'No description yet.'


def add(
        snapshot: Snapshot,
        kind: Kind,
        item: str,
        type_: str,
        day: str,
) -> Outcome:
    """A new item: its entry and its row."""
    if not is_name(item):
        raise Refusal(f'{item!r} cannot be the name of an item')
    at = records(snapshot, kind, item)
    if at.registered:
        raise Denied(f'{item} is registered already')
    spec, read = _readable(at)
    if spec.types and type_ not in spec.types:
        raise Refusal(
            f'`{type_}` is none of {", ".join(spec.types)}'
            f'{did_you_mean(type_, spec.types)}',
        )
    first = next(iter(kind.states))
    status = written(State(first), kind)
    values = {
        'item': item, 'status': status, 'updated': day, 'type': type_,
    }
    data = entry_edit.new_row(read, values)
    if is_monolithic(spec, read) and spec.template and not spec.entry_file:
        text = spec.template
        for key, value in {
                'item': item, 'status': status, 'type': type_, 'date': day,
                'description': _description(snapshot, spec, item),
        }.items():
            text = text.replace(f'{{{key}}}', value)
        data = entry_edit.new_entry(_reread(data, spec), text)
    return Outcome({spec.file: data}, (f'{item}: registered as {first}',))
