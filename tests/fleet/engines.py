"""Every engine of locks as the tests meet it: one machine, and another.

A `Fleet` is a lock service and as many machines as a test asks for; each has an
engine of its own. A machine is described by data, so that a worker process can
build its engine too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines.engine import Answer, Engine, EngineError
from interlock.tasks.engines.postgresql import PostgresqlLocks

# the engine, and how a remote is reached
KINDS = ('postgresql',)
TIMEOUT = 5.0
TOP = Path(__file__).parent.parent.parent
REPOSITORY = 'example.org/team/app'


def holder(session: str, **fields: Any) -> Holder:
    made = Holder(session, 'main-agent', 4711, '12345', 'búho', '/srv/é/code')
    return made._replace(**fields)


def token() -> str:
    return uuid.uuid4().hex


def contents(session: str, text: str = '') -> Any:
    """What a lock file holds, under the generation that the engine gives."""
    return lambda generation: json.dumps(
        {'session_id': session, 'generation': generation, 'text': text},
        ensure_ascii=False,
    ).encode()


def build(spec: Mapping[str, Any]) -> Engine:
    """The engine of a machine."""
    return PostgresqlLocks(
        spec['service'],
        spec.get('repository', REPOSITORY),
        spec.get('timeout', TIMEOUT),
    )


class Fleet:
    """A lock service that several machines share."""

    def __init__(self, kind: str, specs: Iterator[dict[str, Any]]) -> None:
        self.kind = kind
        self._specs = specs
        self._machines: list[tuple[dict[str, Any], Engine]] = []

    def spec(self, number: int = 0) -> dict[str, Any]:
        while len(self._machines) <= number:
            spec = next(self._specs)
            self._machines.append((spec, build(spec)))
        return self._machines[number][0]

    def engine(self, number: int = 0) -> Engine:
        self.spec(number)
        return self._machines[number][1]


def take(engine: Engine, name: str, session: str, floor: int = 0) -> Answer:
    return engine.acquire(name, holder(session), contents(session), token(), floor)


class Worker:
    """A process on one machine that asks the engine what it is told to ask."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.process = subprocess.Popen(
            (sys.executable, '-m', 'tests.fleet.worker', json.dumps(spec)),
            cwd=TOP,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, 'PYTHONPATH': str(TOP)},
        )
        assert self.read() == {'ready': True}

    def ask(self, call: str, **arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({'call': call, **arguments}) + '\n')
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def call(self, call: str, **arguments: Any) -> Any:
        self.ask(call, **arguments)
        return self.read()

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@contextlib.contextmanager
def workers(fleet: Fleet, count: int) -> Iterator[list[Worker]]:
    """One process per machine."""
    made: list[Worker] = []
    try:
        for number in range(count):
            made.append(Worker(fleet.spec(number)))
        yield made
    finally:
        for worker in made:
            worker.end()


def answered(answer: Answer) -> dict[str, Any]:
    """An answer as data."""
    record = answer.record
    return {
        'ok': answer.ok,
        'why': answer.why,
        'generation': record.generation if record else 0,
        'version': record.version if record else '',
        'session': record.session if record else '',
    }


def asked(engine: Engine, call: str, **given: Any) -> dict[str, Any]:
    """One call by name; an error of the engine is an answer too."""
    session = given.get('session', '')
    who, name = holder(session), given['name']
    try:
        if call == 'acquire':
            found = engine.acquire(
                name, who, contents(session), given['token'], given.get('floor', 0)
            )
        elif call == 'release':
            found = engine.release(name, who, given['generation'], given['token'])
        elif call == 'change':
            found = engine.change(
                name,
                who,
                given['generation'],
                given['version'],
                contents(session, given.get('text', ''))(given['generation']),
                given['token'],
            )
        elif call == 'force':
            found = engine.force(
                name, given['generation'], 'Zoë', 'it is gone', given['token']
            )
        elif call == 'settle':
            return {'settled': engine.settle(name, given['token'], given['version'])}
        else:
            found = Answer(True, engine.show(name))
    except EngineError as e:
        return {'error': type(e).__name__, 'why': e.why}
    return answered(found)
