"""Which records of a kind a path holds; each path is looked at once."""

from __future__ import annotations

import bisect

from interlock.documents.text import plain
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple, Sequence
from interlock.workflow.agreements.entries import (
    NOTHING_SAID,
    Entries,
    FileEntries,
    Key,
    RecordEntry,
)
from interlock.workflow.agreements.names import INSIDE, ITEM, Lets, Names, literal_ends
from interlock.workflow.agreements.readers import Parser, Reading, words_of
from interlock.workflow.agreements.spec import (
    PRESENT,
    UNKNOWN,
    UNREADABLE,
    Record,
    RecordedKind,
)

# of a history whose projects' words or workflows change again and again
MOST_KINDS = 64


# a status that people explain: `Done (merged in #12)`, `Complete - shipped`
ENDS = (' (', ' - ', ' \u2013 ', ' \u2014 ', ';', ',', '. ', ' [', ' as of ', ' on ')


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
ADDED, DELETED = 'A', 'D'
BOXES = 'boxes'
# how records are read that name an item by a box or a heading, or by a path
COUNTED = (BOXES, 'heading', PRESENT)


def _order(found: Found) -> tuple[int, str]:
    return found.rank, found.path


def _beginning(paths: Sequence[str], start: str) -> Sequence[str]:
    first, size = bisect.bisect_left(paths, start), len(start)
    end = bisect.bisect_right(paths, start, first, key=lambda path: path[:size])
    return paths[first:end]


class KindPaths:
    """The patterns of one kind, and what they made of every path so far."""

    def __init__(
        self, kind: RecordedKind, lets: Lets, words: Mapping[str, str]
    ) -> None:
        self.kind = kind
        # word in lower case -> state
        self.words = words
        self.names = Names(kind.item, kind.fold, lets)
        self._short = {
            record.name: Names(record.short, kind.fold, lets)
            for record in kind.records.values()
            if record.short
        }
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
        self._starts = tuple(
            start
            for start in starts
            if not any(start != other and start.startswith(other) for other in starts)
        )
        self._known: dict[str, tuple[tuple[Place, Found], ...]] = {}
        self._values: dict[str, str] = {}
        self._readers: dict[tuple[str, str], FileReader] = {}
        self._present: dict[tuple[str, str], FileEntries] = {}

    @functools.cached_property
    def only_counts(self) -> bool:
        """Whether only how often a file lists an item can be wrong."""
        return not self.kind.agree and all(
            record.read in COUNTED and self._has_known_boxes(record)
            for record in self.kind.records.values()
        )

    def _has_known_boxes(self, record: Record) -> bool:
        """Whether a box of an item, ticked or not, means a state."""
        if record.read != BOXES or not record.line or not record.strict:
            return True
        return UNKNOWN not in map(self.value, (record.ticked, record.unticked))

    def key(self, item: str, inside: str = '') -> Key:
        return Key(self.names.folded(item), inside)

    def value(self, word: str) -> str:
        """The state that a word means."""
        if word not in self._values:
            self._values[word] = self._state(word)
        return self._values[word]

    def _state(self, word: str) -> str:
        return self.words.get(self._core(word), UNKNOWN)

    def _core(self, text: str) -> str:
        """The word of a state, in lower case, that a text says; '' if none."""
        for part in (words_of(text), plain(text)):
            part = part.strip(' .!').casefold()
            for candidate in (part, *_shorter(part)):
                if candidate in self.words:
                    return candidate
        return ''

    def core(self, text: str) -> str:
        """The word of a state as a text has it, without emphasis and reasons."""
        core = self._core(text)
        at = text.casefold().find(core)
        found = text[at : at + len(core)]
        return found if found.casefold() == core else ''

    def reader(self, record: Record, file: Found) -> FileReader:
        key = record.name, file.path
        found = self._readers.get(key)
        if found is None:
            found = self._readers[key] = FileReader(self, record, file)
        return found

    def presence(self, record: Record, file: Found) -> FileEntries:
        """What a file says by being there."""
        key = record.name, file.path
        found = self._present.get(key)
        if found is None:
            found = self._present[key] = _presence(record, file)
        return found

    def of(self, path: str) -> tuple[tuple[Place, Found], ...]:
        """The records that a path holds, each with its place."""
        found = self._known.get(path)
        if found is None:
            if not path.startswith(self._starts):
                return ()
            found = self._known[path] = tuple(
                (self._place(record, held), held)
                for record in self.kind.records.values()
                if (held := self._held(record, path)) is not None
            )
        return found

    def record(self, name: str, path: str) -> Found | None:
        for place, found in self.of(path):
            if place[0] == name:
                return found
        return None

    @staticmethod
    def _place(record: Record, file: Found) -> Place:
        return record.name, file.item if record.is_by_path else '', file.inside

    def _held(self, record: Record, path: str) -> Found | None:
        names = self._short.get(record.name, self.names)
        for rank, pattern in enumerate(record.files):
            parts = names.path(pattern, path)
            if parts is not None:
                if any(names.path(each, path) is not None for each in record.excluded):
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
            if f'{{{ITEM}}}' in pattern:
                some = list(self.names.may_name(some, item))
            found.update(dict.fromkeys(some))
        held = (self._held(record, path) for path in found)
        return sorted((each for each in held if each is not None), key=_order)

    def places(self, paths: Sequence[str]) -> Places:
        """Where a tree, whose paths are sorted, has the files of each item."""
        made: dict[Place, list[Found]] = {}
        for path in (
            path for start in self._starts for path in _beginning(paths, start)
        ):
            for place, found in self.of(path):
                made.setdefault(place, []).append(found)
        for (name, _, _), files in made.items():
            if len(files) > 1 and len(self.kind.records[name].files) > 1:
                files.sort(key=_order)
        return made

    def changed_places(
        self, places: Places, touched: Mapping[str, str]
    ) -> tuple[Places, list[str]]:
        """The same of the next tree, of which only the changes are known, and
        what is added there although it was there before."""
        made, doubled = dict[Place, Sequence[Found]](), []
        for path, letter in touched.items():
            for place, found in self.of(path):
                held = made[place] if place in made else places.get(place, ())
                is_held = found in held
                if is_held and letter == DELETED:
                    made[place] = [each for each in held if each != found]
                elif is_held and letter == ADDED:
                    doubled.append(path)
                elif not is_held and letter != DELETED:
                    made[place] = sorted((*held, found), key=_order)
        # most changes only change what files say
        return {**places, **made} if made else places, doubled


def _shorter(text: str) -> Iterator[str]:
    for end in ENDS:
        head = text.partition(end)[0].strip(' .!:')
        if head != text:
            yield head


def _presence(record: Record, file: Found) -> FileEntries:
    place = '/'.join(file.path.split('/')[: record.folder or None])
    if not file.item or (record.folder and place == file.path):
        return NOTHING_SAID
    entry = RecordEntry(PRESENT, place, 1, file.parts[ITEM], '', None, place)
    entries = {Key(file.item, file.inside): [entry]}
    return FileEntries(lambda: entries)


class FileReader:
    """Reads what one file says of items; worked out once for each content."""

    __slots__ = ('_file', '_paths', '_record')

    def __init__(self, paths: KindPaths, record: Record, file: Found) -> None:
        self._paths, self._record, self._file = paths, record, file

    def __call__(self, blob: Blob) -> FileEntries:
        parsed = self._paths.parsers[self._record.name](blob)
        if parsed.problem is not None:
            unread = functools.partial(self._unread, parsed.problem)
            return FileEntries(unread, parsed.problem)
        return FileEntries(
            functools.partial(self._entries, parsed.readings),
            None,
            self._repeated(parsed.readings),
        )

    def _repeated(self, readings: Sequence[Reading]) -> set[Key]:
        """The items of which there are several readings; mostly there is none."""
        item, inside = self._file.parts.get(ITEM, ''), self._file.inside
        folded = self._paths.names.folded
        names = {
            (folded(each.item or item), each.inside or inside) for each in readings
        }
        if len(names) == len(readings):
            return set()
        seen, repeated = set[Key](), set[Key]()
        for reading in readings:
            key = self._key(reading)
            (repeated if key in seen else seen).add(key)
        return repeated

    def _key(self, reading: Reading) -> Key:
        name = reading.item or self._file.parts.get(ITEM, '')
        return self._paths.key(name, reading.inside or self._file.inside)

    def _unread(self, problem: Unreadable) -> Entries:
        file = self._file
        if not file.item:
            return {}
        entry = RecordEntry(
            UNREADABLE, file.path, problem.line, file.parts[ITEM], place=file.path
        )
        return {Key(file.item, file.inside): [entry]}

    def _entries(self, readings: Sequence[Reading]) -> Entries:
        item, path = self._file.parts.get(ITEM, ''), self._file.path
        found: dict[Key, list[RecordEntry]] = {}
        for reading in readings:
            name, word, line = reading.item or item, reading.word, reading.line
            if name:
                value = word if reading.is_value else self._paths.value(word)
                place = f'{path}:{line}' if reading.item else path
                found.setdefault(self._key(reading), []).append(
                    RecordEntry(value, path, line, name, word, reading, place)
                )
        return found


_Words = tuple[tuple[str, object], ...]
_made: dict[tuple[int, _Words, _Words], KindPaths] = {}


def kind_paths(kind: RecordedKind, lets: Lets, words: Mapping[str, str]) -> KindPaths:
    """By identity: a kind holds mappings, and cannot be hashed."""
    # words are the kind's own where the project names none
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
