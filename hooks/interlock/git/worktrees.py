"""Runs git in worktrees other than the current one."""

from __future__ import annotations

import os

from interlock.git.git import Git, GitError
from interlock.git.parse import STATUS, GitStatus, status, without_password
from interlock.model.errors import NoRepository, Refusal
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Iterator, Mapping

# variables that name a repository: in a hook, that is another one
LOCAL = frozenset(
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_COUNT
    GIT_CONFIG_PARAMETERS GIT_DIR GIT_GRAFT_FILE GIT_IMPLICIT_WORK_TREE
    GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_OBJECT_DIRECTORY GIT_PREFIX
    GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_WORK_TREE
    """.split()
)
# settings from `git -c` and CI also apply to the remotes of the clone
BUT_CONFIG = LOCAL - {'GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS'}


@contextmanager
def elsewhere(
    environ: Mapping[str, str], directory: str, without: frozenset[str] = LOCAL
) -> Iterator[Git]:
    if not os.path.isdir(directory):
        raise NoRepository(f'there is no directory {directory}')
    ours = {k: value for k, value in environ.items() if k not in without}
    git = Git(ours, directory)
    try:
        yield git
    finally:
        git.close()


def tree(environ: Mapping[str, str], directory: str) -> GitStatus:
    """The commit of a worktree, and its uncommitted changes."""
    with elsewhere(environ, directory) as git:
        try:
            top = git.line('rev-parse --show-toplevel')
        except GitError:
            top = ''
        # a directory inside a repository need not be the top of a worktree
        if os.path.realpath(top) != os.path.realpath(directory) or not top:
            raise NoRepository(f'{directory} is not a git worktree')
        return status(git.run(f'{STATUS} --no-renames --untracked-files=all'))


def add(
    environ: Mapping[str, str],
    main: str,
    directory: str,
    branch: str,
    base: str = 'HEAD',
) -> None:
    """Add a worktree with a new branch that starts at a commit."""
    with elsewhere(environ, main) as git:
        git.run('worktree add -q -b', branch, directory, base)


def restore(environ: Mapping[str, str], main: str, directory: str, branch: str) -> None:
    """Add a worktree for a branch whose worktree is gone; its commits stay."""
    with elsewhere(environ, main) as git:
        # a removed worktree still counts as checked out
        git.run('worktree prune')
        try:
            git.run('worktree add -q', directory, branch)
        except GitError as e:
            raise Refusal(
                f'cannot create a worktree for the branch `{branch}` at {directory}: '
                f'{e.error}',
                'git worktree list',
            ) from None


def remove(environ: Mapping[str, str], main: str, directory: str) -> None:
    """Remove a worktree; git refuses if work would be lost."""
    with elsewhere(environ, main) as git:
        git.run('worktree remove', directory)


def prune(environ: Mapping[str, str], main: str) -> None:
    with elsewhere(environ, main) as git:
        git.run('worktree prune')


def delete_branch(environ: Mapping[str, str], main: str, branch: str) -> bool:
    """Delete a merged branch; False if it was not deleted."""
    with elsewhere(environ, main) as git:
        try:
            git.run('branch -q -d --', branch)
        except GitError:
            return False
        return True


def has_branch(environ: Mapping[str, str], main: str, branch: str) -> bool:
    with elsewhere(environ, main) as git:
        return git.resolve(f'refs/heads/{branch}') is not None


def published(
    environ: Mapping[str, str], directory: str, branch: str, remote: str = ''
) -> tuple[str, str]:
    """The remote of a branch, and the commit it has there ('' for none).

    `remote` overrides the remote that the branch names.
    """
    with _remote(environ, directory, branch, remote) as (git, remote):
        out = git.line('ls-remote', remote, f'refs/heads/{branch}')
        return remote, out.partition('\t')[0]


def bring(environ: Mapping[str, str], main: str, remote: str, branch: str) -> None:
    """Fetch a branch of a remote as a local branch; never overwrite one that
    differs."""
    ref = f'refs/heads/{branch}'
    with _reaching(environ, main, remote) as (git, _):
        try:
            git.run('fetch -q --no-tags', remote, f'{ref}:{ref}')
        except GitError as e:
            raise Refusal(
                f'cannot fetch the branch `{branch}` from {remote}: '
                f'{without_password(e.error)}',
                f'git fetch {remote} {branch}',
            ) from None


def tip(environ: Mapping[str, str], directory: str, branch: str) -> str:
    """The commit of a branch, '' if the branch does not exist."""
    with elsewhere(environ, directory) as git:
        return git.resolve(f'refs/heads/{branch}') or ''


def push(environ: Mapping[str, str], directory: str, branch: str) -> None:
    with _remote(environ, directory, branch) as (git, remote):
        git.run('push', '-q', remote, f'{branch}:{branch}')


@contextmanager
def _remote(
    environ: Mapping[str, str], directory: str, branch: str, remote: str = ''
) -> Iterator[tuple[Git, str]]:
    """The remote that a branch is pushed to: its own, else the first one."""
    with elsewhere(environ, directory) as git:
        remote = remote or _remote_of(git, branch)
    with _reaching(environ, directory, remote) as reached:
        yield reached


@contextmanager
def _reaching(
    environ: Mapping[str, str], directory: str, remote: str
) -> Iterator[tuple[Git, str]]:
    """git prepared to contact a remote, and the name to use for the remote."""
    # most commands contact none
    from interlock.git.remotes import quiet

    environ, name = quiet(environ, directory, remote)
    with elsewhere(environ, directory, BUT_CONFIG) as git:
        yield git, name


def _remote_of(git: Git, branch: str) -> str:
    """The name or address of a remote; `.` is the clone itself, which has no review."""
    with suppress(GitError):
        own = git.line('config', f'branch.{branch}.remote')
        if own != '.':
            return own
    remotes = git.line('remote').split('\n')
    if not remotes[0]:
        raise Refusal(
            'the repository has no remote where others can review a branch',
            'decide which remote reviewers read, and add it with `git remote add`',
        )
    return 'origin' if 'origin' in remotes else remotes[0]
