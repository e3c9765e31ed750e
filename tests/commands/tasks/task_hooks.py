"""The hooks of git that judge and sign the commits of tasks."""

from __future__ import annotations

from tests.conftest import SCRIPTS, Repo

HOOKS = {
    'pre-commit': 'interlock-locks',
    'pre-merge-commit': 'interlock-locks',
    'prepare-commit-msg': 'interlock-trailers "$@"',
}


def install(repo: Repo, *names: str) -> None:
    folder = repo.path / '.git' / 'hooks'
    for name in names or HOOKS:
        file = folder / name
        file.write_text(f'#!/bin/sh\nexec {SCRIPTS}/{HOOKS[name]}\n')
        file.chmod(0o755)
