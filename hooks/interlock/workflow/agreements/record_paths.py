"""The records of a kind that a path holds; each path is examined once."""

from __future__ import annotations

import bisect

from interlock.documents.text import plain
from interlock.model import quick_tools as functools
from interlock.model.change import ADDED, DELETED, MODIFIED, Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import (
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.workflow.agreements.entries import NOTHING_SAID, FileEntries, ItemKey
from interlock.workflow.agreements.names import INSIDE, ITEM, Lets, Names, Patterns
from interlock.workflow.agreements.readers import Parser, Reading, words_of
from interlock.workflow.agreements.spec import (
    PRESENT,
    UNKNOWN,
    UNREADABLE,
    Record,
    RecordedKind,
)

# the limit for a history that changes words or workflows often
MOST_KINDS = 64


# separators before a remark: `Done (merged in #12)`, `Complete - shipped`
ENDS = (
    ' (',
    ' - ',
    ' \u2013 ',
    ' \u2014 ',
    ';',
    ',',
    '. ',
    ' [',
    ' as of ',
    ' on ',
    ' by ',
)


class FoundFile(NamedTuple):
    """One file of a record."""

    path: str
    parts: Mapping[str, str]
    # the number of the matching pattern
    rank: int
    # the item and the folder, '' if the path does not name them
    key: ItemKey


# record, item and folder, as far as the path names them
Place = tuple[str, str, str]
# a path, and the records that it holds
Held = tuple[str, Sequence[tuple[Place, FoundFile]]]
BOXES = 'boxes'
# readers that find an item by a box, a heading or a path
COUNTED = (BOXES, 'heading', PRESENT)
# beyond this, starting from scratch is cheaper
MOST_CHANGES = 256
# how many lists of files are kept in a long history
MOST_LISTS = 4096


class Places:
    """The files of each item in a tree, stored as changes to another tree."""

    __slots__ = ('_base', '_changes')

    def __init__(
        self,
        base: Mapping[Place, Sequence[FoundFile]],
        changes: Mapping[Place, Sequence[FoundFile]] | None = None,
    ) -> None:
        self._base, self._changes = base, changes or {}

    def get(self, place: Place) -> Sequence[FoundFile]:
        found = self._changes.get(place)
        return self._base.get(place, ()) if found is None else found

    def files(self, record: str) -> list[FoundFile]:
        every = {**self._base, **self._changes}.items()
        return [file for (name, *_), files in every if name == record for file in files]

    def changed(self, changes: Mapping[Place, Sequence[FoundFile]]) -> Places:
        if len(self._changes) + len(changes) > MOST_CHANGES:
            return Places({**self._base, **self._changes, **changes})
        return Places(self._base, {**self._changes, **changes})


def _order(found: FoundFile) -> tuple[int, str]:
    return found.rank, found.path


def _beginning(paths: Sequence[str], start: str) -> Sequence[str]:
    first, size = bisect.bisect_left(paths, start), len(start)
    end = bisect.bisect_right(paths, start, first, key=lambda path: path[:size])
    return paths[first:end]


def _outermost(starts: Iterable[str]) -> tuple[str, ...]:
    """Leave out prefixes that another one covers."""
    every = set(starts)
    return tuple(
        start
        for start in sorted(every)
        if not any(start != other and start.startswith(other) for other in every)
    )


class KindPaths:
    """The patterns of one kind, and their results for all paths so far."""

    def __init__(
        self, kind: RecordedKind, lets: Lets, words: Mapping[str, str]
    ) -> None:
        self.kind = kind
        # word in lower case -> state
        self.words = words
        self.names = Names(kind.item, kind.fold, lets)
        self.parsers = {
            name: Parser(record, self.names) for name, record in kind.records.items()
        }
        # several records may have the same files
        self._files: dict[
            tuple[object, ...], tuple[Patterns, Patterns | None, list[Record]]
        ] = {}
        for record in kind.records.values():
            names = Names(record.short, kind.fold, lets) if record.short else self.names
            made = names.patterns(record.files)
            but = names.patterns(record.excluded) if record.excluded else None
            key = record.files, record.excluded, record.short
            self._files.setdefault(key, (made, but, []))[2].append(record)
        # the records that list items
        self.lists = [name for name, each in kind.records.items() if each.item]
        self._starts = _outermost(
            head
            for record in kind.records.values()
            for head in self.names.patterns(record.files).heads
        )
        self._held_in: tuple[Mapping[str, str], Sequence[Held]] = {}, ()
        self._known: dict[str, tuple[tuple[Place, FoundFile], ...]] = {}
        self._values: dict[str, str] = {}
        self._readers: dict[tuple[str, str], FileReader] = {}
        self._present: dict[tuple[str, str], FileEntries] = {}
        self._folders: dict[tuple[str, str, ItemKey], FileEntries] = {}
        self._said: dict[int, tuple[Sequence[FoundFile], Sequence[FileEntries]]] = {}

    @functools.cached_property
    def only_counts(self) -> bool:
        """Whether only the number of times a file lists an item can be wrong."""
        return not self.kind.agree and all(
            record.read in COUNTED and self._has_known_boxes(record)
            for record in self.kind.records.values()
        )

    def _has_known_boxes(self, record: Record) -> bool:
        """Whether a box of an item has a state, ticked or not."""
        if record.read != BOXES or not record.line or not record.strict:
            return True
        return UNKNOWN not in map(self.value, (record.ticked, record.unticked))

    def key(self, item: str, inside: str = '') -> ItemKey:
        return ItemKey(self.names.folded(item), inside)

    def value(self, word: str) -> str:
        """The state that a word means."""
        if word not in self._values:
            self._values[word] = self._state(word)
        return self._values[word]

    def _state(self, word: str) -> str:
        return self.words.get(self._core(word), UNKNOWN)

    def _core(self, text: str) -> str:
        """The state word that a text contains, in lower case; '' if none."""
        for part in (words_of(text), plain(text)):
            part = part.strip(' .!').casefold()
            for candidate in (part, *_shorter(part)):
                if candidate in self.words:
                    return candidate
        return ''

    def core(self, text: str) -> str:
        """The state word as written in a text, without emphasis and remarks."""
        core = self._core(text)
        at = text.casefold().find(core)
        found = text[at : at + len(core)]
        return found if found.casefold() == core else ''

    def reader(self, record: Record, file: FoundFile) -> FileReader:
        key = record.name, file.path
        found = self._readers.get(key)
        if found is None:
            found = self._readers[key] = FileReader(self, record, file)
        return found

    def presence(self, record: Record, file: FoundFile) -> FileEntries:
        """The entry that a file makes by its existence."""
        key = record.name, file.path
        found = self._present.get(key)
        if found is None:
            place = '/'.join(file.path.split('/')[: record.folder or None])
            found = NOTHING_SAID
            if file.key.item and not (record.folder and place == file.path):
                folder = record.name, place, file.key
                found = self._folders.setdefault(folder, _presence(file, place))
            self._present[key] = found
        return found

    def present(
        self, record: Record, files: Sequence[FoundFile]
    ) -> Sequence[FileEntries]:
        """The entries that files make by existing; all files of a folder share one."""
        # consecutive trees of a history share the same list of files
        known = self._said.get(id(files))
        if known is None or known[0] is not files:
            if len(self._said) >= MOST_LISTS:
                self._said.clear()
            said = dict.fromkeys(self.presence(record, file) for file in files)
            known = self._said[id(files)] = files, list(said)
        return known[1]

    def of(self, path: str) -> tuple[tuple[Place, FoundFile], ...]:
        """The records that a path holds, each with its place."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = (
                tuple(
                    (self._place(record, held), held)
                    for made, but, records in self._files.values()
                    if (held := self._held(made, but, path)) is not None
                    for record in records
                )
                if path.startswith(self._starts)
                else ()
            )
        return found

    def held_in(self, touched: Mapping[str, str]) -> Sequence[Held]:
        """The paths of a change that hold records; several checks ask for them."""
        if self._held_in[0] is not touched:
            held = [(path, found) for path in touched if (found := self.of(path))]
            self._held_in = touched, held
        return self._held_in[1]

    @staticmethod
    def _place(record: Record, file: FoundFile) -> Place:
        item, inside = file.key
        return record.name, item if record.is_by_path else '', inside

    def _held(
        self, made: Patterns, but: Patterns | None, path: str
    ) -> FoundFile | None:
        fit = made.of_path(path)
        if fit is None or (but is not None and but.of_path(path)):
            return None
        rank, parts = fit
        key = self.key(parts.get(ITEM, ''), parts.get(INSIDE, ''))
        return FoundFile(path, parts, rank, key)

    def search(
        self, paths: Sequence[str], name: str, item: str = '', inside: str | None = None
    ) -> list[FoundFile]:
        """The files of a record in a tree with sorted paths; may include some
        files of other items and folders."""
        record = self.kind.records[name]
        inner = [f'{{{INSIDE}}}' in pattern for pattern in record.files]
        if inside is not None and bool(inside) not in inner:
            return []
        made = self.names.patterns(record.files)
        some: Sequence[str] = [
            path
            for start in _outermost(made.heads)
            for path in _beginning(paths, start)
            if path.endswith(made.tails) and (inside or '') in path
        ]
        if item:
            some = self.names.may_name(record.files, some, item)
        return sorted(
            (
                file
                for path in some
                for place, file in self.of(path)
                if place[0] == name
            ),
            key=_order,
        )

    def places(self, paths: Sequence[str]) -> Places:
        """The files of each item, in a tree with sorted paths."""
        made: dict[Place, list[FoundFile]] = {}
        for path in (
            path for start in self._starts for path in _beginning(paths, start)
        ):
            for place, found in self.of(path):
                made.setdefault(place, []).append(found)
        for (name, _, _), files in made.items():
            if len(files) > 1 and len(self.kind.records[name].files) > 1:
                files.sort(key=_order)
        return Places(made)

    def changed_places(
        self, places: Places, touched: Mapping[str, str]
    ) -> tuple[Places, list[str]]:
        """The same for the next tree, given only its changes, and the files
        that are added although they already existed."""
        made, doubled = dict[Place, list[FoundFile]](), []
        for path, places_held in self.held_in(touched):
            letter = touched[path]
            if letter == MODIFIED:
                continue
            for place, found in places_held:
                if place not in made:
                    made[place] = list(places.get(place))
                held = made[place]
                at = bisect.bisect_left(held, _order(found), key=_order)
                is_held = held[at : at + 1] == [found]
                if is_held and letter == DELETED:
                    del held[at]
                elif is_held and letter == ADDED:
                    doubled.append(path)
                elif not is_held and letter != DELETED:
                    held.insert(at, found)
        # most changes only modify the content of files
        return places.changed(made) if made else places, doubled


def _shorter(text: str) -> Iterator[str]:
    for end in ENDS:
        head = text.partition(end)[0].strip(' .!:')
        if head != text:
            yield head


def _presence(file: FoundFile, place: str) -> FileEntries:
    said = {file.key: (Reading('', '', PRESENT, 1, True),)}
    return FileEntries(said, file.parts[ITEM], place)


class FileReader:
    """Reads the entries of one file, once for each content."""

    __slots__ = ('_file', '_keys', '_paths', '_record')

    def __init__(self, paths: KindPaths, record: Record, file: FoundFile) -> None:
        self._paths, self._record, self._file = paths, record, file
        # most items of a file are unchanged from its previous version
        self._keys: dict[tuple[str, str], ItemKey] = {}

    def __call__(self, blob: Blob) -> FileEntries:
        return self.entries(*self._paths.parsers[self._record.name](blob))

    def entries(
        self, readings: Sequence[Reading], problem: Unreadable | None
    ) -> FileEntries:
        file = self._file
        if problem is not None:
            readings = (Reading('', '', UNREADABLE, problem.line, True),)
        return FileEntries(
            self._by_key(readings),
            file.parts.get(ITEM, ''),
            file.path,
            self._paths.value,
            problem,
        )

    def _by_key(
        self, readings: Sequence[Reading]
    ) -> Mapping[ItemKey, Sequence[Reading]]:
        if not self._file.key.item:
            readings = [each for each in readings if each.item]
        keys = [self._key(each.item, each.inside) for each in readings]
        found: dict[ItemKey, Sequence[Reading]] = dict(
            zip(keys, zip(readings, strict=True), strict=True)
        )
        if len(found) < len(keys):
            # a file seldom lists an item twice
            for key in found:
                found[key] = []
            for key, reading in zip(keys, readings, strict=True):
                found[key] = (*found[key], reading)
        return found

    def _key(self, item: str, inside: str) -> ItemKey:
        found = self._keys.get((item, inside))
        if found is None:
            own = self._file.key
            found = self._keys[item, inside] = ItemKey(
                self._paths.names.folded(item) if item else own.item,
                inside or own.inside,
            )
        return found


_Words = tuple[tuple[str, object], ...]
_made: dict[tuple[int, _Words, _Words], KindPaths] = {}


def kind_paths(kind: RecordedKind, lets: Lets, words: Mapping[str, str]) -> KindPaths:
    """Cached by identity: a kind contains mappings and cannot be hashed."""
    # unless the project defines words, these are the kind's own
    own = () if words is kind.words else tuple(words.items())
    key = (
        id(kind),
        tuple((name, tuple(each)) for name, each in sorted(lets.items())),
        own,
    )
    found = _made.get(key)
    if found is None or found.kind is not kind:
        if len(_made) >= MOST_KINDS:
            _made.clear()
        found = _made[key] = KindPaths(kind, lets, words)
    return found
