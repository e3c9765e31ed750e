"""What git and the disk say about the place that a document speaks of."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping

from interlock.git.git import Git, GitError
from interlock.git.parse import text
from interlock.model.errors import NoRepository


def elsewhere(environ: Mapping[str, str]) -> dict[str, str]:
    """In a hook these name the repository of the hook, not this one."""
    return {
        name: value
        for name, value in environ.items()
        if name
        not in {
            'GIT_DIR',
            'GIT_WORK_TREE',
            'GIT_INDEX_FILE',
            'GIT_PREFIX',
            'GIT_COMMON_DIR',
        }
    }


class Surroundings:
    def __init__(self, directory: str, environ: Mapping[str, str]) -> None:
        self.directory = directory
        self._git = Git(elsewhere(environ))
        self.top = self._line('rev-parse', '--show-toplevel')

    def _line(self, *args: str) -> str:
        """'' where git has no answer: no git, no repository, no commit."""
        try:
            return text(self._run(*args)).rstrip('\n')
        except (GitError, NoRepository):
            return ''

    def _run(self, *args: str) -> bytes:
        return self._git.run('-C', self.directory, *args)

    @property
    def is_repository(self) -> bool:
        return bool(self.top)

    def resolves(self, name: str) -> bool:
        if not name or name.startswith('-'):
            return False
        try:
            self._run('cat-file', '-e', f'{name}^{{commit}}')
        except (GitError, NoRepository):
            return False
        return True

    def files(self) -> Iterator[str]:
        """Every file of the project that git does not ignore."""
        if not self.is_repository:
            yield from self._on_disk()
            return
        out = text(
            self._git.run(
                '-C',
                self.top,
                'ls-files',
                '-z',
                '--cached',
                '--others',
                '--exclude-standard',
            )
        )
        for name in filter(None, out.split('\0')):
            path = os.path.join(self.top, name)
            if os.path.isfile(path):
                yield path

    def _on_disk(self) -> Iterator[str]:
        for directory, folders, names in os.walk(self.directory):
            folders[:] = [name for name in folders if not name.startswith('.')]
            yield from (os.path.join(directory, name) for name in names)

    def changed_since(self, path: str, when: datetime.datetime) -> bool:
        """By its commits; by its time on disk where git has none."""
        where = ('--', os.path.realpath(path))
        committed = self._line('log', '-1', '--format=%ct', *where)
        if committed and not self._line('status', '--porcelain', *where):
            return int(committed) > when.timestamp()
        return os.stat(path).st_mtime > when.timestamp()

    def committed(self, path: str) -> str | None:
        """The file as HEAD has it, None where it has none."""
        name = os.path.relpath(os.path.realpath(path), self.top or '/')
        found = self._line('rev-parse', '-q', '--verify', f'HEAD:{name}')
        try:
            return text(self._run('cat-file', 'blob', found))
        except (GitError, NoRepository):
            return None

    def changed(self) -> list[str]:
        """Files that differ from HEAD, and those git does not know."""
        out = self._line('status', '--porcelain', '-z', '--no-renames')
        return [entry[3:] for entry in out.split('\0') if entry]
