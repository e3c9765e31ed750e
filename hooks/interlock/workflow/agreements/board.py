"""The items of recorded kinds in one tree: what each record says of each."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterable, Iterator, Mapping

from interlock.documents.text import plain
from interlock.model.change import Snapshot
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import NamedTuple
from interlock.workflow.agreements.names import (
    INSIDE,
    ITEM,
    Names,
    expanded,
    literal_start,
)
from interlock.workflow.agreements.readers import (
    Child,
    Parsed,
    Parser,
    Reading,
    text_of,
    words_of,
)
from interlock.workflow.agreements.spec import (
    ABSENT,
    CHILDREN,
    DEPENDS,
    PRESENT,
    UNKNOWN,
    UNREADABLE,
    ProjectFile,
    Record,
    RecordedKind,
)

# a status that people explain: `Done (merged in #12)`, `Complete - shipped`
ENDS = (' (', ' - ', ' \u2013 ', ' \u2014 ', ';', ',', '. ', ' [', ' as of ', ' on ')


class Key(NamedTuple):
    """An item: its name, however it is written, and the folder it lies in."""

    item: str
    inside: str = ''

    @property
    def label(self) -> str:
        return f'{self.inside}/{self.item}' if self.inside else self.item


class RecordEntry(NamedTuple):
    """What a record says of an item, and where."""

    value: str
    path: str
    line: int
    # as it is written
    name: str
    word: str = ''
    reading: Reading | None = None
    # where an item may be recorded once: the folder, or file and line
    place: str = ''


class Problem(NamedTuple):
    record: Record
    path: str
    error: Unreadable


class Found(NamedTuple):
    """One file of a record."""

    path: str
    parts: Mapping[str, str]


class Related(NamedTuple):
    label: str
    value: str
    path: str
    line: int


class KindBoard:
    """The items of one kind."""

    def __init__(
        self, snapshot: Snapshot, kind: RecordedKind, paths: list[str]
    ) -> None:
        self.snapshot, self.kind = snapshot, kind
        self._paths = paths
        self.lets = {
            name: _project_words(snapshot, source) for name, source in kind.let.items()
        }
        self.names = Names(kind.item, kind.fold, self.lets)
        self._files: dict[str, list[Found]] = {}
        self._entries: dict[str, dict[Key, list[RecordEntry]]] = {}
        self.problems: list[Problem] = []

    @functools.cached_property
    def words(self) -> Mapping[str, str]:
        source = self.kind.words_from
        if source is None:
            return self.kind.words
        own = _project_words(self.snapshot, source)
        found = dict(self.kind.words)
        for word in own:
            found.setdefault(word.casefold(), word)
        if own and source.last:
            found[own[-1].casefold()] = source.last
        return found

    def key(self, item: str, inside: str = '') -> Key:
        return Key(self.names.folded(item), inside)

    def files(self, record: Record) -> list[Found]:
        if record.name not in self._files:
            self._files[record.name] = list(self._matching(record))
        return self._files[record.name]

    def parts(self, record: Record, path: str) -> Mapping[str, str] | None:
        """What a path says of the item whose record it holds, if it does."""
        for pattern in record.excluded:
            if self.names.path(pattern, path) is not None:
                return None
        for pattern in record.files:
            parts = self.names.path(pattern, path)
            if parts is not None:
                return parts
        return None

    def _matching(self, record: Record) -> Iterator[Found]:
        if record.first:
            for pattern in record.files:
                found = [
                    Found(path, parts)
                    for path in self._below(pattern)
                    if (parts := self.parts(record, path)) is not None
                ]
                if found:
                    yield from found
                    return
            return
        seen = set[str]()
        for pattern in record.files:
            for path in self._below(pattern):
                if path not in seen:
                    seen.add(path)
                    parts = self.parts(record, path)
                    if parts is not None:
                        yield Found(path, parts)

    def _below(self, pattern: str) -> Iterator[str]:
        start = literal_start(pattern)
        at = bisect.bisect_left(self._paths, start)
        while at < len(self._paths) and self._paths[at].startswith(start):
            yield self._paths[at]
            at += 1

    def entries(self, name: str) -> Mapping[Key, list[RecordEntry]]:
        """Every item of a record."""
        if name not in self._entries:
            record = self.kind.records[name]
            found: dict[Key, list[RecordEntry]] = {}
            files = self.files(record)
            if record.read != PRESENT:
                self.snapshot.prefetch(file.path for file in files)
            for file in files:
                for key, entry in self._of_file(record, file):
                    found.setdefault(key, []).append(entry)
            self._entries[name] = found
        return self._entries[name]

    def _of_file(
        self, record: Record, file: Found
    ) -> Iterator[tuple[Key, RecordEntry]]:
        inside = file.parts.get(INSIDE, '')
        item = file.parts.get(ITEM, '')
        if record.read == PRESENT:
            place = '/'.join(file.path.split('/')[: record.folder or None])
            if item and (not record.folder or place != file.path):
                yield (
                    self.key(item, inside),
                    RecordEntry(PRESENT, place, 1, item, '', None, place),
                )
            return
        parsed: Parsed | None = self.snapshot.parsed(
            file.path, Parser(record, self.names)
        )
        if parsed is None or self._is_ignored(record, file):
            return
        elif parsed.problem is not None:
            self.problems.append(Problem(record, file.path, parsed.problem))
            if item:
                yield (
                    self.key(item, inside),
                    RecordEntry(UNREADABLE, file.path, parsed.problem.line, item),
                )
            return
        for reading in parsed.readings:
            name = reading.item or item
            if name:
                yield (
                    self.key(name, reading.inside or inside),
                    RecordEntry(
                        self.value(reading.word, reading.is_value),
                        file.path,
                        reading.line,
                        name,
                        reading.word,
                        reading,
                        file.path
                        if not reading.item
                        else f'{file.path}:{reading.line}',
                    ),
                )

    def _is_ignored(self, record: Record, file: Found) -> bool:
        if record.ignored is None:
            return False
        files = tuple(expanded(path, file.parts) for path in record.ignored.files)
        words = _project_words(self.snapshot, record.ignored._replace(files=files))
        return 'true' in words

    def value(self, word: str, is_value: bool) -> str:
        if is_value:
            return word
        for text in (words_of(word), plain(word)):
            text = text.strip(' .!').casefold()
            for candidate in (text, *_shorter(text)):
                if candidate in self.words:
                    return self.words[candidate]
        return UNKNOWN

    def items(self) -> set[Key]:
        return {key for name in self.kind.records for key in self.entries(name)}

    def first(self, name: str, key: Key) -> RecordEntry | None:
        found = self.entries(name).get(key)
        return found[0] if found else None

    def says(self, name: str, key: Key) -> str:
        entry = self.first(name, key)
        return ABSENT if entry is None else entry.value

    def derived(self, name: str) -> dict[Key, RecordEntry]:
        """The items of a set such as "plans without a summary"."""
        rule = self.kind.derive[name]
        lacking = self.entries(rule.lacks)
        return {
            key: entries[0]
            for key, entries in self.entries(rule.has).items()
            if key not in lacking
        }

    def depends(self, name: str, key: Key) -> Iterator[Related]:
        entry = self.first(name, key)
        if entry is None or entry.reading is None:
            return
        for ref in entry.reading.depends:
            other = self._referred(name, ref, key.inside)
            found = self.first(name, other)
            yield Related(
                ref, ABSENT if found is None else found.value, entry.path, entry.line
            )

    def _referred(self, name: str, ref: str, inside: str) -> Key:
        record = self.kind.records[name]
        match = self.names.line(record.refs, ref.strip()) if record.refs else None
        return self.key(match[ITEM] if match else ref.strip(), inside)

    def children(self, name: str, key: Key) -> Iterator[Related]:
        entry = self.first(name, key)
        if entry is None:
            return
        seen = set[str]()
        if entry.reading is not None:
            for child in entry.reading.children:
                seen.add(child.label)
                yield self._child(child, entry)
        for found in self._below_item(name, key):
            label = found.name
            if label not in seen and not any(
                text.startswith(f'{label}{end}') for text in seen for end in ' .:'
            ):
                yield Related(label, found.value, found.path, found.line)

    def _child(self, child: Child, entry: RecordEntry) -> Related:
        value = child.word if child.is_value else self.value(child.word, False)
        if child.is_value:
            # a box below a box: as ticked and open boxes of this record say it
            record = next(
                (each for each in self.kind.records.values() if each.ticked), None
            )
            if record is not None:
                value = record.ticked if child.word == 'all' else record.unticked
        return Related(child.label, value, entry.path, child.line)

    def _below_item(self, name: str, key: Key) -> Iterator[RecordEntry]:
        """Items whose name goes on behind this one's, or whose key names it."""
        for other, found in self.entries(name).items():
            if other.inside != key.inside or other == key:
                continue
            entry = found[0]
            if self.kind.join and is_below(other.item, key.item, self.kind.join):
                yield entry
            elif entry.reading is not None and entry.reading.parent:
                if self._referred(name, entry.reading.parent, key.inside) == key:
                    yield entry


def is_below(name: str, above: str, join: str) -> bool:
    """Whether one name goes on one step behind another: `1-2` behind `1`."""
    return name.startswith(f'{above}{join}')


def _shorter(text: str) -> Iterator[str]:
    for end in ENDS:
        head = text.partition(end)[0].strip(' .!:')
        if head != text:
            yield head


def _at(data: object, keys: Iterable[str]) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _project_words(snapshot: Snapshot, source: ProjectFile) -> tuple[str, ...]:
    """What a file of the project says; the default where it says nothing."""
    from interlock.documents import yaml
    from interlock.documents.text import decode

    for path in source.files:
        blob = snapshot.blob(path)
        if blob is None:
            continue
        try:
            # JSON is YAML
            data = yaml.value(yaml.parse(decode(blob).removeprefix('\ufeff')))
        except Unreadable:
            continue
        for keys in source.keys:
            found = _at(data, keys)
            values = found if isinstance(found, list) else [found]
            words = tuple(filter(None, map(text_of, values)))
            if words:
                return (*words, *(each for each in source.default if not source.last))
    return source.default


class Board:
    """Every recorded kind of a workflow in one tree."""

    def __init__(self, snapshot: Snapshot, kinds: Iterable[RecordedKind]) -> None:
        paths = sorted(snapshot.paths())
        self.kinds = {kind.name: KindBoard(snapshot, kind, paths) for kind in kinds}

    def related(self, kind: KindBoard, side: str, key: Key) -> Iterator[Related]:
        """`depends.R`, `children.R`, `KIND.R` or `KIND.SET`."""
        head, _, name = side.rpartition('.')
        if head == DEPENDS:
            yield from kind.depends(name, key)
        elif head == CHILDREN:
            yield from kind.children(name, key)
        else:
            other = self.kinds[head]
            found: Mapping[Key, RecordEntry] = (
                other.derived(name)
                if name in other.kind.derive
                else {each: entries[0] for each, entries in other.entries(name).items()}
            )
            for each, entry in found.items():
                if each.inside == key.inside and is_below(
                    each.item, key.item, kind.kind.join
                ):
                    yield Related(entry.name, entry.value, entry.path, entry.line)
