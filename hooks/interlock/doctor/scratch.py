"""A clone in which anything may be broken, wired as the project is.

It shares the objects of the project, has copies of its hooks and wiring, and
is gone when the block ends. Nothing of the project is written to.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import NamedTuple

from interlock.git.git import Git
from interlock.operations.outcome import Files

BRANCH = 'canary'
REMOTE = 'canary-remote'
SECONDS = 300.0


class Scratch(NamedTuple):
    # the directory that is removed in the end
    directory: str
    top: str
    remote: str
    # the workflow file by which is judged here
    file: str
    # the environment that git and its hooks get
    environ: Mapping[str, str]

    def git(self, top: str = '', **more: str) -> Git:
        return Git({**self.environ, **more}, top or self.top)

    def quietly(self, *args: str, data: bytes | None = None) -> None:
        """Past all hooks."""
        nowhere = os.path.join(self.directory, 'no-hooks')
        self.git().run('-c', f'core.hooksPath={nowhere}', *args, data=data)

    def write(self, files: Files, top: str = '') -> None:
        for name, content in files.items():
            path = os.path.join(top or self.top, name)
            if content is None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.islink(path):
                os.unlink(path)
            with open(path, 'wb') as f:
                f.write(content)

    def stage(self, files: Files, top: str = '') -> None:
        self.write(files, top)
        names = '\0'.join(files).encode(errors='surrogateescape')
        if names:
            self.git(top).run(
                'add',
                '--all',
                '--force',
                '--pathspec-from-file=-',
                '--pathspec-file-nul',
                data=names,
            )

    def commit(self, files: Files, message: str) -> None:
        """A commit that no hook has seen."""
        self.stage(files)
        self.quietly('commit', '--quiet', '--no-verify', '--allow-empty', '-m', message)


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """That of a person in another repository, whoever calls us."""
    dropped = ('INTERLOCK_SESSION', 'CLAUDE', 'FORCE_COLOR')
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(dropped)
        and not (name.startswith('GIT_') and not name.startswith('GIT_CONFIG_'))
        and not (
            name.startswith('PRE_COMMIT')
            and name.endswith(('_REF', '_BRANCH', '_NAME', '_URL', 'PRE_COMMIT'))
        )
    }
    identity = {
        f'GIT_{role}_{key}': value
        for role in ('AUTHOR', 'COMMITTER')
        for key, value in (('NAME', 'interlock doctor'), ('EMAIL', 'doctor@localhost'))
    }
    return {
        **kept,
        **identity,
        'NO_COLOR': '1',
        'GIT_TERMINAL_PROMPT': '0',
        'GIT_LFS_SKIP_SMUDGE': '1',
        'GIT_EDITOR': 'true',
    }
