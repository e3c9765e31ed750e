"""All records of one item in one snapshot."""

from __future__ import annotations

from interlock.documents import frontmatter, markdown, yaml
from interlock.documents.frontmatter import Handoff
from interlock.documents.registry.record import Record, Shape, Value, read_entry
from interlock.documents.registry.table import Registry
from interlock.documents.text import decode
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob, MergedSnapshot, Snapshot
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Callable, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.patterns import (
    expand,
    is_wild,
    matching_paths,
    path_re,
)
from interlock.workflow.language.spec import DONE, Kind, RegistrySpec
from interlock.workflow.reading import status_words as status
from interlock.workflow.reading.item_paths import is_name, item_of
from interlock.workflow.reading.kind_cache import of_snapshot, remember
from interlock.workflow.reading.status_words import Status

STAGE_RE = re.compile(r'(.+?)\.([0-9]{1,4})$')


# the parts about which the sides of a merge may disagree
REGISTRY = 'registry'
HANDOFF = 'handoff'


class Placed(NamedTuple):
    path: str
    handoff: Handoff
    # None before the stages, or if unreadable
    state: State | None


class Records(NamedTuple):
    item: str
    kind: Kind
    snapshot: Snapshot
    registry_path: str
    registered: bool
    # whether the registry has entries besides its rows
    monolithic: bool
    rows: tuple[Record, ...] = ()
    entries: tuple[Record, ...] = ()
    # the first of each
    row: Record | None = None
    entry: Record | None = None
    row_status: Status | None = None
    entry_status: Status | None = None
    # the state in the canonical record, and its role
    state: State | None = None
    role: str = ''
    # the meaning of a handoff that still exists: '', 'kept' or 'stale'
    handoff_policy: str = ''
    entry_path: str = ''
    # why a row or an entry could not be read
    problem: Unreadable | None = None
    # at its path, and at the path of older projects
    handoff: Placed | None = None
    older: Placed | None = None
    # the one that counts: the older one only if the other is missing
    current: Placed | None = None
    # for the parents of a merge: the parts they disagree about
    contested: frozenset[str] = frozenset()

    @property
    def called(self) -> str:
        return self.kind.called(self.item)

    @property
    def canonical(self) -> Record | None:
        return self.entry or self.row

    @property
    def canonical_path(self) -> str:
        return self.entry_path if self.entry else self.registry_path

    @property
    def status(self) -> Status | None:
        """The status in the canonical record."""
        return self.entry_status or self.row_status

    @property
    def label(self) -> str:
        return self.kind.label(self.state)

    @property
    def handoff_place(self) -> str:
        return expand(self.kind.handoff.file, self.item)

    @property
    def handoff_state(self) -> State | None:
        return handoff_state(self.current)

    @property
    def stage(self) -> State | None:
        """The state of the work: from the handoff, else from the registry."""
        return self.handoff_state or self.state

    @property
    def active_handoff(self) -> Placed | None:
        """The handoff that gives the state of the work: not a leftover or an
        early one."""
        if self.handoff is not None:
            return self.handoff
        elif self.role == DONE or handoff_state(self.older) is None:
            return None
        return self.older

    @property
    def is_open(self) -> bool:
        """Whether the handoff says that work is in progress."""
        return is_open(self.current, self.kind)

    @property
    def handoff_values(self) -> dict[str, str]:
        """The fields of the handoff that have single values."""
        return values_of(self.current)

    def handoff_field(self, role: str) -> yaml.Scalar | None:
        return scalar(self.current, self.kind, role)

    def section_lines(self, role: str) -> list[str]:
        """The lines of the handoff's sections that have a role."""
        title = self.kind.handoff.sections.get(role, '').lower()
        return [
            line
            for section in (self.current.handoff.sections if self.current else ())
            if title and section.title.lower().startswith(title)
            for line in section.body.splitlines()
        ]


def scalar(placed: Placed | None, kind: Kind, role: str) -> yaml.Scalar | None:
    """A field of the handoff by its role, under its key or an alias."""
    return _scalar(placed.handoff, kind, role) if placed else None


def scalars(placed: Placed, kind: Kind) -> dict[str, yaml.Scalar]:
    """role -> field, for the fields of a handoff that have a role and a value."""
    found = [(role, _scalar(placed.handoff, kind, role)) for role in kind.handoff.keys]
    return {role: node for role, node in found if node and not is_null(node)}


def _scalar(handoff: Handoff, kind: Kind, role: str) -> yaml.Scalar | None:
    key = kind.handoff.keys.get(role)
    node = handoff.nodes.get(key) if key else None
    if node is None:
        for alias, target in kind.handoff.aliases.items():
            if target == key:
                node = node or handoff.nodes.get(alias)
    return node if isinstance(node, yaml.Scalar) else None


def is_null(node: yaml.Node | None) -> bool:
    return node is None or (
        isinstance(node, yaml.Scalar)
        and (node.kind == 'null' or node.text in {'null', ''})
    )


def is_quoted_number(node: yaml.Node | None) -> bool:
    """Whether a number is written as text: comparing it with numbers would fail."""
    return (
        isinstance(node, yaml.Scalar) and node.kind == 'str' and node.text.isdecimal()
    )


def handoff_state(placed: Placed | None) -> State | None:
    return placed.state if placed else None


def is_open(placed: Placed | None, kind: Kind) -> bool:
    """Whether the handoff says that work is in progress."""
    status = scalar(placed, kind, 'status')
    opened = kind.handoff.writes.get('open')
    return status is not None and status.text == opened


def values_of(placed: Placed | None) -> dict[str, str]:
    """The fields of a handoff that have single values."""
    fields = placed.handoff.fields if placed else None
    return {
        key: node.text
        for key, node in (fields.items if fields else {}).items()
        if isinstance(node, yaml.Scalar) and not is_null(node)
    }


def continued_handoff(before: Records, after: Records) -> Placed | None:
    """The handoff that the later one continues; a leftover does not count."""
    if after.handoff is not None:
        return before.current
    elif before.handoff is None:
        return before.older
    # the file at its path is gone: it moved only if the other one is new
    return before.handoff if before.older is None else None


def placed_handoff(path: str, handoff: Handoff, kind: Kind) -> Placed:
    return Placed(path, handoff, _handoff_state(handoff, kind))


def _handoff_state(handoff: Handoff, kind: Kind) -> State | None:
    """Stage and phase of a handoff."""
    stage = _scalar(handoff, kind, 'stage')
    if stage is None:
        return None
    phase = _scalar(handoff, kind, 'phase')
    spec = kind.by_stage(stage.text)
    number = None
    if spec is None:
        # written with its phase, as `4.3`: reported elsewhere, read as both
        match = STAGE_RE.match(stage.text)
        spec = kind.by_stage(match[1]) if match else None
        if match and spec:
            number = int(match[2])
    if spec is None:
        return None
    if phase is not None and not is_null(phase):
        match = STAGE_RE.match(phase.text)
        if match and match[1] == spec.stage:
            number = int(match[2])
    return State(spec.name, number)


@remember
def _registry_parser(kind: Kind) -> Callable[[Blob], Registry]:
    # one object per shape, so that a snapshot parses each blob once
    return _parser(kind.registry.shape)


@functools.cache
def _parser(shape: Shape) -> Callable[[Blob], Registry]:
    return functools.partial(Registry, shape=shape)


@of_snapshot
def registry(snapshot: Snapshot, kind: Kind) -> Registry | None:
    if not kind.registry:
        return None
    return snapshot.parsed(kind.registry.file, _registry_parser(kind))


def is_monolithic(spec: RegistrySpec, read: Registry) -> bool:
    if spec.layout != 'auto':
        return spec.layout == 'monolithic'
    return bool(spec.entry_file) or read.has_entries


def _entry_file(blob: Blob, spec: RegistrySpec, item: str) -> Record:
    text = decode(blob)
    markdown.refuse_conflict(text.encode(), markdown.Mask(text.encode()))
    if spec.entry_format == 'fields':
        return read_entry(item, text, spec.shape)
    front = frontmatter.parse(text)
    values = {}
    if front is not None:
        for role, key in spec.shape.fields:
            node = front.fields.items.get(key)
            if isinstance(node, yaml.Scalar) and not is_null(node):
                values[role] = Value(node.text, front.fields.lines[key])
    timelines = read_entry(item, text, spec.shape).timelines
    return Record(item, values, timelines)


def located_path(snapshot: Snapshot, kind: Kind, pattern: str, item: str) -> str:
    """The path of an item's file; the pattern itself if there is none."""
    if not is_wild(pattern):
        return expand(pattern, item)
    return _located(snapshot, kind, pattern).get(item) or expand(pattern, item)


@of_snapshot
def _located(snapshot: Snapshot, kind: Kind, pattern: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(snapshot.paths()):
        match = path_re(pattern).match(path)
        if match:
            found.setdefault(match['item'], path)
    return found


def _with_entry_file(at: Records, spec: RegistrySpec) -> Records:
    path = located_path(at.snapshot, at.kind, spec.entry_file, at.item)
    blob = at.snapshot.blob(path)
    if blob is None:
        return at
    at = at._replace(registered=True, entry_path=path)
    try:
        entries = (_entry_file(blob, spec, at.item),)
    except Unreadable as e:
        return at._replace(problem=e)
    return at._replace(**written(at.rows, entries, at.kind))


@remember
def _handoff_parser(kind: Kind) -> Callable[[Blob], tuple[Handoff, State | None]]:
    def parse(blob: Blob) -> tuple[Handoff, State | None]:
        read = frontmatter.parse_handoff(blob)
        return read, _handoff_state(read, kind)

    return parse


def _handoffs(snapshot: Snapshot, kind: Kind, item: str) -> list[Placed | None]:
    """What is at each place of the handoff of an item."""
    parser = _handoff_parser(kind)
    places = [located_path(snapshot, kind, e, item) for e in kind.handoff.places]
    found = [(path, snapshot.parsed(path, parser)) for path in places]
    return [Placed(path, *read) if read else None for path, read in found]


@of_snapshot
def records(snapshot: Snapshot, kind: Kind, item: str) -> Records:
    if isinstance(snapshot, MergedSnapshot):
        # merges are rare, and hooks have no time for the import
        from interlock.workflow.reading.merged_records import merged_records

        return merged_records(snapshot, kind, item)
    spec, read = kind.registry, registry(snapshot, kind)
    own = older = None
    # an invalid name would lead to files of something else
    named = is_name(item, kind)
    if kind.handoff and named:
        own, *others = _handoffs(snapshot, kind, item)
        older = next(filter(None, others), None)
    monolithic = read is not None and is_monolithic(spec, read)
    rows: tuple[Record, ...] = ()
    entries: tuple[Record, ...] = ()
    problem = None
    try:
        rows, entries = read.records(item) if read else ((), ())
    except Unreadable as e:
        problem = e
    at = Records(
        item,
        kind,
        snapshot,
        spec.file,
        bool(rows or entries or problem),
        monolithic,
        entry_path=expand(spec.entry_file, item) or spec.file,
        problem=problem,
        handoff=own,
        older=older,
        current=own or older,
        **written(rows, entries, kind),
    )
    return _with_entry_file(at, spec) if named and spec.entry_file else at


def written(
    rows: tuple[Record, ...], entries: tuple[Record, ...], kind: Kind
) -> dict[str, Any]:
    """The fields of `Records` for what a registry says about an item."""
    row, entry = [each[0] if each else None for each in (rows, entries)]
    said = [each.text('status') if each else None for each in (row, entry)]
    row_status, entry_status = [
        None if each is None else status.read(each, kind) for each in said
    ]
    canonical = entry_status or row_status
    state = canonical.state if canonical else None
    spec = kind.states[state.name] if state else None
    return {
        'rows': rows,
        'entries': entries,
        'row': row,
        'entry': entry,
        'row_status': row_status,
        'entry_status': entry_status,
        'state': state,
        'role': spec.role if spec else '',
        'handoff_policy': spec.handoff if spec else '',
    }


@of_snapshot
def all_items(snapshot: Snapshot, kind: Kind) -> list[str]:
    """All names that a registry, an entry file or a handoff stands for."""
    seen: dict[str, None] = {}
    read = registry(snapshot, kind)
    if read is not None:
        seen.update(dict.fromkeys(read.places))
    entries = kind.registry.entry_file
    patterns = (*kind.handoff.places, *([entries] if entries else ()))
    if patterns:
        for path in matching_paths(snapshot.paths(), patterns):
            seen[item_of(path, kind)] = None
    seen.pop('', None)
    return list(seen)
