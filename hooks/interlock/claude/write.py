"""A file that would be written, or removed."""
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _unknown() -> bytes | None:
    return None


class Write:
    def __init__(
            self,
            path: str,
            content: Callable[[], bytes | None] = _unknown,
            how: str = '',
            removed: bool = False,
            tree: bool = False,
    ) -> None:
        # as it is named, in a directory that is no link, and where it leads
        folder, name = os.path.split(os.path.abspath(path))
        self.path = os.path.join(os.path.realpath(folder), name)
        self.real = os.path.realpath(path)
        # the command that writes it, '' for a tool
        self.how = how
        self.removed = removed
        # a directory with all that is in it
        self.tree = tree
        self._content = content
        self._new: bytes | None = None
        self._is_known = False

    @property
    def places(self) -> tuple[str, ...]:
        same = self.real == self.path
        return (self.path,) if same else (self.path, self.real)

    @property
    def new(self) -> bytes | None:
        """What the file will hold; None: nothing, or nobody can say."""
        if not self._is_known:
            self._new, self._is_known = self._content(), True
        return self._new
