"""A tree as it will be, so that it can be judged before it is written."""

from __future__ import annotations

from interlock.model import quick_hash
from interlock.model.change import Blob, Snapshot
from interlock.model.quick_typing import (
    Any,
    Callable,
    Hashable,
    Iterable,
    Sequence,
    TypeVar,
)
from interlock.operations.outcome import Files

T = TypeVar('T')


class Overlay:
    """A snapshot with the files of an operation in place of its own."""

    def __init__(self, base: Snapshot, files: Files) -> None:
        self.base = base
        self.files = files
        self._cache: dict[Hashable, Any] = {}

    def blob(self, path: str) -> Blob | None:
        if path not in self.files:
            return self.base.blob(path)
        data = self.files[path]
        if data is None:
            return None
        return Blob(
            quick_hash.blake2b(data, digest_size=32).hexdigest(), len(data), data
        )

    def prefetch(self, paths: Iterable[str]) -> None:
        self.base.prefetch(path for path in paths if path not in self.files)

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        if path not in self.files:
            return self.base.parsed(path, parse)
        blob = self.blob(path)
        if blob is None:
            return None
        return self.cached(('parsed', path, parse), lambda: parse(blob))

    def digest(self, path: str, algorithm: str) -> str | None:
        if path not in self.files:
            return self.base.digest(path, algorithm)
        data = self.files[path]
        return None if data is None else quick_hash.new(algorithm, data).hexdigest()

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def paths(self) -> Sequence[str]:
        kept = [path for path in self.base.paths() if path not in self.files]
        return kept + [path for path, data in self.files.items() if data is not None]
