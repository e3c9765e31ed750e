"""The records of an item in a merge that only takes over changes.

The unit is a field of a record, never a file or a line: two branches that
change different fields of one item do not conflict.
"""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.frontmatter import Handoff
from interlock.documents.registry.record import Record, Value
from interlock.model.change import MergedSnapshot, Snapshot
from interlock.model.quick_typing import Callable, Iterable, TypeVar
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.changed_items import is_recorded, renamed
from interlock.workflow.reading.item_paths import paths_of
from interlock.workflow.reading.kind_cache import of_snapshot
from interlock.workflow.reading.records import (
    HANDOFF,
    REGISTRY,
    Placed,
    Records,
    placed_handoff,
    records,
    registry,
    written,
)

T = TypeVar('T')


def _registered(snapshot: Snapshot, kind: Kind) -> set[str]:
    found = registry(snapshot, kind)
    return set(found.places) if found else set()


@of_snapshot
def renames(at: MergedSnapshot, kind: Kind) -> dict[str, str]:
    """The new name -> the old name of each item that one side renamed."""
    found: dict[str, str] = {}
    for base, side in at.changed_sides():
        names = _registered(base, kind) ^ _registered(side, kind)
        found.update(renamed(base, side, kind, sorted(names)))
    for new, old in found.items():
        for path, old_path in zip(
            paths_of(new, kind), paths_of(old, kind), strict=True
        ):
            at.rename(old_path, path)
    return found


def on_side(at: MergedSnapshot, snapshot: Snapshot, kind: Kind, item: str) -> Records:
    """The records of an item in one of the merged trees.

    Uses its old name if another side renamed it.
    """
    found = records(snapshot, kind, item)
    old = renames(at, kind).get(item)
    if old is None or is_recorded(found):
        return found
    return records(snapshot, kind, old)._replace(item=item)


class _Merger:
    """Merges the records of one item, and collects what is contested."""

    def __init__(self, at: MergedSnapshot, kind: Kind, item: str) -> None:
        self.at = at
        self.kind = kind
        self.item = item
        self.contested: set[str] = set()

    def of_sides(self) -> list[Records]:
        return [on_side(self.at, side, self.kind, self.item) for side in self.at.sides]

    def opinions(self, read: Callable[[Records], T]) -> list[T]:
        return self.at.opinions(
            lambda side: read(on_side(self.at, side, self.kind, self.item))
        )

    def pick(self, read: Callable[[Records], T], unit: str = '') -> T:
        """The merged answer to a question; `unit` names what it decides."""
        found = self.opinions(read)
        if len(found) > 1 and unit:
            self.contested.add(unit)
        return found[min(self.at.number, len(found) - 1)]

    def side(self, read: Callable[[Records], T], unit: str = '') -> Records:
        """The records of the side whose answer is taken over."""
        wanted = self.pick(read, unit)
        return next(at for at in self.of_sides() if read(at) == wanted)

    def lines(
        self, read: Callable[[Records], tuple[Record, ...]]
    ) -> tuple[Record, ...]:
        """Rows or entries; a single one is merged field by field."""
        every = [read(at) for at in self.of_sides() if read(at)]
        if not self.pick(lambda at: bool(read(at))) or not every:
            return ()
        elif any(len(some) > 1 for some in every):
            return read(self.side(lambda at: _texts(read(at)), REGISTRY))
        first = every[0][0]
        roles = dict.fromkeys(
            role for some in every for record in some for role in record.values
        )
        values = {}
        for role in roles:
            text = self._field(read, role)
            if text is not None:
                values[role] = Value(text, 1)
        return (first._replace(values=values),)

    def _field(
        self, read: Callable[[Records], tuple[Record, ...]], role: str
    ) -> str | None:
        unit = REGISTRY if role == 'status' else ''
        return self.pick(lambda at: _text(read(at), role), unit)

    def placed(self, read: Callable[[Records], Placed | None]) -> Placed | None:
        """A handoff, merged field by field if both sides changed it."""

        def content(at: Records) -> str:
            found = read(at)
            blob = at.snapshot.blob(found.path) if found else None
            return blob.oid if blob else ''

        if len(self.opinions(content)) == 1:
            return read(self.side(content))
        chosen = read(self.side(content))
        every = [_fields(read(at)) for at in self.of_sides()]
        if chosen is None or None in every:
            # one side removed it or made it unreadable
            self.contested.add(HANDOFF)
            return chosen
        fields = self.mapping(lambda at: _fields(read(at)), self._deciding())
        handoff = Handoff(fields, None, chosen.handoff.sections, fields.items)
        return placed_handoff(chosen.path, handoff, self.kind)

    def _deciding(self) -> set[str]:
        """The fields by which a handoff gives the state of the work."""
        keys = self.kind.handoff.keys
        wanted = {keys[role] for role in ('stage', 'phase') if role in keys}
        aliases = self.kind.handoff.aliases.items()
        return wanted | {alias for alias, key in aliases if key in wanted}

    def mapping(
        self,
        read: Callable[[Records], yaml.Mapping | None],
        deciding: Iterable[str] = (),
    ) -> yaml.Mapping:
        every = filter(None, [read(at) for at in self.of_sides()])
        keys = dict.fromkeys(key for found in every for key in found.items)
        items: dict[str, yaml.Node] = {}
        for key in keys:
            unit = HANDOFF if key in deciding else ''
            chosen = self._node(_at_key(read, key), unit)
            if chosen is not None:
                items[key] = chosen
        return yaml.Mapping(items, dict.fromkeys(items, 1), 1)

    def _node(
        self, read: Callable[[Records], yaml.Node | None], unit: str
    ) -> yaml.Node | None:
        """A mapping (such as seals) is merged key by key, anything else as one
        value."""
        nodes = [read(at) for at in self.of_sides()]
        if all(isinstance(node, yaml.Mapping) for node in nodes):
            return self.mapping(lambda at: _mapping(read(at)))
        self.pick(lambda at: _plain(read(at)), unit)
        return read(self.side(lambda at: _plain(read(at))))

    def written(self) -> Records:
        """The registry's records, merged field by field if every side has them.

        An item that leaves the registry counts as a change of its status.
        """
        whole = self.side(_said, REGISTRY)
        if not all(at.registered for at in self.of_sides()):
            # including the contracts of the same side
            return whole
        self.contested.discard(REGISTRY)
        rows = self.lines(lambda at: at.rows)
        entries = self.lines(lambda at: at.entries)
        said = written(rows, entries, whole.kind)
        return whole._replace(snapshot=self.at, **said)

    def merged(self) -> Records:
        written = self.written()
        own = self.placed(lambda at: at.handoff)
        older = self.placed(lambda at: at.older)
        return written._replace(
            item=self.item,
            handoff=own,
            older=older,
            current=own or older,
            contested=frozenset(self.contested),
        )


def _said(at: Records) -> object:
    """Everything the registry says about an item, for comparison."""
    return (at.registered, str(at.problem or ''), _texts(at.rows), _texts(at.entries))


def _text(found: tuple[Record, ...], role: str) -> str | None:
    value = found[0].values.get(role) if found else None
    return value.text if value else None


def _texts(found: tuple[Record, ...]) -> list[dict[str, str]]:
    return [
        {role: value.text for role, value in record.values.items()} for record in found
    ]


def _fields(found: Placed | None) -> yaml.Mapping | None:
    return found.handoff.fields if found else None


def _at_key(
    read: Callable[[Records], yaml.Mapping | None], key: str
) -> Callable[[Records], yaml.Node | None]:
    def node(at: Records) -> yaml.Node | None:
        found = read(at)
        return found.items.get(key) if found else None

    return node


def _mapping(node: yaml.Node | None) -> yaml.Mapping | None:
    return node if isinstance(node, yaml.Mapping) else None


def _plain(node: yaml.Node | None) -> object:
    """A node without its line numbers, for comparison."""
    if isinstance(node, yaml.Mapping):
        return {key: _plain(value) for key, value in node.items.items()}
    elif isinstance(node, yaml.Sequence):
        return [_plain(value) for value in node.items]
    return (node.text, node.kind) if node is not None else None


def merged_records(at: MergedSnapshot, kind: Kind, item: str) -> Records:
    if item in renames(at, kind).values():
        # one side renamed it, so the merge has its new name
        path = kind.registry.file
        return Records(item, kind, at, path, False, False, entry_path=path)
    return _Merger(at, kind, item).merged()
