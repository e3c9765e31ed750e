"""What records say of items, file by file."""

from __future__ import annotations

from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Callable, Mapping, NamedTuple, Sequence
from interlock.workflow.agreements.readers import Reading


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
    word: str
    reading: Reading
    # where an item may be recorded once: the folder, or file and line
    place: str = ''


class FileEntries:
    """What one file says of items; entries are made when somebody asks."""

    __slots__ = ('_name', '_path', '_value', 'problem', 'said')

    def __init__(
        self,
        said: Mapping[Key, Sequence[Reading]] | None = None,
        name: str = '',
        path: str = '',
        value: Callable[[str], str] = str,
        problem: Unreadable | None = None,
    ) -> None:
        self.said = said or {}
        # the item that the path names, and the state that a word means
        self._name, self._path, self._value = name, path, value
        self.problem = problem

    def value(self, reading: Reading) -> str:
        return reading.word if reading.is_value else self._value(reading.word)

    def of(self, key: Key) -> list[RecordEntry]:
        path = self._path
        return [
            RecordEntry(
                self.value(each),
                path,
                each.line,
                each.item or self._name,
                each.word,
                each,
                f'{path}:{each.line}' if each.item else path,
            )
            for each in self.said.get(key, ())
        ]


NOTHING_SAID = FileEntries()
