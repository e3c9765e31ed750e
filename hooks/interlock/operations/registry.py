"""Changes of the registry: row and entry together."""
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from interlock.documents import entry_edit
from interlock.documents import frontmatter
from interlock.documents import markdown
from interlock.documents.record import Record
from interlock.documents.registry import Registry
from interlock.documents.registry_edit import set_cells
from interlock.documents.registry_edit import splice
from interlock.documents.text import decode
from interlock.documents.text import emoji
from interlock.documents.text import plain
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
from interlock.workflow.names import is_ignored
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


def _registered(at: Records) -> Record:
    if at.problem is not None:
        raise Refusal(
            f'{at.entry_path}:{at.problem.line}: the record of {at.item} '
            f'{at.problem.message}',
            f'git checkout HEAD -- {at.entry_path}',
        )
    elif at.canonical is None:
        raise Denied(
            f'{at.item} is not registered',
            f'interlock registry add {at.item} --type TYPE',
        )
    return at.canonical


def show(at: Records) -> dict[str, str]:
    """The status as programs want it: emoji, stage if any, and the text."""
    read = statuses.read(_registered(at).text('status'), at.kind)
    text = read.raw.replace('**', '').replace('__', '').replace('_', '')
    words = text.split()
    shown = {'emoji': words[0] if words and emoji(words[0]) else ''}
    spec = at.kind.states.get(read.name)
    # a milestone has an emoji of its own, and shows no number
    if spec is not None and read.state is not None and (
            spec.role == STAGE and read.emoji == emoji(spec.emoji)
    ):
        phase = read.state.phase
        shown['stage'] = (
            spec.stage if phase is None else f'{spec.stage}.{phase}'
        )
    shown['text'] = ' '.join(words)
    return shown


def written(state: State, kind: Kind, word: str = '') -> str:
    """A status as the registry writes it: emoji and text."""
    spec = kind.states[state.name]
    name = word or label(state, kind)
    base = name if state.phase is None else name.rpartition('.')[0]
    return f'{spec.aliases.get(base, spec.emoji)} {name}'.strip()


def _written(wanted: Status, kind: Kind) -> str:
    assert wanted.state is not None
    parts = [written(wanted.state, kind, wanted.word), wanted.annotation]
    if wanted.beside:
        parts.append(written(State(wanted.beside), kind, wanted.beside))
    return ' '.join(part for part in parts if part)


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
    refuse_twice(at)
    return spec, read


def refuse_twice(at: Records) -> None:
    """Which of two records is right is not for us to say."""
    if len(at.rows) > 1 or len(at.entries) > 1:
        raise Refusal(
            f'{at.item} is registered twice in {at.registry_path}',
            'interlock explain REG007',
        )


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
    path = at.entry_path
    try:
        files = _edit_entry(at, spec, read, entry, line)
        path = spec.file
        changed = files.get(spec.file)
        if changed is not None:
            read = _reread(changed, spec)
        data = entry_edit.set_row(read, at.item, row)
        if data is not None:
            files[spec.file] = data
    except (Unreadable, UnicodeError) as e:
        raise Refusal(
            f'{path}: the record of {at.item} {e}',
            f'${{EDITOR:-vi}} {path}',
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
    old = _registered(at)
    assert wanted.state is not None
    allowed, why = (True, '') if force else may(at, wanted)
    target = label(wanted.state, at.kind)
    origin = label(at.state, at.kind) if at.state else old.text('status')
    if not allowed:
        raise Denied(
            f'{at.item} may not go from {origin} to {target}: {why}',
            f'interlock registry may {at.item} STATUS',
        )
    text = text or default_timeline(wanted.state, at.kind)
    if force:
        text = f'{text} (forced: {force})'
    stale = at.kind.states[wanted.state.name].handoff == 'stale'
    removed = at.handoff.path if stale and at.handoff else ''
    if removed:
        text = f'{text}; handoff deleted'
    stage = at.kind.states[wanted.state.name].role == STAGE
    line = timeline_line(day, str(wanted.state) if stage else '', text)
    value = _written(wanted, at.kind)
    files = _apply(
        at, _row_values(at, value, day), _entry_values(at, value, day), line,
    )
    said = [f'{at.item}: {origin} -> {target}']
    if removed:
        files[removed] = None
        said.append(f'{removed}: deleted')
    return Outcome(files, tuple(said), (why,) if why else ())


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
    _registered(at)
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
    """The cells of a row that do not say what the entry says."""
    return {
        role: entry_edit.restyled(row.text(role), entry.text(role))
        for role in ('status', 'updated', 'version')
        if entry.text(role) and role in row.values and
        not _says_the_same(at, role, row.text(role), entry.text(role))
    }


def sync(at: Records) -> Outcome:
    """The row as the entry says."""
    _registered(at)
    _readable(at)
    if at.row is None or at.entry is None:
        raise Denied(f'{at.item} has no row and entry to bring in line')
    values = _behind(at, at.row, at.entry)
    if not values:
        return Outcome({}, (f'{at.item}: row and entry agree',))
    return Outcome(
        _apply(at, values, {}), (f'{at.item}: row brought in line',),
    )


def sync_all(snapshot: Snapshot, kind: Kind) -> Outcome:
    """Every row as its entry says; what stands twice is left alone."""
    read = registry(snapshot, kind)
    spec = kind.registry
    if spec is None or read is None or read.problem is not None:
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


def add(
        snapshot: Snapshot,
        kind: Kind,
        item: str,
        type_: str,
        day: str,
) -> Outcome:
    """A new item: its entry and its row."""
    if not is_name(item) or is_ignored(item, kind):
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
    files: dict[str, bytes | None] = {}
    # a registry that holds nothing yet gets what its workflow describes
    if spec.template and (
            is_monolithic(spec, read) or
            (spec.layout == 'auto' and not read.places)
    ):
        text = spec.template
        for key, value in {
                'item': item, 'status': status, 'type': type_, 'date': day,
                'description': _description(snapshot, spec, item),
        }.items():
            text = text.replace(f'{{{key}}}', value)
        if spec.entry_file:
            files[expand(spec.entry_file, item)] = text.encode()
        else:
            data = entry_edit.new_entry(_reread(data, spec), text)
            _refuse_hidden(data, spec, item)
    files[spec.file] = data
    return Outcome(
        files, (f'{item}: registered as {label(State(first), kind)}',),
    )


def _refuse_hidden(data: bytes, spec: RegistrySpec, item: str) -> None:
    """A comment or a fence that is never closed would hide the entry."""
    place = _reread(data, spec).place(item)
    if (len(place.rows), len(place.entries)) != (1, 1):
        raise Refusal(
            f'{spec.file}: a new entry of {item} would not be read',
            f'${{EDITOR:-vi}} {spec.file}',
        )
