from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.model.change import Blob, CachingSnapshot, blob_of
from interlock.model.quick_typing import Sequence


class DiskSnapshot(CachingSnapshot):
    """The files below a directory as they are on disk, for editing."""

    def __init__(self, top: str) -> None:
        super().__init__()
        self.top = top

    def blob(self, path: str) -> Blob | None:
        data = read(os.path.join(self.top, path))
        return None if data is None else blob_of(data)

    def is_link(self, path: str) -> bool:
        return os.path.islink(os.path.join(self.top, path))

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

    An edit is computed from these bytes, and they must still be there when it
    is written.
    """

    def __init__(self, top: str) -> None:
        super().__init__(top)
        self._blobs: dict[str, Blob | None] = {}

    def blob(self, path: str) -> Blob | None:
        if path not in self._blobs:
            self._blobs[path] = super().blob(path)
        return self._blobs[path]
