"""Branch, changes and worktrees of a directory."""

from __future__ import annotations

import os

from interlock.git.git import Git
from interlock.git.git_paths import common_dir, line_of, top_of
from interlock.git.parse import STATUS, status
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple

REF = 'ref: refs/heads/'


class GitSummary(NamedTuple):
    # None if no branch is checked out
    branch: str | None = None
    # files that differ from HEAD or are untracked, relative to the top
    changed: tuple[str, ...] = ()
    # path and branch of each linked worktree
    worktrees: tuple[dict[str, Any], ...] = ()

    def as_state(self) -> dict[str, Any]:
        number = len(self.changed)
        return {
            'git_branch': self.branch,
            'git_status': f'{number} uncommitted' if number else 'clean',
            'worktrees': list(self.worktrees),
        }


def _linked(git_dir: str) -> dict[str, Any] | None:
    """A linked worktree, from its directory below `.git/worktrees`."""
    # the path of its `.git`; newer versions of git store it relative to here
    pointer = line_of(os.path.join(git_dir, 'gitdir'))
    if not pointer:
        return None
    path = os.path.dirname(os.path.normpath(os.path.join(git_dir, pointer)))
    head = line_of(os.path.join(git_dir, 'HEAD'))
    branch = head.removeprefix(REF) if head.startswith(REF) else ''
    return {'path': path, 'branch': branch or None}


def _worktrees(directory: str) -> list[dict[str, Any]]:
    """The linked worktrees, read from git's files: a process takes longer."""
    top = top_of(os.path.realpath(directory))
    common = common_dir(top) if top else ''
    try:
        names = os.listdir(os.path.join(common, 'worktrees'))
    except OSError:
        return []
    found = [_linked(os.path.join(common, 'worktrees', n)) for n in names]
    return sorted(filter(None, found), key=lambda each: str(each['path']))


def start_summary(
    directory: str, environ: Mapping[str, str]
) -> Callable[[], GitSummary | None]:
    """Start git at once; the answer is None without git or a repository."""
    command = f'{STATUS} --no-renames --untracked-files=normal'
    try:
        output = Git(environ, directory).start(command)
    except Refusal:
        return lambda: None

    def answer() -> GitSummary | None:
        try:
            found = status(output())
        except Refusal:
            return None
        worktrees = tuple(_worktrees(directory))
        return GitSummary(found.branch or None, found.changed, worktrees)

    return answer
