"""Which records of a kind a path holds; each path is looked at once."""

from __future__ import annotations

import bisect

from interlock.model.quick_typing import Iterator, Mapping, NamedTuple, Sequence
from interlock.workflow.agreements.names import INSIDE, ITEM, Lets, Names, literal_ends
from interlock.workflow.agreements.readers import Parser
from interlock.workflow.agreements.spec import Record, RecordedKind

# of a history whose projects' words or workflows change again and again
MOST_KINDS = 64


class Found(NamedTuple):
    """One file of a record."""

    path: str
    parts: Mapping[str, str]
    # which of the patterns fits
    rank: int
    # folded, '' where the path does not say it
    item: str
    inside: str


# record, item and folder, as far as paths say them
Place = tuple[str, str, str]
Places = Mapping[Place, Sequence[Found]]
DELETED = 'D'


def _order(found: Found) -> tuple[int, str]:
    return found.rank, found.path


def _beginning(paths: Sequence[str], start: str) -> Sequence[str]:
    first, size = bisect.bisect_left(paths, start), len(start)
    end = bisect.bisect_right(paths, start, first, key=lambda path: path[:size])
    return paths[first:end]


class KindPaths:
    """The patterns of one kind, and what they made of every path so far."""

    def __init__(self, kind: RecordedKind, lets: Lets) -> None:
        self.kind = kind
        self.names = Names(kind.item, kind.fold, lets)
        self.parsers = {
            name: Parser(record, self.names) for name, record in kind.records.items()
        }
        starts = sorted(
            {
                literal_ends(pattern)[0]
                for record in kind.records.values()
                for pattern in record.files
            }
        )
        # without those that another one includes
        self._starts = [
            start
            for start in starts
            if not any(start != other and start.startswith(other) for other in starts)
        ]
        self._known: dict[str, tuple[tuple[str, Found], ...]] = {}

    def of(self, path: str) -> tuple[tuple[str, Found], ...]:
        """The records that a path holds, each by its name."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = tuple(
                (record.name, held)
                for record in self.kind.records.values()
                if (held := self._held(record, path)) is not None
            )
        return found

    def record(self, name: str, path: str) -> Found | None:
        return next((found for each, found in self.of(path) if each == name), None)

    def _held(self, record: Record, path: str) -> Found | None:
        for rank, pattern in enumerate(record.files):
            parts = self.names.path(pattern, path)
            if parts is not None:
                if any(self.names.path(each, path) for each in record.excluded):
                    return None
                item = self.names.folded(parts.get(ITEM, ''))
                return Found(path, parts, rank, item, parts.get(INSIDE, ''))
        return None

    def search(
        self, paths: Sequence[str], name: str, item: str = '', inside: str | None = None
    ) -> list[Found]:
        """The files of a record in a tree, whose paths are sorted; of those of
        other items and folders only some."""
        record, found = self.kind.records[name], dict[str, None]()
        for pattern in record.files:
            head, tail = literal_ends(pattern)
            if inside is not None and bool(inside) != (f'{{{INSIDE}}}' in pattern):
                continue
            some = [path for path in _beginning(paths, head) if path.endswith(tail)]
            some = [path for path in some if not inside or inside in path]
            found.update(dict.fromkeys(self.names.may_name(some, item)))
        held = (self._held(record, path) for path in found)
        return sorted((each for each in held if each is not None), key=_order)

    def places(self, paths: Sequence[str]) -> Places:
        """Where a tree, whose paths are sorted, has the files of each item."""
        made: dict[Place, list[Found]] = {}
        for path in (
            path for start in self._starts for path in _beginning(paths, start)
        ):
            for place, found in self._places_of(path):
                made.setdefault(place, []).append(found)
        for (name, _, _), files in made.items():
            if len(files) > 1 and len(self.kind.records[name].files) > 1:
                files.sort(key=_order)
        return made

    def changed_places(self, places: Places, touched: Mapping[str, str]) -> Places:
        """The same of the next tree, of which only the changes are known."""
        made = dict(places)
        for path, letter in touched.items():
            for place, found in self._places_of(path):
                files = [each for each in made.get(place, ()) if each.path != path]
                if letter != DELETED:
                    files.append(found)
                    files.sort(key=_order)
                made[place] = files
        return made

    def _places_of(self, path: str) -> Iterator[tuple[Place, Found]]:
        for name, found in self.of(path):
            item = found.item if self.kind.records[name].is_by_path else ''
            yield (name, item, found.inside), found


_made: dict[tuple[int, tuple[tuple[str, tuple[str, ...]], ...]], KindPaths] = {}


def kind_paths(kind: RecordedKind, lets: Lets) -> KindPaths:
    """By identity: a kind holds mappings, and cannot be hashed."""
    key = id(kind), tuple((name, tuple(words)) for name, words in sorted(lets.items()))
    found = _made.get(key)
    if found is None or found.kind is not kind:
        if len(_made) >= MOST_KINDS:
            _made.clear()
        found = _made[key] = KindPaths(kind, lets)
    return found
