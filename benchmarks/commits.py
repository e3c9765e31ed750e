"""What the hooks of git add to a commit, all of them together."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.installed import INTERLOCK, PYTHON, RUNS, TOP
from benchmarks.repositories import git, make

PRE_COMMIT = str(TOP / '.venv' / 'bin' / 'pre-commit')
EMPTY = """\
repos:
- repo: local
  hooks:
  - {id: empty, name: empty, language: system, entry: 'true', pass_filenames: false}
"""


def _once(
    command: Sequence[str], top: Path, environ: Mapping[str, str], check: bool = True
) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=top, env=environ, capture_output=True, check=check)
    return time.perf_counter() - start


def measured(
    directory: Path, environ: Mapping[str, str]
) -> list[tuple[str, float, float, float]]:
    """What, the time of a bare interpreter, ours, and the limit."""
    top = directory / 'commits'
    make(top, 50)
    git(top, 'commit', '-q', '-m', 'Begin')
    _once((INTERLOCK, 'init', '--git-hooks'), top, environ)
    (top / '.pre-commit-config.yaml').write_text(EMPTY, encoding='UTF-8')
    git(top, 'add', '.')
    git(top, 'commit', '-q', '--no-verify', '-m', 'Wire')
    note = top / 'notes.md'
    commands = {
        'floor': (PYTHON, '-c', 'pass'),
        'plain': ('git', 'commit', '-q', '--no-verify', '-m', 'Note it'),
        'hooks': ('git', 'commit', '-q', '-m', 'Note it'),
        'empty': (PRE_COMMIT, 'run'),
    }
    best = dict.fromkeys(commands, float('inf'))
    for number in range(RUNS):
        for name, command in commands.items():
            note.write_text(f'{number} {name}\n', encoding='UTF-8')
            git(top, 'add', 'notes.md')
            best[name] = min(best[name], _once(command, top, environ))
    rows: tuple[tuple[str, float, float], ...] = (
        ('what all hooks add to git commit', best['hooks'] - best['plain'], 14),
        ('git commit without hooks', best['plain'], float('inf')),
        ('pre-commit run, an empty hook', best['empty'], float('inf')),
    )
    floor = best['floor']
    return [
        (f'{what} / python -c pass', floor, took, most) for what, took, most in rows
    ]
