"""What records say of items, file by file."""

from __future__ import annotations

from interlock.model.errors import Unreadable
from interlock.model.quick_typing import (
    Callable,
    Collection,
    Mapping,
    NamedTuple,
    Sequence,
)
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
    word: str = ''
    reading: Reading | None = None
    # where an item may be recorded once: the folder, or file and line
    place: str = ''


Entries = Mapping[Key, Sequence[RecordEntry]]


class FileEntries:
    """What one file says of items; worked out when somebody asks."""

    __slots__ = ('_entries', '_make', 'problem', 'repeated')

    def __init__(
        self,
        make: Callable[[], Entries],
        problem: Unreadable | None = None,
        repeated: Collection[Key] = (),
    ) -> None:
        self._make = make
        self._entries: Entries | None = None
        self.problem = problem
        # the items of which it has several entries
        self.repeated = repeated

    @property
    def entries(self) -> Entries:
        if self._entries is None:
            self._entries = self._make()
        return self._entries


NOTHING_SAID = FileEntries(dict)
