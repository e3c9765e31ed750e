"""What an operation does: files and their bytes, before and after."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.change import Snapshot
from interlock.model.quick_typing import NamedTuple

# path -> the bytes it shall have, None: the file shall not be
Files = Mapping[str, 'bytes | None']


class Outcome(NamedTuple):
    files: Files
    # what was done, in sentences for people
    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def data_of(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None
