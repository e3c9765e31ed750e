"""Single files of the working tree, as git would store them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TypeVar

from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git import index
from interlock.git.git import Git, GitError
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.model.change import Blob

T = TypeVar('T')


class StoredSnapshot(DiskSnapshot):
    """Filters, line ends and ignored files count as they do in a commit.

    A file that is as the index has it is not asked for again; of the others
    git is asked one by one. The repository is not written to.
    """

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository.facts.top)
        self._git = repository.git
        self._stack = contextlib.ExitStack()
        self._apart: Git | None = None

    def close(self) -> None:
        self._stack.close()

    def blob(self, path: str) -> Blob | None:
        return self.cached(('stored', path), lambda: self._stored(path))

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        return self.cached(
            ('parsed', path, parse),
            lambda: super(StoredSnapshot, self).parsed(path, parse),
        )

    def _stored(self, path: str) -> Blob | None:
        disk = super().blob(path)
        known = self._git.objects.read(f':{path}')
        if disk is None or (known is None and self._is_ignored(path)):
            return None
        elif (
            known is not None
            and known[1].data == disk.data
            and (not os.path.islink(os.path.join(self.top, path)))
        ):
            return disk
        apart = self._index_apart()
        index.take(apart, [path])
        entry = index.entries(apart, [path]).get(path, '')
        answer = apart.objects.read(entry.partition(' ')[2])
        return answer[1] if answer else None

    def _is_ignored(self, path: str) -> bool:
        try:
            Git(self._git.environ, self.top).run('check-ignore', '-q', '--', path)
        except GitError:
            return False
        return True

    def _index_apart(self) -> Git:
        if self._apart is None:
            from interlock.git.worktree_snapshot import environment

            directory = self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix='interlock-')
            )
            environ = environment(self._git.environ, directory)
            self._apart = Git(environ, self.top)
            self._stack.callback(self._apart.close)
        return self._apart

    def paths(self) -> Sequence[str]:
        return self.cached(('paths',), self._paths)

    def _paths(self) -> list[str]:
        out = self._git.run(
            'ls-files',
            '-z',
            '--cached',
            '--others',
            '--exclude-standard',
            '--full-name',
            '--',
            ':/',
        )
        return [
            path
            for path in dict.fromkeys(text(out).split('\0'))
            if path and os.path.lexists(os.path.join(self.top, path))
        ]
