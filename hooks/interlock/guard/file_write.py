"""A file that would be written, or removed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def spelled(path: str) -> str:
    """As its directory spells it, where capitals make no difference."""
    folder, name = os.path.split(path)
    other = name.swapcase()
    if (
        other == name
        or not os.path.lexists(path)
        or (not os.path.lexists(os.path.join(folder, other)))
    ):
        return path
    names = os.listdir(folder)
    if name not in names:
        name = next(
            (each for each in names if each.casefold() == name.casefold()), name
        )
    return os.path.join(spelled(folder), name)


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
        self.path = spelled(os.path.join(os.path.realpath(folder), name))
        self.real = spelled(os.path.realpath(path))
        # the command that writes it, '' for a tool
        self.how = how
        self.removed = removed
        # a directory with all that is in it
        self.tree = tree
        # the content stays as it is: only a mode changes, or a date
        self.kept = False
        # what is committed comes back
        self.restored = False
        # where it is moved to, and where it was moved from
        self.target = ''
        self.source = ''
        self._content = content
        self._new: bytes | None = None
        self._is_known = False

    @property
    def places(self) -> tuple[str, ...]:
        link = self.removed and not self.tree and os.path.islink(self.path)
        # what a link leads to stays when the link goes
        same = self.real == self.path or link
        return (self.path,) if same else (self.path, self.real)

    @property
    def new(self) -> bytes | None:
        """What the file will hold; None: nothing, or nobody can say."""
        if not self._is_known:
            self._new, self._is_known = self._content(), True
        return self._new
