"""What an engine answers while everything works: properties 1 to 24."""

from __future__ import annotations

import json
import threading
import time

import pytest

from interlock.tasks.engines.engine import Answer, Engine, LockRecord
from tests.fleet.engines import Fleet, contents, holder, take, token, workers
from tests.fleet.history import Client, Recorder
from tests.fleet.linearizable import LockModel, is_linearizable
from tests.fleet.postgres import Cluster
from tests.fleet.properties import shows
from tests.questions import acquire, change, force, move, release

pytestmark = pytest.mark.real

A, B = 'séance-a', 'session b; "x"'


def record_of(answer: Answer) -> LockRecord:
    assert answer.ok and answer.record, answer
    return answer.record


def refused(answer: Answer) -> LockRecord | None:
    assert not answer.ok, answer
    return answer.record


def log(engine: Engine, name: str) -> list[tuple[str, int]]:
    return [(each.event, each.generation) for each in engine.events(name)]


@shows(1)
def test_the_first_generation_is_1(fleet: Fleet) -> None:
    found = record_of(take(fleet.engine(), 'bake', A))
    assert (found.generation, found.session, found.event) == (1, A, 'acquired')


@shows(2, 21)
def test_a_second_session_is_told_who_holds_the_lock(fleet: Fleet) -> None:
    take(fleet.engine(0), 'bake', A)
    found = refused(take(fleet.engine(1), 'bake', B))
    assert found is not None
    assert (found.session, found.generation) == (A, 1)
    assert found.holder['host'] == 'búho'
    assert found.holder['pid'] == 4711


@shows(3)
def test_the_generation_grows_over_release_and_force(fleet: Fleet) -> None:
    engine = fleet.engine()
    take(engine, 'bake', A)
    record_of(engine.ask(release('bake', holder(A), 1, token())))
    assert record_of(take(engine, 'bake', B)).generation == 2
    record_of(engine.ask(force('bake', 2, 'Zoë', 'gone', token())))
    assert record_of(take(engine, 'bake', A)).generation == 3


@shows(4)
def test_the_generation_is_never_below_the_floor(fleet: Fleet) -> None:
    engine = fleet.engine()
    found = record_of(take(engine, 'bake', A, floor=40))
    assert found.generation == 41
    assert json.loads(found.data)['generation'] == 41
    engine.ask(release('bake', holder(A), 41, token()))
    assert record_of(take(engine, 'bake', A, floor=3)).generation == 42


@shows(5, 6, 7)
@pytest.mark.parametrize(
    ('session', 'generation', 'name'),
    (
        pytest.param(B, 2, 'bake', id='another session'),
        pytest.param(A, 1, 'bake', id='an old generation'),
        pytest.param(A, 1, 'eat', id='nothing'),
    ),
)
def test_a_release_that_is_not_the_holders_is_refused(
    fleet: Fleet, session: str, generation: int, name: str
) -> None:
    engine = fleet.engine()
    take(engine, 'bake', A, floor=1)
    answer = engine.ask(release(name, holder(session), generation, token()))
    refused(answer)
    # every engine says it in the same words
    held = f'it is held by session {A} as generation 2'
    assert answer.why == ('it is not locked' if name == 'eat' else held)
    found = engine.show('bake')
    assert found is not None
    assert (found.session, found.generation) == (A, 2)


@shows(8)
def test_the_same_token_gives_the_same_lock(fleet: Fleet) -> None:
    engine, mine = fleet.engine(), token()
    first = engine.ask(acquire('bake', holder(A), contents(A), mine))
    again = engine.ask(acquire('bake', holder(A), contents(A), mine))
    assert record_of(again) == record_of(first)
    assert log(engine, 'bake') == [('acquired', 1)]


@shows(9)
def test_another_token_of_the_holder_counts_nothing(fleet: Fleet) -> None:
    engine = fleet.engine()
    first = record_of(take(engine, 'bake', A))
    assert refused(take(engine, 'bake', A)) == first
    assert log(engine, 'bake') == [('acquired', 1)]


@shows(10)
def test_released_twice_with_one_token(fleet: Fleet) -> None:
    engine, mine = fleet.engine(), token()
    take(engine, 'bake', A)
    for _ in range(2):
        assert record_of(engine.ask(release('bake', holder(A), 1, mine))).is_free
    assert log(engine, 'bake') == [('acquired', 1), ('released', 1)]


@shows(11, 12)
def test_a_change_is_a_compare_and_swap_of_the_holder(fleet: Fleet) -> None:
    engine = fleet.engine()
    old = record_of(take(engine, 'bake', A)).version
    refused(engine.ask(change('bake', holder(B), 1, old, b'{}', token())))
    new = record_of(engine.ask(change('bake', holder(A), 1, old, b'{"a": 1}', token())))
    assert new.version != old
    assert refused(engine.ask(change('bake', holder(A), 1, old, b'{}', token()))) == new
    found = engine.show('bake')
    assert found is not None
    assert found.data == b'{"a": 1}'


@shows(13, 14)
def test_a_person_ends_a_lock_by_its_generation(fleet: Fleet) -> None:
    engine = fleet.engine()
    take(engine, 'bake', A)
    refused(engine.ask(force('bake', 2, 'Zoë', 'gone', token())))
    assert record_of(engine.ask(force('bake', 1, 'Zoë', 'gone home', token()))).is_free
    last = engine.events('bake')[-1]
    assert (last.event, last.person, last.reason) == ('forced', 'Zoë', 'gone home')
    assert (last.generation, last.session) == (1, A)


@shows(15)
def test_who_lost_a_lock_can_change_nothing(fleet: Fleet) -> None:
    engine = fleet.engine()
    old = record_of(take(engine, 'bake', A)).version
    engine.ask(force('bake', 1, 'Zoë', 'gone', token()))
    refused(engine.ask(change('bake', holder(A), 1, old, b'{}', token())))
    now = record_of(take(engine, 'bake', B))
    refused(engine.ask(change('bake', holder(A), 1, now.version, b'{}', token())))
    refused(engine.ask(release('bake', holder(A), 1, token())))
    assert engine.show('bake') == now
    # nor under the old generation, once it holds the lock again
    record_of(engine.ask(release('bake', holder(B), 2, token())))
    again = record_of(take(engine, 'bake', A))
    refused(engine.ask(change('bake', holder(A), 1, again.version, b'{}', token())))
    assert engine.show('bake') == again


@shows(16)
def test_the_log_is_whole_and_ordered(fleet: Fleet) -> None:
    engine = fleet.engine()
    for number in range(1, 4):
        made = record_of(take(engine, 'bake', A))
        engine.ask(change('bake', holder(A), number, made.version, b'{}', token()))
        engine.ask(release('bake', holder(A), number, token()))
    events = ('acquired', 'changed', 'released')
    assert log(fleet.engine(1), 'bake') == [
        (event, number) for number in range(1, 4) for event in events
    ]
    found = engine.events('bake')
    assert {each.session for each in found} == {A}
    assert [each.time for each in found] == sorted(each.time for each in found)


@shows(17, 18)
@pytest.mark.parametrize(
    'data',
    (
        pytest.param('{"é": "\U0001f950 \u2028"}\n'.encode(), id='astral'),
        pytest.param(b'{"a": "\xff\x00"}\r\n', id='not UTF-8'),
        pytest.param(b'', id='empty'),
        pytest.param(bytes(range(256)) * 4096, id='1 MB'),
    ),
)
def test_the_bytes_come_back_equal(fleet: Fleet, data: bytes) -> None:
    made = record_of(
        fleet.engine().ask(acquire('bake', holder(A), lambda number: data, token()))
    )
    assert made.data == data
    found = fleet.engine(1).show('bake')
    assert found is not None
    assert found.data == data


@shows(19, 20)
def test_names_are_independent(fleet: Fleet) -> None:
    names = ['x', 'x-1', 'x-1-1', 'y']
    for name in names:
        record_of(take(fleet.engine(), name, A))
    record_of(fleet.engine().ask(release('x', holder(A), 1, token())))
    found = {each.name: each.session for each in fleet.engine(1).list()}
    assert found == {'x': '', 'x-1': A, 'x-1-1': A, 'y': A}
    assert fleet.engine(1).show('z') is None


@shows(54)
def test_a_lock_is_moved_while_nobody_holds_it(fleet: Fleet) -> None:
    engine, mine = fleet.engine(), token()
    take(engine, 'bake', A)
    held = engine.ask(move('bake', 7, b'{}', 'Zoë', 'to file', token()))
    assert (held.ok, held.why) == (False, 'it is held')
    engine.ask(release('bake', holder(A), 1, token()))
    for _ in range(2):
        moved = record_of(
            engine.ask(move('bake', 7, b'{"a": 1}', 'Zoë', 'from x', mine))
        )
        assert (moved.is_free, moved.generation, moved.data) == (True, 7, b'{"a": 1}')
    # what the other engine counted less far does not go back
    assert (
        record_of(engine.ask(move('bake', 2, b'', 'Zoë', 'x', token()))).generation == 7
    )
    assert log(engine, 'bake')[2:] == [('moved', 7)] * 2
    last = engine.events('bake')[2]
    assert (last.person, last.reason) == ('Zoë', 'from x')
    assert record_of(take(fleet.engine(1), 'bake', B)).generation == 8


def set_clock(patch: pytest.MonkeyPatch, days: int) -> None:
    """Every clock that Python tells the time by."""
    now = time.time() + days * 86400
    patch.setattr(time, 'time', lambda: now)
    patch.setattr(time, 'time_ns', lambda: int(now * 10**9))


@shows(22)
@pytest.mark.parametrize('days', (-400, 400))
@pytest.mark.parametrize('whose', ('the holder', 'the other'))
def test_a_clock_that_is_off_frees_nothing(
    fleet: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    whose: str,
    days: int,
) -> None:
    with monkeypatch.context() as patched:
        if whose == 'the holder':
            set_clock(patched, days)
        made = record_of(take(fleet.engine(), 'bake', A))
        assert record_of(
            fleet.engine().ask(
                change('bake', holder(A), 1, made.version, b'{}', token())
            )
        )
    if whose == 'the other':
        set_clock(monkeypatch, days)
    elif fleet.kind == 'postgresql':
        # it tells the time by a clock of its own
        cluster: Cluster = request.getfixturevalue('cluster')
        cluster.execute('ALTER TABLE interlock.event DISABLE TRIGGER USER')
        cluster.execute(f"UPDATE interlock.event SET at = at - interval '{days} days'")
    found = refused(take(fleet.engine(1), 'bake', B))
    assert found is not None
    assert (found.session, found.generation) == (A, 1)
    refused(fleet.engine(1).ask(release('bake', holder(B), 1, token())))
    # nor does it take anything from the holder
    assert record_of(fleet.engine().ask(release('bake', holder(A), 1, token()))).is_free


def raced(fleet: Fleet, processes: int, rounds: int) -> None:
    """Every round has one winner, and every loser can name it."""
    with workers(fleet, processes) as racers:
        for number in range(1, rounds + 1):
            for which, racer in enumerate(racers):
                racer.ask('acquire', name='bake', session=f's{which}', token=token())
            answers = [racer.read() for racer in racers]
            (winner,) = (n for n, each in enumerate(answers) if each.get('ok'))
            assert answers[winner]['generation'] == number
            for each in answers:
                # a loser may also hear that the server had no time for it
                assert each.get('session', f's{winner}') == f's{winner}', answers
            done = racers[winner].call(
                'release',
                name='bake',
                session=f's{winner}',
                generation=number,
                token=token(),
            )
            assert done['ok'], done


@pytest.mark.slow
@shows(23)
def test_a_race_has_one_winner(fleet: Fleet) -> None:
    raced(fleet, processes=4, rounds=3)


@pytest.mark.fleet
@shows(23)
def test_a_race_of_16_processes(fleet: Fleet) -> None:
    raced(fleet, processes=16, rounds=50)


@shows(24)
def test_a_concurrent_history_is_linearizable(fleet: Fleet) -> None:
    recorder = Recorder()
    threads = [
        threading.Thread(
            target=recorder.run,
            args=(Client(number, fleet.engine(number)), lambda count: count == 12),
        )
        for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # what an engine has no time for does not happen
    assert len(recorder.history) > 18
    assert is_linearizable(recorder.history, LockModel())
