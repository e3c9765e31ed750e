"""The working tree as the tree that `git add --all` would make of it.

Done with an index and an object directory of its own, so that filters, line
endings and ignored files count as they do in a commit, and the repository is
not written to.
"""
from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from interlock.model.errors import Refusal
from interlock.world.git import Git
from interlock.world.git import GitError


def _quoted(path: str) -> str:
    """As one entry of a list, which a colon would end."""
    escaped = path.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'


def environment(
        environ: Mapping[str, str],
        temporary: str,
) -> dict[str, str]:
    git = Git(environ)
    objects = os.path.abspath(git.line('rev-parse', '--git-path', 'objects'))
    index = os.path.abspath(git.line('rev-parse', '--git-path', 'index'))
    index = environ.get('GIT_INDEX_FILE') or index
    copy = os.path.join(temporary, 'index')
    if os.path.exists(index):
        # with its time, by which git knows which entries it cannot trust
        shutil.copy2(index, copy)
    alternates = [_quoted(objects)]
    if environ.get('GIT_ALTERNATE_OBJECT_DIRECTORIES'):
        alternates.append(environ['GIT_ALTERNATE_OBJECT_DIRECTORIES'])
    own = os.path.join(temporary, 'objects')
    os.mkdir(own)
    return {
        **environ,
        'GIT_INDEX_FILE': copy,
        'GIT_OBJECT_DIRECTORY': own,
        'GIT_ALTERNATE_OBJECT_DIRECTORIES': os.pathsep.join(alternates),
    }


def write_tree(git: Git) -> str:
    try:
        git.run('-c', 'core.safecrlf=false', 'add', '--all', '--', ':/')
        return git.line('write-tree')
    except GitError as e:
        raise Refusal(
            f'the working tree cannot be read: {e.error}', 'git status',
        ) from None
