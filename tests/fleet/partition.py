"""Run in a network of its own: a packet filter swallows every packet.

Nobody is told anything, neither a refusal nor an end of the connection. The
question is asked on an open connection where the engine keeps one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interlock.postgresql.database import migrate
from interlock.tasks.engines.engine import Engine, EngineError, Unknown
from tests.fleet import postgres
from tests.fleet.clones import REPOSITORY, machines, make_server
from tests.fleet.engines import build, contents, holder, take, token
from tests.fleet.git_servers import serve
from tests.questions import acquire

TIMEOUT = 3.0


def filtered(port: int, how: str) -> None:
    for side in ('--dport', '--sport'):
        subprocess.run(
            ('iptables', how, 'INPUT', '-p', 'tcp', side, str(port), '-j', 'DROP'),
            check=True,
        )


def tried(engine: Engine, port: int) -> None:
    assert take(engine, 'warm-up', 'a').ok
    filtered(port, '-A')
    mine, start = token(), time.monotonic()
    try:
        engine.ask(acquire('bake', holder('a'), contents('a'), mine))
    except EngineError as e:
        happened = e
    else:
        raise AssertionError('nothing can have been answered')
    assert time.monotonic() - start < TIMEOUT + 2, 'after the deadline'
    filtered(port, '-D')
    if isinstance(happened, Unknown):
        assert engine.settle('bake', mine, '') == 'never'
    found = engine.show('bake')
    assert found is None or found.is_free
    assert take(engine, 'bake', 'b').ok


def main(kind: str, folder: Path) -> None:
    if kind == 'remote-git':
        with serve('git', make_server(folder).parent) as server:
            url = server.url(REPOSITORY)
            spec = next(machines(folder, 'git-remote', url, TIMEOUT))
            tried(build(spec), server.port)
        return
    programs = postgres.binaries()
    assert programs is not None
    with postgres.server(programs) as cluster:
        file = folder / 'pg_service.conf'
        file.write_text(
            f'[interlock]\nhost=127.0.0.1\nport={cluster.port}\nuser=postgres\n'
            'dbname=postgres\n'
        )
        os.environ['PGSERVICEFILE'] = str(file)
        migrate('interlock', 20)
        spec = {'engine': kind, 'service': 'interlock', 'timeout': TIMEOUT}
        tried(build(spec), cluster.port)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as name:
        main(sys.argv[1], Path(name))
