from __future__ import annotations

import hashlib
from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

from interlock.model.change import Blob
from interlock.world.git import Git

T = TypeVar('T')


class Store:
    """What was parsed, by blob: shared by the snapshots of one run."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.parsed: dict[tuple[str, object], Any] = {}
        self.digests: dict[tuple[str, str], str] = {}


class TreeSnapshot:
    """A tree, or the index (whose name is '')."""

    def __init__(self, store: Store, tree: str) -> None:
        self.tree = tree
        self._store = store
        self._blobs: dict[str, Blob | None] = {}
        self._cache: dict[Hashable, Any] = {}
        self._paths: list[str] | None = None

    def _name(self, path: str) -> str:
        # `:0:path` is the entry of the index that is not in conflict
        return f'{self.tree}:{path}' if self.tree else f':0:{path}'

    def blob(self, path: str) -> Blob | None:
        if path not in self._blobs:
            answer = self._store.git.objects.read(self._name(path))
            found = answer[1] if answer and answer[0] == 'blob' else None
            self._blobs[path] = found
        return self._blobs[path]

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        if blob is None:
            return None
        key = (blob.oid, parse)
        if key not in self._store.parsed:
            self._store.parsed[key] = parse(blob)
        found: T = self._store.parsed[key]
        return found

    def digest(self, path: str, algorithm: str) -> str | None:
        blob = self.blob(path)
        if blob is None:
            return None
        key = (blob.oid, algorithm)
        if key not in self._store.digests:
            if blob.data is None:
                found = self._store.git.objects.digest(blob.oid, algorithm)
            else:
                found = hashlib.new(algorithm, blob.data).hexdigest()
            self._store.digests[key] = found or ''
        return self._store.digests[key]

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def paths(self, under: str) -> Sequence[str]:
        if self._paths is None:
            git = self._store.git
            self._paths = (
                git.tree_paths(self.tree, '') if self.tree
                else git.index_paths('')
            )
        if not under:
            return self._paths
        return [path for path in self._paths if path.startswith(f'{under}/')]
