"""A project in which one plugin is about to end a stage."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests import samples
from tests.conftest import Repo

ITEM = 'Bravo'
HANDOFF = samples.handoff_path(ITEM)
CODE = f'plugins/{ITEM}/Source/Main.cpp'
PLAN = f'plugins/{ITEM}/.ideas/plan.md'
BEFORE = {'Alpha': 'Ideated', ITEM: 'Stage 2', 'Charlie': 'Installed'}
TRIED = '\n  3.test: "passed 2026-01-02: 45 of 45"'
DAY = '2026-03-04'


def files() -> dict[str, str | bytes | None]:
    """All of the project; the tests of the next stage have passed."""
    return {
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry(BEFORE),
        **samples.item_files(ITEM),
        HANDOFF: samples.handoff(ITEM, evidence=TRIED),
    }


def worked(repo: Repo) -> None:
    """The work of the next stage is done, and nothing is said of it."""
    repo.write({CODE: '// moteur\n'})


def text(repo: Repo, name: str) -> str:
    return (repo.path / name).read_bytes().decode()


def at_head(repo: Repo, name: str, rev: str = 'HEAD:') -> str:
    """A file as a commit (or with `:` the index) has it."""
    shown = repo.git('show', f'{rev}{name}')
    return f'{shown}\n'


def registry(text: str) -> dict[str, str]:
    """Row of each item, with what a registry says of it."""
    return {
        line.split('|')[1].strip(): line.split('|')[2].strip()
        for line in text.splitlines()
        if line.startswith('| ') and not line.startswith('| Plugin Name')
    }


def everything(repo: Repo) -> Mapping[str, object]:
    """Every file with its bytes and mode, the index, and where HEAD is."""
    top, found = repo.path, {}
    for directory, folders, names in os.walk(top):
        if '.git' in folders:
            folders.remove('.git')
        for name in names:
            file = Path(directory, name)
            found[str(file.relative_to(top))] = (
                os.readlink(file) if file.is_symlink() else file.read_bytes(),
                file.lstat().st_mode,
            )
    git = Path(repo.git('rev-parse', '--absolute-git-dir'))
    index = git / 'index'
    return {
        **found,
        'index': index.read_bytes() if index.exists() else None,
        'HEAD': repo.try_git('rev-parse', 'HEAD').stdout,
    }


def hook(repo: Repo, name: str, script: str) -> Path:
    file = repo.path / '.git' / 'hooks' / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'#!/bin/sh\n{script}\n')
    file.chmod(0o755)
    return file
