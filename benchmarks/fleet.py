"""Locks that a team shares, against what their engines need at the least.

The floor of an acquire is the same lock as a file, and besides it the push, or
the driver and its connection, that the engine cannot do without.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.fleet import postgres
from tests.fleet.clones import git, machines, make_server

from benchmarks.installed import PYTHON, RUNS, launcher
from interlock.postgresql.database import migrate

# what is compared here is far smaller than what is measured
EDITS = 30
SESSION = 'bench'
TASK = 'bake-bread'
# that of the project's own environment, which has the driver; it is in the floor
INTERLOCK = str(Path(sys.executable).with_name('interlock'))
CONNECT = "import psycopg; psycopg.connect(service='interlock').close()"
Measured = tuple[str, float, float, float]


class Bench:
    def __init__(self, directory: Path, environ: Mapping[str, str]) -> None:
        self.environ = {**environ, 'INTERLOCK_SESSION': SESSION}
        self.local = self._main(directory, 'file', str(directory / 'nowhere'))

    def _main(self, directory: Path, engine: str, url: str) -> Path:
        return Path(next(machines(directory, engine, url))['main'])

    def once(self, main: Path, *words: str, data: bytes = b'') -> float:
        start = time.perf_counter()
        subprocess.run(
            words,
            cwd=main,
            env=self.environ,
            input=data,
            capture_output=True,
            check=True,
        )
        return time.perf_counter() - start

    def acquired(self, main: Path) -> float:
        taken = self.once(main, INTERLOCK, 'lock', 'acquire', TASK)
        self.once(main, INTERLOCK, 'lock', 'release', TASK)
        return taken

    def row(self, what: str, main: Path, needed: Sequence[str]) -> Measured:
        """Interleaved, since the machine is shared; the first run warms up."""
        times = []
        for number in range(RUNS + 1):
            words = [word.replace('NUMBER', str(number)) for word in needed]
            times.append(
                (
                    self.acquired(self.local),
                    self.once(main, *words),
                    self.acquired(main),
                )
            )
        alone, least, ours = map(min, zip(*times[1:], strict=True))
        return f'lock acquire, {what} and as a file', alone + least, ours, 1.2

    def mirror(self, main: Path) -> Measured:
        """What a guard takes longer where others give the locks out."""
        guard = (PYTHON, '-I', '-S', launcher(), 'claude', 'PreToolUse')
        for each in (self.local, main):
            self.once(each, INTERLOCK, 'task', 'start', TASK)
        times = [
            (
                self.once(main, PYTHON, '-c', 'pass'),
                self.once(self.local, *guard, data=_edit(self.local)),
                self.once(main, *guard, data=_edit(main)),
            )
            for _ in range(EDITS + 1)
        ]
        floor, alone, shared = map(min, zip(*times[1:], strict=True))
        what = 'what the mirror of a lock adds to a judged Edit / python -c pass'
        return what, floor, shared - alone, 0.1

    def rows(self, directory: Path) -> Iterator[Measured]:
        main = self._main(directory, 'git-remote', str(make_server(directory)))
        oid = git(main, 'rev-parse', 'HEAD')
        needed = ('git', 'push', '-q', 'origin', f'{oid}:refs/bench/NUMBER')
        yield self.row('git-remote / git push', main, needed)
        if programs := postgres.binaries():
            yield self.on_database(directory, programs)
        # the worktree that it leaves is in the way of other acquires
        yield self.mirror(main)

    def on_database(self, directory: Path, programs: str) -> Measured:
        main = self._main(directory, 'postgresql', 'example.org/bench')
        with postgres.server(programs) as cluster:
            file = directory / 'pg_service.conf'
            file.write_text(
                f'[interlock]\nhost={cluster.sockets}\nport={cluster.port}\n'
                'user=postgres\ndbname=postgres\n'
            )
            self.environ['PGSERVICEFILE'] = os.environ['PGSERVICEFILE'] = str(file)
            migrate('interlock', 30)
            needed = (sys.executable, '-c', CONNECT)
            return self.row('postgresql / import psycopg, connect', main, needed)


def _edit(main: Path) -> bytes:
    """As a client asks, in the worktree of the task."""
    code = main.parent / 'tasks' / TASK / 'code'
    event = {
        'hook_event_name': 'PreToolUse',
        'session_id': SESSION,
        'cwd': str(code),
        'transcript_path': '',
        'tool_name': 'Edit',
        'tool_input': {
            'file_path': str(code / 'todo.md'),
            'old_string': 'a',
            'new_string': 'b',
        },
    }
    return json.dumps(event).encode()


def measured(directory: Path, environ: Mapping[str, str]) -> Iterator[Measured]:
    yield from Bench(directory, environ).rows(directory)
