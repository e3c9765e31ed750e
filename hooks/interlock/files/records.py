"""Side files: JSON that we store outside of the tree.

A log is a file of lines that only grows; a record is a file that is replaced
as a whole. `parse` turns the JSON into a typed value, and raises if it is not
what we write. A torn or foreign line is skipped; a damaged record is
`Unreadable`, and its reader decides what that means.
"""

from __future__ import annotations

import os

from interlock.files import atomic_files
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from interlock.model.quick_typing import Callable

    T = TypeVar('T')
    Fields = TypeVar('Fields', bound=tuple[Any, ...])

NOT_OURS = (ValueError, KeyError, TypeError, AttributeError)


def fields_of(kind: type[Fields]) -> Callable[[Any], Fields]:
    """A parser for objects with the fields of a NamedTuple of texts and numbers."""
    from typing import get_type_hints

    types = get_type_hints(kind)

    def parse(value: Any) -> Fields:
        found = [value[name] for name in types]
        if not all(map(isinstance, found, types.values())):
            raise TypeError
        return kind(*found)

    return parse


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode() + b'\n'


def _is_torn(path: str) -> bool:
    """Whether a killed writer left half a line at the end."""
    try:
        with open(path, 'rb') as f:
            return f.seek(0, os.SEEK_END) > 0 and (
                f.seek(-1, os.SEEK_END) >= 0 and f.read(1) != b'\n'
            )
    except OSError:
        return False


def append(path: str, value: Any) -> None:
    """Append a line and sync it."""
    line = _json(value)
    atomic_files.append(path, b'\n' + line if _is_torn(path) else line)


def entries(path: str, parse: Callable[[Any], T]) -> list[T]:
    """The valid lines of a log, oldest first."""
    found = []
    for line in (atomic_files.read(path) or b'').splitlines():
        try:
            found.append(parse(loads(line.decode())))
        except NOT_OURS:
            continue
    return found


def load(path: str, parse: Callable[[Any], T]) -> T | None:
    """The record in a file, None if there is none."""
    data = atomic_files.read(path)
    if data is None:
        return None
    try:
        return parse(loads(data.decode()))
    except NOT_OURS:
        raise Unreadable(f'{path} is damaged') from None


def save(path: str, value: Any) -> None:
    save_bytes(path, _json(value))


def save_bytes(path: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as e:
        raise Refusal(f'{path} cannot be written: {e.strerror}') from None
    atomic_files.replace(path, atomic_files.read(path), data)
