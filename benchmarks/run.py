"""Times as ratios of a floor measured in the same run, as a table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from docs import images
from tests import spaces

from benchmarks import client, commits, fleet
from benchmarks.formats import FORMATS, ITEMS, make_format
from benchmarks.installed import ENVIRON, HERE, INTERLOCK, PYTHON, RUNS, TOP
from benchmarks.repositories import git, make, make_push

HISTORY = TOP.parent / 'shared' / 'realdata' / 'plugin-history.bundle'
LARGEST = HISTORY.parent / 'formats' / 'spec-kit--MoonLadderStudios--MoonMind.bundle'


class Row(NamedTuple):
    what: str
    floor: float
    ours: float
    limit: float

    @property
    def ratio(self) -> float:
        return self.ours / self.floor


def _once(command: Sequence[str], cwd: Path) -> float:
    start = time.perf_counter()
    subprocess.run(
        command, cwd=cwd, env=ENVIRON, stdout=subprocess.DEVNULL, check=False
    )
    return time.perf_counter() - start


def best(
    first: tuple[Sequence[str], Path], second: tuple[Sequence[str], Path]
) -> tuple[float, float]:
    """The best time of each; interleaved, since the machine is shared."""
    pairs = [(_once(*first), _once(*second)) for _ in range(RUNS)]
    return min(one for one, _ in pairs), min(two for _, two in pairs)


def _staged(directory: Path, items: int) -> Row:
    top = directory / str(items)
    floor = ((PYTHON, str(HERE / 'floor.py')), top)
    ours = ((INTERLOCK, 'check', '--staged'), top)
    _once(*ours)
    return Row(
        f'check --staged, one of {items:,} items / floor script',
        *best(floor, ours),
        limit=2.5,
    )


def _formats(directory: Path) -> list[Row]:
    rows = []
    for name in FORMATS:
        top = directory / name
        make_format(top, name)
        ours = ((INTERLOCK, 'check', '--staged'), top)
        _once(*ours)
        rows.append(
            Row(
                f'check --staged, {name}, one of {ITEMS:,} items / floor script',
                *best(((PYTHON, str(HERE / 'floor.py')), top), ours),
                limit=2.5,
            )
        )
    return rows


# git itself, over the same history: every change, and every blob of a record
READING = """\
git log --raw --no-abbrev --format=%H > /dev/null
git log --raw --no-abbrev --no-renames --format= -- specs | cut -d' ' -f4 |
    grep -v '^0*$' | sort -u | git cat-file --batch
"""


def _audit_of_a_format(directory: Path) -> Row:
    top = directory / 'specs'
    git(directory, 'clone', '-q', '-b', 'main', str(LARGEST), str(top))
    config = directory / 'spec-kit.yaml'
    config.write_text('version: 1\nextends: spec-kit\n', encoding='UTF-8')
    ours = ((INTERLOCK, 'audit', '--config', str(config)), top)
    _once(*ours)
    return Row(
        'audit of 799 commits, spec-kit / git log --raw and the watched blobs',
        *best((('sh', '-c', READING), top), ours),
        limit=5,
    )


def _audit(directory: Path) -> Row:
    top = directory / 'history'
    git(directory, 'clone', '-q', '-b', 'main', str(HISTORY), str(top))
    config = directory / 'workflow.yaml'
    config.write_text('extends: plugin-workflow\n', encoding='UTF-8')
    floor = ((PYTHON, '-c', 'import click, yaml, jsonschema'), top)
    ours = ((INTERLOCK, 'audit', '--config', str(config)), top)
    _once(*ours)
    return Row(
        'audit of 240 commits / import click, yaml, jsonschema',
        *best(floor, ours),
        limit=8,
    )


def _receive(directory: Path) -> Row:
    top = directory / 'server'
    old, new = make_push(top, 50, 1_000)
    lines = directory / 'lines'
    lines.write_text(f'{old} {new} refs/heads/main\n', encoding='UTF-8')
    objects = (
        f'git rev-list --objects {new} --not --all | cut -d" " -f1 | '
        f'git cat-file --batch'
    )
    ours = (('sh', '-c', f'"{INTERLOCK}" pre-receive < "{lines}"'), top)
    _once(*ours)
    return Row(
        'pre-receive of 1,000 commits of 50 items / reading their objects',
        *best((('sh', '-c', objects), top), ours),
        limit=20,
    )


def _transcript(file: Path) -> None:
    """Long enough that reading it shows: some megabytes."""
    said = {
        'type': 'user',
        'timestamp': '2026-01-02T03:04:05Z',
        'message': {'content': 'and now the next part, please'},
    }
    result = {
        'type': 'user',
        'message': {'content': [{'type': 'tool_result', 'content': 'x' * 4000}]},
    }
    line, noise = json.dumps(said), f'{json.dumps(result)}\n' * 10
    file.write_text(f'{line}\n{noise}' * 100, encoding='UTF-8')


def _saved(directory: Path) -> list[Row]:
    """What a hook does before and after a compaction, each a process.

    In a small repository: how long `git status` takes is git's.
    """
    transcript = directory / 'transcript.jsonl'
    _transcript(transcript)
    top = directory / 'small'
    make(top, 10)
    floor = ((PYTHON, '-c', 'import sqlite3, json'), top)
    rows = []
    for name, what in (('compacting', 'save'), ('starting', 'load')):
        ours = ((PYTHON, str(HERE / 'hook.py'), name, str(top), str(transcript)), top)
        # what fails is fast
        subprocess.run(
            ours[0], cwd=top, env=ENVIRON, stdout=subprocess.DEVNULL, check=True
        )
        rows.append(
            Row(
                f'{what} of a state around a compaction / import sqlite3, json',
                *best(floor, ours),
                limit=3,
            )
        )
    return rows


def _tree(directory: Path) -> Row:
    command = (INTERLOCK, 'check', '--tree', 'HEAD')
    small, large = directory / '1000', directory / '10000'
    return Row(
        'check --tree, 10,000 items / 1,000 items',
        *best((command, small), (command, large)),
        limit=11,
    )


def _set_status(directory: Path) -> Row:
    """Each time of another item, so that there is something to write."""
    top = directory / 'operations'
    make(top, 1_000)
    git(top, 'reset', '-q', '--hard')
    floor = (PYTHON, '-c', 'import click, yaml')
    _once((INTERLOCK, 'registry', 'show', 'Plugin00000'), top)
    pairs = []
    for number in range(1, RUNS + 1):
        ours = (
            INTERLOCK,
            'registry',
            'set-status',
            f'Plugin{number:05d}',
            'Stage 3',
            '--quiet',
        )
        pairs.append((_once(floor, top), _once(ours, top)))
    return Row(
        'registry set-status, one of 1,000 items / import click, yaml',
        min(one for one, _ in pairs),
        min(two for _, two in pairs),
        limit=3,
    )


def _tasks(directory: Path, tasks: int) -> Path:
    """A main worktree with many tasks beside it, each of them locked."""
    top = directory / f'tasks-{tasks}'
    main = top / 'main'
    main.mkdir(parents=True)
    git(main, 'init', '-q', '-b', 'main')
    (top / '.interlock.yaml').write_text(spaces.WORKFLOW, encoding='UTF-8')
    for number in range(tasks):
        name = f'task-{number}'
        lock = spaces.lock(task_name=name)
        spaces.Space(top).put(lock, name)
    return main


def _locks(directory: Path) -> list[Row]:
    small, large = _tasks(directory, 10), _tasks(directory, 1_000)
    floor = ((PYTHON, '-c', 'import click'), small)
    listed = (INTERLOCK, 'lock', 'list')
    taken = [(INTERLOCK, 'lock', verb, 'bench') for verb in ('acquire', 'release')]
    _once(listed, small)
    _once(listed, large)
    times = [
        [_once(*floor), *(_once(one, small) for one in taken)] for _ in range(RUNS)
    ]
    least, *others = map(min, zip(*times, strict=True))
    rows = [
        Row(f'{" ".join(one[1:3])} / import click', least, ours, limit=2)
        for one, ours in zip(taken, others, strict=True)
    ]
    rows.append(
        Row(
            'lock list, 1,000 tasks / 10 tasks',
            *best((listed, small), (listed, large)),
            limit=2,
        )
    )
    return rows


def _draw(rows: Sequence[Row]) -> None:
    """The ratios as a picture for the documentation; seconds are a machine's."""
    lines = [f'{row.ratio:6.2f}  of {row.limit:4.1f}  {row.what}' for row in rows]
    text = images.picture('make bench', '\n'.join(lines), 'Ratios, and their limits')
    (images.FOLDER / 'bench.svg').write_text(text, encoding='UTF-8')


def main() -> int:
    with tempfile.TemporaryDirectory(prefix='interlock-bench-') as name:
        directory = Path(name)
        for items in (1_000, 10_000):
            make(directory / str(items), items)
        rows = [_staged(directory, items) for items in (1_000, 10_000)]
        rows.append(_tree(directory))
        rows.append(_receive(directory))
        rows.append(_set_status(directory))
        ENVIRON['INTERLOCK_STORE'] = str(directory / 'state.db')
        rows.extend(_saved(directory))
        rows.extend(_locks(directory))
        rows.extend(Row(*each) for each in client.measured(directory, ENVIRON))
        rows.extend(Row(*each) for each in commits.measured(directory, ENVIRON))
        rows.extend(Row(*each) for each in fleet.measured(directory, ENVIRON))
        rows.extend(_formats(directory))
        if HISTORY.exists():
            rows.append(_audit(directory))
        if LARGEST.exists():
            rows.append(_audit_of_a_format(directory))
    width = max(len(row.what) for row in rows)
    out = sys.stdout
    out.write(f'{"":{width}}   floor    ours  ratio  limit\n')
    for row in rows:
        mark = '' if row.ratio <= row.limit else '  OVER THE LIMIT'
        out.write(
            f'{row.what:{width}} {row.floor:6.3f}s {row.ours:6.3f}s '
            f'{row.ratio:6.2f} {row.limit:6.1f}{mark}\n'
        )
    _draw(rows)
    return int(any(row.ratio > row.limit for row in rows))


if __name__ == '__main__':
    raise SystemExit(main())
