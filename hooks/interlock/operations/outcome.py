"""What an operation does: files and their bytes, before and after."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.workflow.language.patterns import expand, is_wild

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


def new_path(pattern: str, item: str) -> str:
    """Where a new file of an item goes."""
    if is_wild(pattern):
        raise Refusal(
            f'it is not clear where the new file of {item} goes: '
            f'{expand(pattern, item)} matches several places',
            'create the file in the folder where it belongs, and run this again',
        )
    return expand(pattern, item)
