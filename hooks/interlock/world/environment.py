"""Branch, changes and worktrees of a directory, as a state has them."""
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from interlock.model.errors import Refusal
from interlock.world.git import Git
from interlock.world.git import text

BRANCH = '# branch.head '
DETACHED = '(detached)'


def _status(out: str) -> tuple[str | None, str]:
    branch, changes = None, 0
    for line in out.splitlines():
        if line.startswith(BRANCH):
            name = line[len(BRANCH):]
            branch = None if name == DETACHED else name
        elif not line.startswith('#'):
            changes += 1
    return branch, f'{changes} uncommitted' if changes else 'clean'


def _worktrees(out: str) -> list[dict[str, Any]]:
    """The linked ones: the first is the main worktree."""
    found = []
    for block in out.strip().split('\n\n')[1:]:
        fields = dict(
            line.partition(' ')[::2] for line in block.splitlines()
        )
        branch = fields.get('branch', '').removeprefix('refs/heads/')
        found.append({
            'path': fields.get('worktree', ''), 'branch': branch or None,
        })
    return found


def asked(
        directory: str,
        environ: Mapping[str, str],
) -> Callable[[], dict[str, Any]]:
    """Asks git at once; the answer is {} without git or a repository."""
    git = Git(environ)
    try:
        status = git.start(
            '-C', directory, 'status', '--porcelain=v2', '--branch',
            '--untracked-files=normal',
        )
        worktrees = git.start(
            '-C', directory, 'worktree', 'list', '--porcelain',
        )
    except Refusal:
        return dict

    def answer() -> dict[str, Any]:
        # both are waited for, else one is left behind
        listed = _output(worktrees)
        told = _output(status)
        if told is None or listed is None:
            return {}
        branch, changes = _status(told)
        return {
            'git_branch': branch, 'git_status': changes,
            'worktrees': _worktrees(listed),
        }

    return answer


def _output(started: Callable[[], bytes]) -> str | None:
    try:
        return text(started())
    except Refusal:
        return None
