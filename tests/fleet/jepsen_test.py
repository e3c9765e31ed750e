"""Clients ask an engine while everything around them fails; was it a lock?

The proxy loses, delays, repeats and cuts what passes; the server is stopped and
continued; clients are killed. What all clients asked and heard has to be a
history that one lock, asked by one client after another, could have had.
"""

from __future__ import annotations

import random
import re
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from interlock.postgresql.migrations import after
from interlock.tasks.engines.engine import FILE
from interlock.tasks.engines.postgresql import PostgresqlLocks
from tests.fleet.engines import REPOSITORY, Fleet, Worker
from tests.fleet.history import Client, Recorder
from tests.fleet.linearizable import LockModel, is_linearizable
from tests.fleet.postgres import Cluster
from tests.fleet.properties import shows
from tests.fleet.proxied import CHANGES, Proxied
from tests.fleet.proxy import Fault, Kind

SECONDS = 60.0
CLIENTS = 4
# of the questions that pass the proxy
FAULTS = 0.15


class Process(Client):
    """A session in a process of its own, which may be killed at any time."""

    def __init__(self, number: int, spec: Mapping[str, Any]) -> None:
        self.number = number
        self.session = f's{number}'
        self._spec = spec
        self.worker = Worker(spec)
        self._expected = ''

    def ask(self, call: str, **given: Any) -> Mapping[str, Any]:
        try:
            told = self.worker.call(call, **given)
        except BrokenPipeError:
            told = None
        if call != 'settle':
            self._expected = self.worker.expected
        if told is None:
            self.worker.end()
            self.worker = Worker(self._spec)
            return {'error': 'Unknown', 'why': 'killed'}
        found: Mapping[str, Any] = told
        return found


class Nemesis:
    """Whatever can go wrong, at random; the seed makes it repeatable in kind."""

    def __init__(self, clients: list[Process], proxied: Proxied | None) -> None:
        self._source = random.Random(7)
        self._clients = clients
        self._server = proxied.server if proxied else None
        self._triggers = CHANGES[proxied.kind] if proxied else ()
        self.struck = 0
        if proxied is not None:
            proxied.proxy.choose = self.choose

    def choose(self, sent: bytes) -> Fault | None:
        if not any(trigger in sent for trigger in self._triggers):
            return None
        if self._source.random() > FAULTS:
            return None
        self.struck += 1
        kind = self._source.choice(list(Kind))
        return Fault(kind, b'', self._source.uniform(0.1, 2))

    def run(self, ended: threading.Event) -> None:
        while not ended.wait(self._source.uniform(1, 4)):
            self.struck += 1
            if self._server is not None and self._source.random() < 0.4:
                self._server.signal(signal.SIGSTOP)
                ended.wait(self._source.uniform(0.1, 1))
                self._server.signal(signal.SIGCONT)
            else:
                client = self._source.choice(self._clients)
                client.worker.process.send_signal(signal.SIGKILL)


def tormented(specs: list[dict[str, Any]], proxied: Proxied | None) -> str:
    """Let clients ask while a nemesis is at work; says what was done."""
    clients = [Process(number, spec) for number, spec in enumerate(specs)]
    recorder = Recorder(spends=specs[0]['engine'] == FILE)
    nemesis = Nemesis(clients, proxied)
    end, ended = time.monotonic() + SECONDS, threading.Event()
    threads = [
        threading.Thread(
            target=recorder.run, args=(client, lambda count: time.monotonic() > end)
        )
        for client in clients
    ]
    breaking = threading.Thread(target=nemesis.run, args=(ended,))
    for thread in (*threads, breaking):
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    breaking.join()
    for client in clients:
        client.worker.end()
    start, history = time.monotonic(), recorder.history
    assert is_linearizable(history, LockModel())
    acquired = sum(each.kind == 'acquire' and each.ok for each in history)
    assert acquired > 3
    assert nemesis.struck > 3
    return (
        f'{len(history)} operations, {recorder.unknown} unknown, {acquired} acquired, '
        f'{nemesis.struck} faults, checked in {time.monotonic() - start:.2f} s'
    )


@pytest.mark.fleet
@shows(24, 25, 26, 27, 30, only=tuple(CHANGES))
def test_the_history_of_a_lock_under_failures_is_linearizable(
    proxied: Proxied, record_property: Any
) -> None:
    specs = [proxied.spec(proxied.proxy.port) for _ in range(CLIENTS)]
    record_property('table', f'{proxied.kind}: {tormented(specs, proxied)}')


@pytest.mark.fleet
@shows(24, 30, only=('file', 'remote-file', 'remote-ssh'))
def test_the_history_of_a_lock_whose_clients_are_killed_is_linearizable(
    fleet: Fleet, record_property: Any
) -> None:
    specs = [fleet.spec(number) for number in range(CLIENTS)]
    record_property('table', f'{fleet.kind}: {tormented(specs, None)}')


def test_an_engine_that_is_broken_on_purpose_is_caught(
    cluster: Cluster, service: str
) -> None:
    """Its acquire does not look whether the lock is held."""
    (script,) = (text for text in after(0, 1) if 'interlock.acquire(' in text)
    (function,) = re.findall(
        r'CREATE FUNCTION interlock\.acquire\(.*?\nEND \$\$;', script, re.DOTALL
    )
    broken = function.replace("lock.session <> ''", 'false')
    assert broken != function
    cluster.execute(broken.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'))
    recorder = Recorder()
    for number in range(3):
        client = Client(number, PostgresqlLocks(service, REPOSITORY, 5))
        recorder.step(client, 'acquire', {'generation': 0, 'version': ''})
    assert not is_linearizable(recorder.history, LockModel())
