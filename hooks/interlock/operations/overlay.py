"""A tree as it will be, so that it can be judged before it is written."""

from __future__ import annotations

from interlock.model.change import Blob, CachingSnapshot, Snapshot, blob_of
from interlock.model.quick_typing import Callable, Iterable, Sequence, TypeVar
from interlock.operations.outcome import Files

T = TypeVar('T')


class Overlay(CachingSnapshot):
    """A snapshot with the files of an operation in place of its own."""

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
