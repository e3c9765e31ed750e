from __future__ import annotations

from collections.abc import Iterator

import pytest

from interlock.doctor.shared_engines import database_probes
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.workflow.language.sharing import LocksSpec, StoreSpec
from interlock.workflow.language.spec import Workflow
from tests.conftest import Interlock, Repo
from tests.fleet.conftest import write_service
from tests.fleet.postgres import Cluster, free_port

pytestmark = pytest.mark.real

REPOSITORY = 'example.org/team/app'
LOCAL = StoreSpec()
LOCKS = LocksSpec(engine='postgresql', repository=REPOSITORY)


@pytest.fixture
def reset(cluster: Cluster, service: str) -> Iterator[None]:
    """A test may change the settings of the role."""
    yield
    cluster.execute('ALTER ROLE postgres RESET ALL')


def asked(locks: LocksSpec = LOCKS, store: StoreSpec = LOCAL) -> list[Probe]:
    workflow = Workflow((), {}, '', '', locks=locks, store=store)
    return list(database_probes(workflow, '.'))


@pytest.mark.parametrize(
    ('value', 'what'),
    (
        pytest.param('on', 'fsync is off', id='as tests start it'),
        pytest.param('local', 'commit local', id='local'),
    ),
)
def test_a_database_that_loses_what_it_promised(
    cluster: Cluster, reset: None, value: str, what: str
) -> None:
    cluster.execute(f"ALTER ROLE postgres SET synchronous_commit = '{value}'")
    (probe,) = asked()
    assert (probe.name, probe.verdict) == ('lock database', DEAD)
    assert what in probe.what
    assert probe.next.startswith('psql service=interlock -c')


def test_a_failover_that_may_give_a_lock_to_two(cluster: Cluster, service: str) -> None:
    cluster.stop()
    cluster.start(fsync='on')
    try:
        (probe,) = asked()
        assert probe.verdict == NOT_WIRED
        assert 'may give one lock to two sessions' in probe.what
        cluster.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        cluster.execute('SELECT pg_reload_conf()')
        assert asked()[0].verdict in (LIVE, NOT_WIRED)
    finally:
        cluster.execute('ALTER SYSTEM RESET synchronous_standby_names')
        cluster.execute('SELECT pg_reload_conf()')
        cluster.stop()
        cluster.start(fsync='off')


def test_a_role_that_is_not_admitted(cluster: Cluster, service: str) -> None:
    cluster.execute('DROP ROLE IF EXISTS agent')
    cluster.execute('CREATE ROLE agent LOGIN')
    write_service(
        'as-agent',
        host=cluster.sockets,
        port=str(cluster.port),
        user='agent',
        dbname='postgres',
    )
    (probe,) = asked(LOCKS._replace(service='as-agent'))
    assert probe.verdict == DEAD
    assert 'role agent is not admitted' in probe.what
    cluster.execute(probe.next.split('"')[1])
    assert 'not admitted' not in asked(LOCKS._replace(service='as-agent'))[0].what


def test_a_database_that_does_not_answer(service: str) -> None:
    write_service('nowhere', host='127.0.0.1', port=str(free_port()))
    (locks, states) = asked(
        LOCKS._replace(service='nowhere'), StoreSpec('postgresql', 'nowhere')
    )
    assert (locks.name, locks.verdict) == ('lock database', DEAD)
    assert (states.name, states.verdict) == ('state database', DEAD)
    assert 'Connection refused' in locks.what


def test_nothing_is_asked_where_nothing_is_shared() -> None:
    assert asked(LocksSpec()) == []


def test_the_command_shows_it(repo: Repo, service: str, interlock: Interlock) -> None:
    repo.commit(
        {
            '.interlock.yaml': 'version: 1\nextends: task-protocol\n'
            f'locks: {{engine: postgresql, repository: {REPOSITORY}}}\n'
        }
    )
    assert 'lock database' in interlock('doctor').out
