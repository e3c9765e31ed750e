"""What an operation does: files and their bytes, before and after."""

from __future__ import annotations

from interlock.model.change import Blob, CachingSnapshot, Snapshot, blob_of
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Fix
from interlock.model.fixes import edit
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypeVar,
)
from interlock.workflow.language.patterns import expand, is_wild

T = TypeVar('T')

# path -> the bytes it shall have, None: the file shall not be
Files = Mapping[str, 'bytes | None']


class Outcome(NamedTuple):
    files: Files
    # what was done, in sentences for people
    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Overlay(CachingSnapshot):
    """A tree as it will be: with the files of an operation in place of its own."""

    def __init__(self, base: Snapshot, files: Files) -> None:
        super().__init__()
        self.base = base
        self.files = files
        self._blobs: dict[str, Blob | None] = {}

    def blob(self, path: str) -> Blob | None:
        if path not in self.files:
            return self.base.blob(path)
        elif path not in self._blobs:
            data = self.files[path]
            self._blobs[path] = None if data is None else blob_of(data)
        return self._blobs[path]

    def is_link(self, path: str) -> bool:
        return path not in self.files and self.base.is_link(path)

    def prefetch(self, paths: Iterable[str]) -> None:
        self.base.prefetch(path for path in paths if path not in self.files)

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        if path not in self.files:
            return self.base.parsed(path, parse)
        return super().parsed(path, parse)

    def digest(self, path: str, algorithm: str) -> str | None:
        if path not in self.files:
            return self.base.digest(path, algorithm)
        return super().digest(path, algorithm)

    def paths(self) -> Sequence[str]:
        kept = [path for path in self.base.paths() if path not in self.files]
        return kept + [path for path, data in self.files.items() if data is not None]


def data_of(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None


def differing(files: Files, snapshot: Snapshot) -> dict[str, bytes | None]:
    """The files that are not yet as they shall be."""
    return {p: data for p, data in files.items() if data != data_of(snapshot, p)}


def new_path(pattern: str, item: str) -> str:
    """Where a new file of an item goes."""
    if is_wild(pattern):
        raise Refusal(
            f'it is not clear where the new file of {item} goes: '
            f'{expand(pattern, item)} matches several places',
            'create the file in the folder where it belongs, and run this again',
        )
    return expand(pattern, item)


@contextmanager
def refusing(path: str, what: str, fix: Fix | None = None) -> Iterator[None]:
    """Turn an edit that cannot be made into a refusal that names the file."""
    try:
        yield
    except (Unreadable, UnicodeError) as e:
        line = e.line if isinstance(e, Unreadable) else 1
        raise Refusal(f'{path}: {what} {e}', *(fix or edit(path, line)).hint) from None
