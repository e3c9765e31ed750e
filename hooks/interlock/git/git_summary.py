"""Branch, changes and worktrees of a directory, as a state has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from interlock.git.git import Git
from interlock.git.git_paths import common_dir, line_of, top_of
from interlock.git.parse import STATUS, status
from interlock.model.errors import Refusal

REF = 'ref: refs/heads/'


def _linked(git_dir: str) -> dict[str, Any] | None:
    """A worktree, by its directory in the repository."""
    # the path of its `.git`, by newer versions of git relative to here
    pointer = line_of(os.path.join(git_dir, 'gitdir'))
    if not pointer:
        return None
    path = os.path.dirname(os.path.normpath(os.path.join(git_dir, pointer)))
    head = line_of(os.path.join(git_dir, 'HEAD'))
    branch = head.removeprefix(REF) if head.startswith(REF) else ''
    return {'path': path, 'branch': branch or None}


def _worktrees(directory: str) -> list[dict[str, Any]]:
    """The linked ones, from the files of git: a process takes longer."""
    top = top_of(os.path.realpath(directory))
    common = common_dir(top) if top else ''
    try:
        names = os.listdir(os.path.join(common, 'worktrees'))
    except OSError:
        return []
    found = [_linked(os.path.join(common, 'worktrees', n)) for n in names]
    return sorted(filter(None, found), key=lambda each: str(each['path']))


def asked(directory: str, environ: Mapping[str, str]) -> Callable[[], dict[str, Any]]:
    """Asks git at once; the answer is {} without git or a repository."""
    try:
        output = Git(environ, directory).start(f'{STATUS} --untracked-files=normal')
    except Refusal:
        return dict

    def answer() -> dict[str, Any]:
        try:
            found = status(output())
        except Refusal:
            return {}
        changes = len(found.paths)
        return {
            'git_branch': found.branch or None,
            'git_status': f'{changes} uncommitted' if changes else 'clean',
            'worktrees': _worktrees(directory),
        }

    return answer
