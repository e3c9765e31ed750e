"""Clones that stand for machines, and the server whose locks they share."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

from tests import spaces

REPOSITORY = 'app.git'
SECONDS = 20.0


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ('git', *words), cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_server(folder: Path) -> Path:
    """A bare repository that anybody may push to; the folder is served."""
    path = folder / 'served' / REPOSITORY
    path.mkdir(parents=True)
    git(path, 'init', '-q', '--bare')
    git(path, 'config', 'http.receivepack', 'true')
    return path


def machines(
    folder: Path, engine: str, url: str, timeout: float = SECONDS
) -> Iterator[dict[str, Any]]:
    """Clones of one remote, each with a workflow that names the engine."""
    template = folder / 'template'
    if not template.exists():
        (template / 'main').mkdir(parents=True)
        (template / 'tasks').mkdir()
        git(template / 'main', 'init', '-q')
        (template / 'main/todo.md').write_text(spaces.TODO, encoding='UTF-8')
        git(template / 'main', 'add', '.')
        git(template / 'main', 'commit', '-q', '-m', 'begin')
    while True:
        place = folder / f'machine-{token_hex(4)}'
        shutil.copytree(template, place)
        git(place / 'main', 'remote', 'add', 'origin', url)
        workflow = place / '.interlock.yaml'
        workflow.write_text(
            f'{spaces.WORKFLOW}locks: {{engine: {engine}, timeout: {timeout:g}}}\n'
        )
        yield {'engine': engine, 'workflow': str(workflow), 'main': str(place / 'main')}
