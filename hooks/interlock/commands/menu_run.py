"""Runs what an option of a menu names: a command of ours, or one of git."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Sequence

from interlock.engine.open_repository import opened
from interlock.git.git import GitError
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.model.errors import Denied
from interlock.report.terminal import err, guarded, out

CONFIG = 'INTERLOCK_CONFIG'


def _git(repository: Repository, *args: str) -> str:
    """From the top of the repository, whose paths are taken literally."""
    top = repository.facts.top
    answer = repository.git.run('-C', top, '--literal-pathspecs', *args)
    return text(answer).rstrip('\n')


def _run_git(args: Sequence[str]) -> int:
    with opened() as repository:
        try:
            out(_git(repository, *args))
        except GitError as e:
            raise Denied(f'git {args[0]} failed: {e.error}', 'git status') from None
    return 0


@contextlib.contextmanager
def _governed_by(config: str) -> Iterator[None]:
    """What the user gave us holds for the commands that we run too."""
    before = os.environ.get(CONFIG)
    if config:
        os.environ[CONFIG] = os.path.abspath(config)
    try:
        yield
    finally:
        if config and before is None:
            del os.environ[CONFIG]
        elif config:
            os.environ[CONFIG] = before or ''


def _run_ours(args: Sequence[str], config: str) -> int:
    from interlock.commands.click_options import run
    from interlock.commands.group import cli

    with _governed_by(config):
        return run(cli, list(args))


def show(command: Sequence[str]) -> None:
    err(f'$ {shlex.join(command)}')


def run(command: Sequence[str], config: str) -> int:
    """The exit code of a command that has been shown; never raises."""
    program, *args = command
    if program == 'git':
        return guarded(lambda: _run_git(args))
    return _run_ours(args, config)


def _losses(paths: Sequence[str]) -> Iterator[str]:
    with opened() as repository:
        if repository.head() is not None:
            yield from _git(
                repository, 'diff', '--stat', 'HEAD', '--', *paths
            ).splitlines()
        untracked = _git(repository, 'ls-files', '--others', '--', *paths)
        for path in untracked.splitlines():
            yield f' {path} is in no commit'


def losses(paths: Sequence[str]) -> list[str]:
    """What would be gone for good if these files were replaced."""
    found = list(_losses(paths))
    if found:
        err('this would be lost:')
        for each in found:
            err(each)
    return found
