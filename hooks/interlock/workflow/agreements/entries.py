"""The entries of items in records, file by file."""

from __future__ import annotations

from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Callable, Mapping, NamedTuple, Sequence
from interlock.workflow.agreements.readers import Reading


class ItemKey(NamedTuple):
    """An item: its name, in one spelling for all, and the folder it is in."""

    item: str
    inside: str = ''

    @property
    def label(self) -> str:
        return f'{self.inside}/{self.item}' if self.inside else self.item


class RecordEntry(NamedTuple):
    """An entry of an item in a record, and where it is."""

    value: str
    path: str
    line: int
    # as written in the file
    name: str
    word: str
    reading: Reading
    # the place where an item may appear only once: the folder, or file and line
    place: str = ''


class FileEntries:
    """The entries of all items in one file, created on demand."""

    __slots__ = ('_name', '_path', '_value', 'problem', 'said')

    def __init__(
        self,
        said: Mapping[ItemKey, Sequence[Reading]] | None = None,
        name: str = '',
        path: str = '',
        value: Callable[[str], str] = str,
        problem: Unreadable | None = None,
    ) -> None:
        self.said = said or {}
        # the item that the path names, and the function from word to state
        self._name, self._path, self._value = name, path, value
        self.problem = problem

    def value(self, reading: Reading) -> str:
        return reading.word if reading.is_value else self._value(reading.word)

    def of(self, key: ItemKey) -> list[RecordEntry]:
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
