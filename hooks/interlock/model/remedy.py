"""The one command that comes next."""
from __future__ import annotations

from interlock.model.finding import Fix


def _quote(path: str) -> str:
    # only findings need it, and most changes have none
    import shlex
    return shlex.quote(path)


def edit(path: str, line: int = 1, label: str = 'correct the file') -> Fix:
    return Fix(label, f'${{EDITOR:-vi}} +{line} {_quote(path)}')


def restore(path: str) -> Fix:
    # both the index and the working tree: a refused change is undone whole
    return Fix('restore the file', f'git checkout HEAD -- {_quote(path)}')


def review(path: str) -> Fix:
    return Fix('review the change', f'git diff HEAD -- {_quote(path)}')


def add(*paths: str) -> Fix:
    files = ' '.join(_quote(path) for path in paths)
    return Fix('commit the records together', f'git add -- {files}')


def delete(path: str) -> Fix:
    return Fix('delete the file', f'git rm -- {_quote(path)}')


def move(path: str, to: str) -> Fix:
    return Fix(
        'move the file', f'git mv {_quote(path)} {_quote(to)}',
    )


def seal_all(item: str) -> Fix:
    return Fix(
        'seal the contracts', f'interlock contracts seal {_quote(item)}',
    )


def record(item: str, what: str, stage: str) -> Fix:
    return Fix(
        f'record the {what}',
        f'interlock evidence add {_quote(item)} --kind {what} '
        f'--stage {stage} --result RESULT',
    )


REWORD = Fix(
    'reword the message',
    'git commit -eF "$(git rev-parse --git-path COMMIT_EDITMSG)"',
)
SYNC = Fix(
    'bring the row in line with the entry',
    'interlock check --worktree --only registry --fix',
)


def in_history(fix: Fix, commit: str) -> Fix:
    """The same where the change is a commit already."""
    at = commit[:10]
    if not commit:
        return fix
    elif fix == REWORD:
        return fix._replace(command='git commit --amend')
    for here, there in (
            ('git checkout HEAD --', f'git checkout {at}^ --'),
            ('git diff HEAD --', f'git show {at} --'),
    ):
        if fix.command.startswith(here):
            return fix._replace(command=there + fix.command[len(here):])
    return fix
