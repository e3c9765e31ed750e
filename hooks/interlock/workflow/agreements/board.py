"""The items of recorded kinds in one tree, and what each record says about them."""

from __future__ import annotations

from interlock.model import quick_tools as functools
from interlock.model.change import Blob, Snapshot
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.workflow.agreements.entries import (
    NOTHING_SAID,
    FileEntries,
    ItemKey,
    RecordEntry,
)
from interlock.workflow.agreements.names import ITEM, SPLIT_RE, expanded
from interlock.workflow.agreements.readers import Child, text_of
from interlock.workflow.agreements.record_paths import (
    FoundFile,
    Place,
    Places,
    kind_paths,
)
from interlock.workflow.agreements.spec import (
    ABSENT,
    CHILDREN,
    DEPENDS,
    PRESENT,
    UNKNOWN,
    ProjectFile,
    Record,
    RecordedKind,
)

LINKED = Unreadable('is a link to another file')
# from this number on, finding the files of all items at once is cheaper
MOST_SEARCHES = 64


class RelatedRecord(NamedTuple):
    label: str
    value: str
    path: str
    line: int


class KindBoard:
    """The items of one kind."""

    def __init__(
        self, snapshot: Snapshot, kind: RecordedKind, paths: Callable[[], Sequence[str]]
    ) -> None:
        self.snapshot, self.kind = snapshot, kind
        lets = {
            name: _project_words(snapshot, source) for name, source in kind.let.items()
        }
        self.matcher = kind_paths(kind, lets, _words(snapshot, kind))
        self.names = self.matcher.names
        self._paths = paths
        self._in_file: dict[tuple[str, str], FileEntries] = {}
        self._of_item: dict[tuple[str, ItemKey], Sequence[RecordEntry]] = {}
        self._entries: dict[str, dict[ItemKey, list[RecordEntry]]] = {}
        self._files: dict[str, Sequence[FoundFile]] = {}
        # a commit asks for a few items; for a history all places are known and
        # handed on from tree to tree
        self._searched: dict[Place, Sequence[FoundFile]] = {}
        self._places: Places | None = None
        # files that the tree contains twice
        self.doubled: Sequence[str] = ()
        # which entry counts if a list contains an item several times
        self.nth = 0

    def key(self, item: str, inside: str = '') -> ItemKey:
        return self.matcher.key(item, inside)

    def follow(self, before: KindBoard, touched: Mapping[str, str]) -> None:
        """Take over the file locations of a tree that differs in a few files."""
        if before.matcher is self.matcher:
            if before._places is None:
                before._places = self.matcher.places(before._paths())
            self._places, self.doubled = self.matcher.changed_places(
                before._places, touched
            )

    def files(self, record: Record) -> Sequence[FoundFile]:
        """The files of a record; if the record says so, only those of the
        first pattern that has any."""
        if record.name not in self._files:
            if self._places is None:
                found = self.matcher.search(self._paths(), record.name)
            else:
                found = self._places.files(record.name)
                found.sort(key=lambda file: (file.rank, file.path))
            if record.first:
                found = [each for each in found if each.rank == found[0].rank]
            self._files[record.name] = found
        return self._files[record.name]

    def _files_of(self, record: Record, item: str, inside: str) -> Sequence[FoundFile]:
        place = record.name, item if record.is_by_path else '', inside
        if self._places is None and len(self._searched) >= MOST_SEARCHES:
            self._places = self.matcher.places(self._paths())
        if self._places is not None:
            return self._places.get(place)
        if place not in self._searched:
            self._searched[place] = [
                file
                for file in self.matcher.search(self._paths(), *place)
                if file.key.inside == inside and place[1] in ('', file.key.item)
            ]
        return self._searched[place]

    def is_alone(self, record: Record, file: FoundFile) -> bool:
        """Whether no other file lists items of the same folder."""
        places = dict.fromkeys((file.key.inside, ''))
        files = [each for place in places for each in self._files_of(record, '', place)]
        return not record.first and all(each.path == file.path for each in files)

    def entries(self, name: str) -> Mapping[ItemKey, Sequence[RecordEntry]]:
        """All items of a record, with their entries."""
        if name not in self._entries:
            record = self.kind.records[name]
            found: dict[ItemKey, list[RecordEntry]] = {}
            files = self.files(record)
            if record.read != PRESENT:
                self.snapshot.prefetch(file.path for file in files)
            for file in files:
                said = self.in_file(record, file)
                for key in said.said:
                    found.setdefault(key, []).extend(said.of(key))
            self._entries[name] = found
        return self._entries[name]

    def of(self, name: str, key: ItemKey) -> Sequence[RecordEntry]:
        """The entries of one item in a record; only the item's own files are read."""
        record = self.kind.records[name]
        if name in self._entries and not record.short:
            return self._entries[name].get(key, ())
        known = self._of_item.get((name, key))
        if known is None:
            found: list[RecordEntry] = []
            for each in (key, *(above(key, self.kind.join) if record.short else ())):
                for files in self._candidates(record, each):
                    for entries in self._said(record, files):
                        found.extend(entries.of(each))
            known = self._of_item[name, key] = found
        return known

    def _said(
        self, record: Record, files: Sequence[FoundFile]
    ) -> Iterable[FileEntries]:
        if record.read == PRESENT:
            return self.matcher.present(record, files)
        return [self.in_file(record, file) for file in files]

    def _candidates(
        self, record: Record, key: ItemKey
    ) -> Iterator[Sequence[FoundFile]]:
        """The files that may list an item, folder by folder."""
        if record.first:
            yield self.files(record)
            return
        yield self._files_of(record, key.item, key.inside)
        if key.inside:
            # the folder may come from a `*` inside a file, and then no path names it
            yield self._files_of(record, key.item, '')

    def _near(self, name: str, above: ItemKey) -> Iterable[ItemKey]:
        """The items of a record that may lie below another item; if paths name
        them, no file is read."""
        record = self.kind.records[name]
        if record.is_by_path:
            files = self._files.get(name) or (
                self.files(record)
                if self._places is not None
                else self.matcher.search(self._paths(), name, above.item)
            )
            return dict.fromkeys(file.key for file in files if file.key.item)
        elif record.first or name in self._entries:
            return self.entries(name)
        return dict.fromkeys(
            key
            for files in self._candidates(record, ItemKey('', above.inside))
            for file in files
            for key in self.in_file(record, file).said
        )

    def in_file(self, record: Record, file: FoundFile) -> FileEntries:
        key = record.name, file.path
        if key not in self._in_file:
            self._in_file[key] = self._read(record, file)
        return self._in_file[key]

    def _read(self, record: Record, file: FoundFile) -> FileEntries:
        if record.read == PRESENT:
            return self.matcher.presence(record, file)
        if record.ignored is not None and self._is_ignored(record.ignored, file):
            return NOTHING_SAID
        reader = self.matcher.reader(record, file)
        if self.snapshot.is_link(file.path):
            return reader.entries((), LINKED)
        return self.snapshot.parsed(file.path, reader) or NOTHING_SAID

    def _is_ignored(self, source: ProjectFile, file: FoundFile) -> bool:
        files = tuple(expanded(path, file.parts) for path in source.files)
        return 'true' in _project_words(self.snapshot, source._replace(files=files))

    def knows(self, entry: RecordEntry) -> bool:
        """Whether its word is one of the kind or of the project."""
        if entry.reading.is_value:
            return True
        known, word = self.matcher.words, entry.word
        return self.matcher.value(word) != UNKNOWN or word.strip().casefold() in known

    def items(self) -> set[ItemKey]:
        return {key for name in self._naming() for key in self.entries(name)}

    def items_behind(self, short: ItemKey) -> set[ItemKey]:
        """The items whose names begin with a short name."""
        return {
            key
            for name in self._naming()
            for key in self._near(name, short)
            if key.inside == short.inside
            and is_below(key.item, short.item, self.kind.join)
        }

    def _naming(self) -> list[str]:
        """The records that use full item names."""
        return [name for name, each in self.kind.records.items() if not each.short]

    def first(self, name: str, key: ItemKey) -> RecordEntry | None:
        """The entry of an item in a record; unknown if lines of a file contradict each
        other, such as a box of this milestone and one of the last."""
        found = self.of(name, key)
        record = self.kind.records[name]
        if len(found) > 1 and record.line and not record.children:
            if len({entry.value for entry in found}) > 1:
                return found[0]._replace(value=UNKNOWN)
        return found[min(self.nth, len(found) - 1)] if found else None

    def times(self, key: ItemKey) -> int:
        """How often a list contains an item, each time with its own children."""
        return max([1, *(len(self.of(name, key)) for name in self.matcher.lists)])

    def missing_path(self, name: str, key: ItemKey) -> str:
        """The path that a missing record of an item would have, derived from
        its other files; '' if they do not tell."""
        wanted = self.kind.records[name].files
        for record in self.kind.records.values():
            # patterns of two records that belong together have the same order
            is_like = len(record.files) == len(wanted)
            groups = self._candidates(record, key) if record.is_by_path else ()
            for file in (file for files in groups for file in files):
                for pattern in (wanted[file.rank if is_like else 0], wanted[0]):
                    path = expanded(pattern, file.parts)
                    if not SPLIT_RE.search(path):
                        return path
        return ''

    def says(self, name: str, key: ItemKey) -> str:
        entry = self.first(name, key)
        return ABSENT if entry is None else entry.value

    def set_below(
        self, name: str, above: ItemKey, join: str
    ) -> Iterator[tuple[ItemKey, RecordEntry]]:
        """The items below another one that are in a record, or in a set such
        as "plans without a summary"."""
        derived = self.kind.derive.get(name)
        for key in self._near(derived.has if derived else name, above):
            if key.inside != above.inside or not is_below(key.item, above.item, join):
                continue
            entry = self.first(derived.has if derived else name, key)
            if entry is not None and not (derived and self.of(derived.lacks, key)):
                yield key, entry

    def referring(self, name: str, to: str) -> Iterator[tuple[ItemKey, RecordEntry]]:
        """The items of a record whose files name others under a key."""
        record = self.kind.records[name]
        if not record.is_by_path:
            for key, entries in self.entries(name).items():
                yield key, entries[0]
            return
        files, word = self.files(record), to.encode()
        self.snapshot.prefetch(file.path for file in files)
        for file in files:
            blob = self.snapshot.blob(file.path)
            if blob is not None and (blob.data is None or word in blob.data):
                said = self.in_file(record, file)
                for key in said.said:
                    yield key, said.of(key)[0]

    def dependents(self, name: str, keys: set[ItemKey]) -> Iterator[ItemKey]:
        """The items that depend on any of these items."""
        for key, entry in self.referring(name, self.kind.records[name].depends):
            for ref in entry.reading.depends:
                if self._referred(name, ref, key.inside) in keys:
                    yield key

    def parents(self, name: str, key: ItemKey) -> Iterator[ItemKey]:
        """The parents of an item, by its name or by a key."""
        yield from above(key, self.kind.join)
        entry = self.first(name, key)
        if entry is not None and entry.reading.parent:
            yield self._referred(name, entry.reading.parent, key.inside)

    def depends(self, name: str, key: ItemKey) -> Iterator[RelatedRecord]:
        entry = self.first(name, key)
        if entry is None:
            return
        for ref in entry.reading.depends:
            other = self._referred(name, ref, key.inside)
            found = self.first(name, other)
            value = ABSENT if found is None else found.value
            yield RelatedRecord(ref, value, entry.path, entry.line)

    def _referred(self, name: str, ref: str, inside: str) -> ItemKey:
        record = self.kind.records[name]
        match = self.names.line(record.refs, ref.strip()) if record.refs else None
        return self.key(match[ITEM] if match else ref.strip(), inside)

    def children(self, name: str, key: ItemKey) -> Iterator[RelatedRecord]:
        entry = self.first(name, key)
        if entry is None:
            return
        seen = {child.label for child in entry.reading.children}
        for child in entry.reading.children:
            yield self._child(child, entry)
        for found in self._below_item(name, key):
            label = found.name
            if label not in seen and not any(
                text.startswith(f'{label}{end}') for text in seen for end in ' .:'
            ):
                yield RelatedRecord(label, found.value, found.path, found.line)

    def _child(self, child: Child, entry: RecordEntry) -> RelatedRecord:
        value = child.word if child.is_value else self.matcher.value(child.word)
        if child.is_value:
            # a nested box: use the words of this record's ticked and open boxes
            record = next(
                (each for each in self.kind.records.values() if each.ticked), None
            )
            if record is not None:
                value = record.ticked if child.word == 'all' else record.unticked
        return RelatedRecord(child.label, value, entry.path, child.line)

    def is_nearest(self, key: ItemKey, below: ItemKey) -> bool:
        """Whether no item with a longer name stands between the two: `4-5-1`
        belongs to `4-5` if that exists, not to `4`."""
        return not any(
            self.of(name, other)
            for other in above(below, self.kind.join)
            if len(other.item) > len(key.item)
            for name in self.kind.records
        )

    def _below_item(self, name: str, key: ItemKey) -> Iterator[RecordEntry]:
        """Items whose names begin with this one's name, or whose keys name it."""
        if self.kind.join:
            for _, entry in self.set_below(name, key, self.kind.join):
                yield entry
        if self.kind.records[name].parent:
            for other, entry in self.referring(name, self.kind.records[name].parent):
                if other == key or other.inside != key.inside:
                    continue
                is_joined = self.kind.join and is_below(
                    other.item, key.item, self.kind.join
                )
                parent = entry.reading.parent
                if not is_joined and parent:
                    if self._referred(name, parent, key.inside) == key:
                        yield entry


def is_below(name: str, above: str, join: str) -> bool:
    """Whether a name extends another one: `1-2` is below `1`."""
    return name.startswith(f'{above}{join}')


def above(key: ItemKey, join: str) -> Iterator[ItemKey]:
    """All items that a name may be below: `1` and `1.2` for `1.2.3`."""
    at = key.item.find(join) if join else -1
    while at > 0:
        yield ItemKey(key.item[:at], key.inside)
        at = key.item.find(join, at + 1)


def _at(data: object, keys: Iterable[str]) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def project_data(blob: Blob) -> tuple[object] | Unreadable:
    """The content of a project's file, or why it cannot be read."""
    from interlock.documents import json, yaml
    from interlock.documents.text import decode

    try:
        text = decode(blob).removeprefix('\ufeff')
        # a YAML mapping may look like JSON, and YAML is slower to read
        if text.lstrip().startswith('{'):
            try:
                return (json.parse(Blob(blob.oid, blob.size, text.encode())).data,)
            except Unreadable:
                # YAML does not allow a tab at the start of a line
                if '\t' in text:
                    raise
        return (yaml.value(yaml.parse(text)),)
    except Unreadable as e:
        return e


def _words(snapshot: Snapshot, kind: RecordedKind) -> Mapping[str, str]:
    """Word in lower case -> state; a project may define some words."""
    source = kind.words_from
    if source is None:
        return kind.words
    known = kind.words
    own = _project_words(snapshot, source)
    found = {word.casefold(): word for word in own}
    if own and source.last:
        ends = [word for word in found if known.get(word) == source.last]
        end = ends[0] if ends else own[-1].casefold()
        # words after the end of the work may mean anything
        behind = [*found][[*found].index(end) + 1 :]
        found |= {**dict.fromkeys(behind, UNKNOWN), end: source.last}
    return {**found, **known}


def _project_words(snapshot: Snapshot, source: ProjectFile) -> tuple[str, ...]:
    """The words in a project's file; the default if it has none."""
    for path in source.files:
        read = snapshot.parsed(path, project_data)
        if read is None or isinstance(read, Unreadable):
            continue
        (data,) = read
        for keys in source.keys:
            found = _at(data, keys)
            values = found if isinstance(found, list) else [found]
            words = tuple(filter(None, map(text_of, values)))
            if words:
                return (*words, *(each for each in source.default if not source.last))
    return source.default


class Board:
    """All recorded kinds of a workflow in one tree."""

    def __init__(self, snapshot: Snapshot, kinds: Sequence[RecordedKind]) -> None:
        self.recorded = kinds
        paths = functools.cache(lambda: sorted(snapshot.paths()))
        self.kinds = {kind.name: KindBoard(snapshot, kind, paths) for kind in kinds}

    def follow(self, before: Board, touched: Mapping[str, str]) -> Board:
        for name, kind in self.kinds.items():
            kind.follow(before.kinds[name], touched)
        return self

    @property
    def doubled(self) -> list[str]:
        """Files that a change adds although the tree already has them."""
        return [path for kind in self.kinds.values() for path in kind.doubled]

    def related(
        self, kind: KindBoard, side: str, key: ItemKey
    ) -> Iterator[RelatedRecord]:
        """The records on a side: `depends.R`, `children.R`, `KIND.R` or `KIND.SET`."""
        head, _, name = side.rpartition('.')
        if head == DEPENDS:
            yield from kind.depends(name, key)
        elif head == CHILDREN:
            yield from kind.children(name, key)
        else:
            join = kind.kind.join
            for below, entry in self.kinds[head].set_below(name, key, join):
                if kind.is_nearest(key, below):
                    yield RelatedRecord(entry.name, entry.value, entry.path, entry.line)
