"""Times as ratios of a floor measured in the same run, as a table."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.repositories import git
from benchmarks.repositories import make

HERE = Path(__file__).resolve().parent
HISTORY = HERE.parents[1] / 'shared' / 'realdata' / 'plugin-history.bundle'
INTERLOCK = str(Path(sys.executable).with_name('interlock'))
PYTHON = sys.executable
# as it is where Interlock is installed: compiled once, not at every start
ENVIRON = {
    name: value for name, value in os.environ.items()
    if name != 'PYTHONDONTWRITEBYTECODE'
}


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
        command, cwd=cwd, env=ENVIRON, stdout=subprocess.DEVNULL, check=False,
    )
    return time.perf_counter() - start


def best(
        first: tuple[Sequence[str], Path],
        second: tuple[Sequence[str], Path],
        runs: int,
) -> tuple[float, float]:
    """The best time of each; interleaved, since the machine is shared."""
    pairs = [(_once(*first), _once(*second)) for _ in range(runs)]
    return min(one for one, _ in pairs), min(two for _, two in pairs)


def _staged(directory: Path, items: int) -> Row:
    top = directory / str(items)
    floor = ((PYTHON, str(HERE / 'floor.py')), top)
    ours = ((INTERLOCK, 'check', '--staged'), top)
    _once(*ours)
    return Row(
        f'check --staged, one of {items:,} items / floor script',
        *best(floor, ours, 15), limit=2.5,
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
        *best(floor, ours, 7), limit=8,
    )


def _tree(directory: Path) -> Row:
    command = (INTERLOCK, 'check', '--tree', 'HEAD')
    small, large = directory / '1000', directory / '10000'
    return Row(
        'check --tree, 10,000 items / 1,000 items',
        *best((command, small), (command, large), 3), limit=11,
    )


def main() -> int:
    with tempfile.TemporaryDirectory(prefix='interlock-bench-') as name:
        directory = Path(name)
        for items in (1_000, 10_000):
            make(directory / str(items), items)
        rows = [_staged(directory, items) for items in (1_000, 10_000)]
        rows.append(_tree(directory))
        if HISTORY.exists():
            rows.append(_audit(directory))
    width = max(len(row.what) for row in rows)
    out = sys.stdout
    out.write(f'{"":{width}}   floor    ours  ratio  limit\n')
    for row in rows:
        mark = '' if row.ratio <= row.limit else '  OVER THE LIMIT'
        out.write(
            f'{row.what:{width}} {row.floor:6.3f}s {row.ours:6.3f}s '
            f'{row.ratio:6.2f} {row.limit:6.1f}{mark}\n',
        )
    return int(any(row.ratio > row.limit for row in rows))


if __name__ == '__main__':
    raise SystemExit(main())
