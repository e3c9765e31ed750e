"""Saved states that a team shares: local first, sent later."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.model.errors import Busy, Refusal
from interlock.state.shared_states import SharedStates
from interlock.state.store import Owner, Store
from interlock.state.validate import State
from tests.fleet.conftest import write_service
from tests.fleet.engines import REPOSITORY
from tests.fleet.postgres import Cluster, free_port

PROJECT = '/srv/é/app'
ONE = '11111111-1111-4111-8111-111111111111'
TWO = '22222222-2222-4222-8222-222222222222'
DAYS = 30


def state(session: str, word: str = 'x') -> State:
    return {'session_id': session, 'project_path': f'/{word}'}


@pytest.fixture
def shared(service: str) -> SharedStates:
    return SharedStates(service, REPOSITORY, 5)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Store]:
    store = Store(str(tmp_path / 'state.db'))
    store.share(PROJECT)
    yield store
    store.close()


def send(local: Store, shared: SharedStates, days: int = DAYS) -> int:
    rows = local.unsent(PROJECT)
    shared.send(rows, days)
    local.mark_sent(PROJECT, rows)
    return len(rows)


def test_a_state_is_found_on_another_machine(
    local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE, 'é \U0001f950'), 'manual', Owner(ONE))
    assert send(local, shared) == 1
    found = shared.load(Owner(ONE), time.time())
    assert found.state == state(ONE, 'é \U0001f950')
    assert (found.trigger, found.owner, found.other) == ('manual', Owner(ONE), '')


def test_it_is_sent_once_until_it_changes(local: Store, shared: SharedStates) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    assert [send(local, shared), send(local, shared)] == [1, 0]
    local.update(PROJECT, state(ONE, 'y'), 'auto', Owner(ONE))
    assert send(local, shared) == 1
    assert shared.load(Owner(ONE), time.time()).state == state(ONE, 'y')


def test_a_state_that_changes_while_it_is_sent_is_sent_again(local: Store) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    rows = local.unsent(PROJECT)
    local.save(PROJECT, state(ONE, 'newer'), 'manual', Owner(ONE))
    local.mark_sent(PROJECT, rows)
    assert [row.revision for row in local.unsent(PROJECT)] == [2]


def test_another_sessions_state_is_never_silently_ours(
    local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    send(local, shared)
    found = shared.load(Owner(TWO), time.time())
    assert (found.state, found.owner, found.other) == (state(ONE), Owner(), ONE)
    assert not shared.load(Owner(TWO, 'agent'), time.time()).found


def test_each_session_has_its_row_and_the_project_the_newest(
    tmp_path: Path, shared: SharedStates
) -> None:
    for number, session in ((2, TWO), (1, ONE)):
        clock = functools.partial(float, 1e9 + number * 60)
        store = Store(str(tmp_path / f'{number}.db'), clock=clock)
        store.share(PROJECT)
        store.save(PROJECT, state(session), 'auto', Owner(session))
        # the older one arrives last
        shared.send(store.unsent(PROJECT), 365 * 100)
        store.close()
    assert shared.load(Owner(ONE), time.time()).state == state(ONE)
    assert shared.load(Owner(), time.time()).state == state(TWO)


def test_what_was_saved_before_sharing_stays_here(tmp_path: Path) -> None:
    now = [1e9]
    store = Store(str(tmp_path / 'state.db'), clock=lambda: now[0])
    store.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    now[0] += 10
    store.share(PROJECT)
    store.share(PROJECT)
    assert store.unsent(PROJECT) == []
    store.save(PROJECT, state(TWO), 'manual', Owner(TWO))
    store.save('/other', state(TWO), 'manual', Owner(TWO))
    assert [row.owner.session for row in store.unsent(PROJECT)] == [TWO]
    store.close()


def test_a_state_that_is_too_old_is_told_and_not_given(
    local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    send(local, shared)
    later = time.time() + 48 * 3600
    found = shared.load(Owner(ONE), later, max_age=24)
    assert not found.found
    assert 47 < found.age_hours < 49


def test_old_rows_are_dropped(
    cluster: Cluster, local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    send(local, shared)
    for table in ('session_state', 'project_state'):
        cluster.execute(
            f"UPDATE interlock.{table} SET updated_at = now() - interval '31 days'"
        )
    local.save(PROJECT, state(TWO), 'manual', Owner(TWO))
    send(local, shared)
    rows = cluster.execute('SELECT session FROM interlock.session_state')
    assert rows == [(TWO,)]


def test_what_another_wrote_is_validated_when_it_is_loaded(
    cluster: Cluster, local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    send(local, shared)
    cluster.execute(
        'UPDATE interlock.session_state SET state = %s', '{"unheard_of": 1}'
    )
    with pytest.raises(Refusal, match='STA002'):
        shared.load(Owner(ONE), time.time())


def test_rows_belong_to_the_role_that_saved_them(
    cluster: Cluster, local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    send(local, shared)
    cluster.execute('DROP ROLE IF EXISTS agent')
    cluster.execute('CREATE ROLE agent LOGIN')
    name = write_service(
        'agent',
        host=cluster.sockets,
        port=str(cluster.port),
        user='agent',
        dbname='postgres',
    )
    stranger = SharedStates(name, REPOSITORY, 5)
    assert not stranger.load(Owner(ONE), time.time()).found
    local.save(PROJECT, state(ONE, 'y'), 'manual', Owner(ONE))
    with pytest.raises(Refusal, match='may not use'):
        send(local, stranger)
    cluster.execute('SELECT interlock.admit(%s, %s)', 'agent', REPOSITORY)
    with pytest.raises(Refusal, match='was saved by role postgres'):
        send(local, stranger)
    assert stranger.load(Owner(ONE), time.time()).state == state(ONE)
    assert stranger.forget() == 0
    assert shared.forget() == 1
    assert not shared.load(Owner(ONE), time.time()).found


def test_a_database_that_does_not_answer_loses_nothing(
    local: Store, shared: SharedStates
) -> None:
    local.save(PROJECT, state(ONE), 'manual', Owner(ONE))
    nowhere = write_service('nowhere', host='127.0.0.1', port=str(free_port()))
    with pytest.raises(Busy, match=r'STA011 .* the local store has everything') as told:
        send(local, SharedStates(nowhere, REPOSITORY, 5))
    assert told.value.hint == 'interlock state send'
    assert send(local, shared) == 1


def test_sessions_that_send_at_once_all_arrive(
    cluster: Cluster, service: str, tmp_path: Path
) -> None:
    def work(number: int) -> None:
        store = Store(str(tmp_path / f'{number}.db'))
        store.share(PROJECT)
        session = f'{number:08}-1111-4111-8111-111111111111'
        for _ in range(5):
            store.save(PROJECT, state(session), 'auto', Owner(session))
            send(store, SharedStates(service, REPOSITORY, 10))
        store.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ((count,),) = cluster.execute('SELECT count(*) FROM interlock.session_state')
    assert count == 4
