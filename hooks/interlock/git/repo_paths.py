"""Where a repository is."""

from __future__ import annotations

import os
from typing import NamedTuple

from interlock.git.git import Git, GitError
from interlock.model.errors import NoRepository, Refusal


class Facts(NamedTuple):
    # '' in a bare repository
    top: str
    git_dir: str
    common_dir: str


def facts_of(git: Git) -> Facts:
    dirs = ('--git-dir', '--git-common-dir')
    try:
        lines = git.line('rev-parse', *dirs, '--show-toplevel').split('\n')
        if len(lines) > len(dirs) + 1:
            # a directory has a newline in its name
            lines = [git.line('rev-parse', name) for name in (*dirs, '--show-toplevel')]
    except GitError:
        try:
            # bare, or inside of a .git directory
            lines = [*git.line('rev-parse', *dirs).split('\n'), '']
        except GitError as e:
            if 'dubious ownership' in e.error:
                raise Refusal(
                    'git does not trust this repository: it belongs to another user',
                    'git config --global --add safe.directory "$PWD"',
                ) from None
            raise NoRepository('this is no git repository', 'git init') from None
    git_dir, common_dir, top = (
        line and os.path.join(git.directory or '', line) for line in lines
    )
    return Facts(top, os.path.abspath(git_dir), os.path.abspath(common_dir))
