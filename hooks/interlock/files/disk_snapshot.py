from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.model import quick_hash
from interlock.model.change import Blob
from interlock.model.quick_typing import (
    Any,
    Callable,
    Hashable,
    Iterable,
    Sequence,
    TypeVar,
)

T = TypeVar('T')


class DiskSnapshot:
    """The files below a directory as they are on disk, to be edited."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._cache: dict[Hashable, Any] = {}

    def blob(self, path: str) -> Blob | None:
        data = read(os.path.join(self.top, path))
        if data is None:
            return None
        return Blob(
            quick_hash.blake2b(data, digest_size=32).hexdigest(), len(data), data
        )

    def prefetch(self, paths: Iterable[str]) -> None:
        pass

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        return parse(blob) if blob else None

    def digest(self, path: str, algorithm: str) -> str | None:
        blob = self.blob(path)
        if blob is None or blob.data is None:
            return None
        return quick_hash.new(algorithm, blob.data).hexdigest()

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def paths(self) -> Sequence[str]:
        found: list[str] = []
        for directory, folders, files in os.walk(self.top):
            if '.git' in folders:
                folders.remove('.git')
            where = os.path.relpath(directory, self.top)
            found.extend(os.path.normpath(os.path.join(where, file)) for file in files)
        return [path.replace(os.sep, '/') for path in found]


class SteadySnapshot(DiskSnapshot):
    """Each file as it was when it was first read.

    An edit is made of these bytes, and must find them when it is written.
    """

    def blob(self, path: str) -> Blob | None:
        return self.cached(('blob', path), lambda: DiskSnapshot.blob(self, path))

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        return self.cached(
            ('parsed', path, parse), lambda: DiskSnapshot.parsed(self, path, parse)
        )
