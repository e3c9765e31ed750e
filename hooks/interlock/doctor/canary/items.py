"""Valid items of a kind according to its workflow, and the files that hold them."""

from __future__ import annotations

from interlock.documents.frontmatter_edit import scalar
from interlock.model import quick_hash
from interlock.model import quick_tools as functools
from interlock.model.errors import Refusal
from interlock.model.quick_typing import (
    Any,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.model.state import State
from interlock.operations.registry.status import status_text
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import (
    STAGE,
    ContractSpec,
    FieldSpec,
    HandoffSpec,
    Kind,
    RegistrySpec,
)
from interlock.workflow.reading import evidence, transitions
from interlock.workflow.reading.item_paths import is_ignored, is_path_name

DAY = '2026-01-02'
VERSION = '1.0.0'
WORDS = ('Canary', 'Kanarie', 'Serin')
Data = dict[str, bytes]
# role (item, status, version, updated) -> its text
Values = Mapping[str, str]
# frontmatter of a handoff: a text, or texts by key
Fields = Mapping[str, 'str | Mapping[str, str]']


class Item(NamedTuple):
    name: str
    rows: tuple[Values, ...] = ()
    # None: the item has no entry
    entry: Values | None = None
    # the dates in the timeline of the entry
    days: tuple[str, ...] = (DAY,)
    # the frontmatter of its handoff; None: it has no handoff
    fields: Fields | None = None
    # everything but the registry and the handoff
    files: Mapping[str, bytes] = {}

    def with_row(self, **values: str) -> Item:
        return self._replace(rows=({**self.rows[0], **values},))

    def with_file(self, path: str, data: bytes) -> Item:
        return self._replace(files={**self.files, path: data})

    def without_file(self, path: str) -> Item:
        return self._replace(files={p: d for p, d in self.files.items() if p != path})

    def with_field(self, key: str, value: str | Mapping[str, str] | None) -> Item:
        """The item with this field, or without it if the value is None."""
        fields = {**(self.fields or {}), key: value}
        return self._replace(fields={k: v for k, v in fields.items() if v is not None})

    def unregistered(self) -> Item:
        return self._replace(rows=(), entry=None)


def _valid(field: FieldSpec, fields: Mapping[str, Any]) -> str:
    """A valid value for a field, 'null' if none is known."""
    if field.exactly_when is not None:
        name, minimum = field.exactly_when
        return str(float(fields.get(name, minimum)) >= minimum).lower()
    elif field.type == 'boolean':
        return 'false'
    elif field.type == 'number':
        number = field.minimum if field.minimum is not None else field.maximum or 1
        return str(int(number) if float(number).is_integer() else number)
    plain = [value for value in field.values if '{' not in value]
    return next(iter(plain), 'null' if field.values else 'canary')


def _features(kind: Kind) -> set[str]:
    """The features of a kind that a rule may need."""
    registry, handoff = kind.registry, kind.handoff
    shape = registry.shape if registry else None
    found: dict[str, object] = {
        'registry': registry,
        # an item may have an entry as well as a row
        'entries': registry
        and registry.layout != 'distributed'
        and (registry.shape.heading or registry.entry_file),
        'timelines': shape and shape.timelines,
        'notes': registry
        and registry.notes
        and not registry.entry_file
        and registry.layout != 'monolithic',
        'handoff': handoff,
        'sections': handoff.expected_sections,
        'older': handoff.older,
        'planned': handoff.planned,
        **{f'key {role}': True for role in handoff.keys},
    }
    for role, _ in shape.columns if shape else ():
        found[f'column {role}'] = True
        # both the row and the entry contain it
        found[f'{role} twice'] = shape and role in dict(shape.fields)
    return {name for name, has in found.items() if has}


class Sampler:
    """Makes items of one kind."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.states = [State(name) for name in kind.states]
        # the stages that a handoff may be at
        self.stages = [
            state
            for state in self.states
            if kind.states[state.name].role == STAGE and kind.states[state.name].stage
        ]
        self.features = _features(kind)
        if 'handoff' in self.features and self.stages:
            self.features.add('stages')
        if self.frozen:
            self.features.add('frozen')

    def name(self, code: str) -> str:
        """The name of the item that breaks a rule."""
        for word in WORDS:
            name = f'{word}{code}'
            if is_path_name(name) and not is_ignored(name, self.kind):
                return name
        raise Refusal(
            f'the workflow ignores every {self.kind.name} that could be planted'
        )

    def pairs(self, among: Sequence[State]) -> Iterator[tuple[State, State]]:
        """Every ordered pair of different states."""
        yield from ((one, other) for one in among for other in among if one != other)

    def severity(self, old: State | None, new: State) -> str:
        """The severity of a transition, '' for a legal one."""
        return transitions.step(old, new, self.kind).severity

    @functools.cached_property
    def frozen(self) -> State | None:
        """A stage at which contracts must not change."""
        if 'key checksums' not in self.features:
            return None
        frozen = self.kind.contracts.frozen
        # the last such stage comes after planning, if there is planning
        return next((s for s in reversed(self.stages) if s.name in frozen), None)

    @property
    def handoff_spec(self) -> HandoffSpec:
        return self.kind.handoff

    def handoff_path(self, item: str) -> str:
        return expand(self.handoff_spec.file, item)

    @property
    def contracts(self) -> tuple[ContractSpec, ...]:
        return self.kind.contracts.files

    def contract_path(self, item: str, contract: ContractSpec) -> str:
        return expand(contract.paths[0], item)

    def seal(self, data: bytes) -> str:
        algorithm = self.kind.contracts.algorithm
        return f'{algorithm}:{quick_hash.new(algorithm, data).hexdigest()}'

    def _done(self, state: State) -> str:
        """The handoff status for finished work, as far as the state allows one."""
        spec = self.handoff_spec
        planned = spec.planned[1:] if spec.planned else ()
        words: Iterable[str] = (spec.writes.get('done', ''), *planned, *spec.statuses)
        for word in words:
            if word and state.name in spec.status_in.get(word, (state.name,)):
                return word
        return ''

    def fields(self, item: str, state: State) -> dict[str, str | Mapping[str, str]]:
        """The frontmatter of a handoff at a state."""
        spec, keys = self.handoff_spec, self.handoff_spec.keys
        stage = self.kind.states[state.name].stage
        values = {
            'item': item,
            'stage': stage,
            'phase': 'null' if state.phase is None else f'{stage}.{state.phase}',
            'status': self._done(state),
            'updated': DAY,
        }
        fields: dict[str, str | Mapping[str, str]] = {
            keys[role]: text for role, text in values.items() if role in keys and text
        }
        for field in spec.fields:
            fields.setdefault(field.name, _valid(field, fields))
        if spec.evidence:
            fields[spec.evidence] = {
                evidence.key(self.kind, name, what): evidence.value(
                    evidence.PASSED, DAY
                )
                for name, gate in self.kind.gates.items()
                for what in gate.evidence
            }
        if 'checksums' in keys and self.kind.contracts:
            fields[keys['checksums']] = {
                each.name: self.seal(_contract(item, each)) for each in self.contracts
            }
        return fields

    def sound(self, item: str, state: State, handoff: bool = True) -> Item:
        """An item that breaks no rule."""
        files = {
            self.contract_path(item, each): _contract(item, each)
            for each in self.contracts
        }
        made = Item(item, files=files)
        if self.kind.registry:
            values = {
                'item': item,
                'status': status_text(state, self.kind),
                'version': VERSION,
                'updated': DAY,
            }
            entry = values if 'entries' in self.features else None
            made = made._replace(rows=(values,), entry=entry)
        if handoff and self.kind.handoff and State(state.name) in self.stages:
            made = made._replace(fields=self.fields(item, state))
        return made

    def handoff(self, fields: Fields, more: str = '') -> bytes:
        lines = []
        for key, value in fields.items():
            if isinstance(value, str):
                lines.append(f'{key}: {scalar(value)}\n')
                continue
            lines.append(f'{key}:\n')
            lines.extend(f'  {k}: {scalar(v)}\n' for k, v in value.items())
        sections = ''.join(
            f'\n## {title}\n\ncanary\n' for title in self.handoff_spec.expected_sections
        )
        return f'---\n{"".join(lines)}---\n{sections}{more}'.encode()

    def files(self, items: Iterable[Item]) -> Data:
        """The files of these items, as if the kind had no others."""
        items, made, spec = list(items), Data(), self.kind.registry
        if spec:
            made[spec.file] = _registry(items, spec)
        for item in items:
            if spec.entry_file and item.entry is not None:
                path = expand(spec.entry_file, item.name)
                made[path] = _entry_file(item, item.entry, spec)
            if item.fields is not None:
                made[self.handoff_path(item.name)] = self.handoff(item.fields)
            made.update(item.files)
        return made


def _contract(item: str, contract: ContractSpec) -> bytes:
    return f'# {contract.name} of {item}\n\nSealed.\n'.encode()


def _entry(item: Item, entry: Values, spec: RegistrySpec) -> str:
    timelines = ''.join(f'- **{day}:** canary\n' for day in item.days)
    fields = (
        f'**{label}:** {entry[role]}\n'
        for role, label in spec.shape.fields
        if role in entry
    )
    labels = (f'\n**{label}:**\n{timelines}' for label in spec.shape.timelines[:1])
    return ''.join((*fields, *labels))


def _entry_file(item: Item, entry: Values, spec: RegistrySpec) -> bytes:
    if spec.entry_format != 'frontmatter':
        return _entry(item, entry, spec).encode()
    lines = [
        f'{label}: {scalar(entry[role])}\n'
        for role, label in spec.shape.fields
        if role in entry
    ]
    return f'---\n{"".join(lines)}---\n{_entry(item, {}, spec)}'.encode()


def _registry(items: Iterable[Item], spec: RegistrySpec) -> bytes:
    headers = [header for _, header in spec.shape.columns]
    lines = [f'# Canary\n\n| {" | ".join(headers)} |\n{"|---" * len(headers)}|\n']
    for item in items:
        for row in item.rows:
            cells = [row.get(role, '') for role, _ in spec.shape.columns]
            lines.append(f'| {" | ".join(cells)} |\n')
    for item in items:
        if item.entry is not None and not spec.entry_file:
            heading = '#' * spec.shape.heading
            lines.append(f'\n{heading} {item.name}\n\n{_entry(item, item.entry, spec)}')
    return ''.join(lines).encode()
