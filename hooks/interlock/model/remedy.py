"""The one command that comes next."""
from __future__ import annotations

import shlex

from interlock.model.finding import Fix


def edit(path: str, line: int = 1, label: str = 'correct the file') -> Fix:
    return Fix(label, f'${{EDITOR:-vi}} +{line} {shlex.quote(path)}')


def restore(path: str) -> Fix:
    # both the index and the working tree: a refused change is undone whole
    return Fix('restore the file', f'git checkout HEAD -- {shlex.quote(path)}')


def add(*paths: str) -> Fix:
    files = ' '.join(shlex.quote(path) for path in paths)
    return Fix('commit the records together', f'git add -- {files}')


def delete(path: str) -> Fix:
    return Fix('delete the file', f'git rm -- {shlex.quote(path)}')


def move(path: str, to: str) -> Fix:
    return Fix(
        'move the file', f'git mv {shlex.quote(path)} {shlex.quote(to)}',
    )


REWORD = Fix('reword the message', 'git commit --edit')
SYNC = Fix(
    'bring the row in line with the entry',
    'interlock check --worktree --only registry --fix',
)
