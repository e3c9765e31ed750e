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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from interlock.operations.tasks.locks import Holder
from interlock.tasks import task_layout
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import POSTGRESQL, Answer, Engine, EngineError
from interlock.tasks.engines.postgresql import PostgresqlLocks
from interlock.transactions.journal import Journal
from tests.questions import acquire, change, force, release

# the engine, and how its remote is reached
KINDS = ('file', 'remote-file', 'remote-git', 'remote-http', 'remote-ssh', 'postgresql')
# to set them up takes long
SLOW = frozenset({'remote-git', 'remote-http', 'remote-ssh'})
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
    if spec['engine'] == POSTGRESQL:
        timeout = spec.get('timeout', TIMEOUT)
        return PostgresqlLocks(spec['service'], REPOSITORY, timeout)
    space = task_layout.find(spec['workflow'])
    with Journal(space.state).locked(TIMEOUT):
        # every command makes its folder
        pass
    return selection.engine_named(space, spec['engine'])


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
    return engine.ask(acquire(name, holder(session), contents(session), token(), floor))


class Worker:
    """A process on one machine that asks the engine what it is told to ask."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.process = subprocess.Popen(
            (sys.executable, '-m', 'tests.fleet.worker', json.dumps(spec)),
            cwd=TOP,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join((str(TOP), *sys.path))},
        )
        # the version that the last change was asked for, once that is known
        self.expected = ''
        assert self.read() == {'ready': True}

    def ask(self, call: str, **arguments: Any) -> None:
        assert self.process.stdin is not None
        self.expected = ''
        self.process.stdin.write(json.dumps({'call': call, **arguments}) + '\n')
        self.process.stdin.flush()

    def read(self) -> Any:
        """The next answer; None: the process has ended."""
        while (line := self._line()) is not None:
            if 'expected' not in line:
                return line
            self.expected = line['expected']
        return None

    def _line(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        # a process that is killed may leave half a line
        return json.loads(line) if line.endswith('\n') else None

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


def _nothing(expected: str) -> None:
    return None


CHANGES = frozenset({'acquire', 'change', 'release', 'force'})


def asked(
    engine: Engine, call: str, intend: Callable[[str], None] = _nothing, **given: Any
) -> dict[str, Any]:
    """One call by name; an error of the engine is an answer too.

    A change is asked for as commands do it: first the lock is looked at, then
    `intend` is told the version that the change is asked for.
    """
    try:
        expected = ''
        if call in CHANGES:
            before = engine.show(given['name'])
            expected = before.version if before else ''
        intend(expected)
        found = _answer(engine, call, given)
    except EngineError as e:
        return {'error': type(e).__name__, 'why': e.why}
    return found if isinstance(found, dict) else answered(found)


def _answer(
    engine: Engine, call: str, given: Mapping[str, Any]
) -> Answer | dict[str, Any]:
    session, name = given.get('session', ''), given['name']
    who, number = holder(session), given.get('generation', 0)
    if call == 'acquire':
        floor = given.get('floor', 0)
        return engine.ask(acquire(name, who, contents(session), given['token'], floor))
    elif call == 'release':
        return engine.ask(release(name, who, number, given['token']))
    elif call == 'change':
        data = contents(session, given.get('text', ''))(number)
        version = given['version']
        return engine.ask(change(name, who, number, version, data, given['token']))
    elif call == 'force':
        return engine.ask(force(name, number, 'Zoë', 'it is gone', given['token']))
    elif call == 'settle':
        return {'settled': engine.settle(name, given['token'], given['expected'])}
    return Answer(True, engine.show(name))
