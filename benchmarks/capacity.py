"""How many events an engine of locks takes, and how much it grows: docs/fleet.md.

Run it as `python -m benchmarks.capacity`. One client, one process; an event is an
acquire, a change or a release, asked of the engine as commands ask it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fleet import postgres
from tests.fleet.clones import git, machines, make_server
from tests.fleet.engines import build, contents, holder, take, token
from tests.questions import change, release

from interlock.postgresql.database import migrate
from interlock.tasks.engines.engine import Engine

ROUNDS = 60
# of one round
EVENTS = 3
REFS = (0, 1_000, 10_000)
# the best of so many
TRIES = 7


def _rounds(engine: Engine) -> float:
    """Events per second."""
    start = time.perf_counter()
    for _ in range(ROUNDS):
        made = take(engine, 'bake', 'a').record
        assert made is not None
        data, number = contents('a', 'x' * 1000)(made.generation), made.generation
        engine.ask(change('bake', holder('a'), number, made.version, data, token()))
        engine.ask(release('bake', holder('a'), number, token()))
    return ROUNDS * EVENTS / (time.perf_counter() - start)


def _size(folder: Path) -> float:
    """Bytes on the disk."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob('*'))


def _on_files(directory: Path) -> Iterator[str]:
    spec = next(machines(directory, 'file', 'nowhere'))
    engine, folder = build(spec), Path(spec['main']) / '.git' / 'interlock'
    rate = _rounds(engine)
    log = (folder / 'locks' / 'log.jsonl').stat().st_size / (ROUNDS * EVENTS)
    yield f'file: {rate:.0f} events a second, {log:.0f} bytes of log per event'


def _on_remote(directory: Path) -> Iterator[str]:
    server = make_server(directory)
    engine = build(next(machines(directory, 'git-remote', str(server))))
    before = _size(server)
    rate = _rounds(engine)
    loose = (_size(server) - before) / (ROUNDS * EVENTS)
    git(server, 'gc', '-q')
    packed = (_size(server) - before) / (ROUNDS * EVENTS)
    yield (
        f'git-remote: {rate:.0f} events a second, {loose / 1024:.1f} KiB per event '
        f'loose, {packed / 1024:.2f} KiB after git gc'
    )
    oid = git(server, 'rev-parse', 'refs/interlock/locks/bake')
    for number in REFS:
        refs = ''.join(f'{oid} refs/many/{each}\n' for each in range(number))
        (server / 'packed-refs').write_text(f'{refs}{oid} refs/interlock/locks/bake\n')
        times = []
        for _ in range(TRIES):
            start = time.perf_counter()
            made = take(engine, 'bake', 'a').record
            assert made is not None
            times.append(time.perf_counter() - start)
            engine.ask(release('bake', holder('a'), made.generation, token()))
        yield f'git-remote, {number:,} other refs: {min(times) * 1000:.0f} ms an acquire'


def _on_database(directory: Path, programs: str) -> Iterator[str]:
    with postgres.server(programs) as cluster:
        file = directory / 'pg_service.conf'
        file.write_text(
            f'[interlock]\nhost={cluster.sockets}\nport={cluster.port}\n'
            'user=postgres\ndbname=postgres\n'
        )
        os.environ['PGSERVICEFILE'] = str(file)
        migrate('interlock', 30)
        size = "SELECT pg_total_relation_size('interlock.event')"
        engine = build({'engine': 'postgresql', 'service': 'interlock', 'timeout': 30})
        rate = _rounds(engine)
        grown = cluster.execute(size)[0][0] / (ROUNDS * EVENTS)
        yield (
            f'postgresql: {rate:.0f} events a second, {grown / 1024:.2f} KiB of log '
            f'per event'
        )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix='interlock-capacity-') as name:
        directory = Path(name)
        programs = postgres.binaries()
        rows = [_on_files(directory), _on_remote(directory)]
        rows += [_on_database(directory, programs)] if programs else []
        for row in rows:
            for line in row:
                sys.stdout.write(f'{line}\n')


if __name__ == '__main__':
    main()
