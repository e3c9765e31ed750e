"""What clients asked of a lock and heard, for the checker of histories."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from interlock.tasks.engines.engine import Engine
from tests.fleet.engines import asked, token
from tests.fleet.linearizable import FOREVER, Operation

NAME = 'bake'
CALLS = ('acquire', 'acquire', 'release', 'release', 'show', 'change', 'force')


class Recorder:
    """Clients in threads, and one history of all that they did.

    `spends`: files count a generation before they give it out, so that an acquire
    which is killed in between uses it up. No other engine leaves one out.
    """

    def __init__(self, seed: int = 0, spends: bool = False) -> None:
        self.history: list[Operation] = []
        # how often the outcome had to be settled
        self.unknown = 0
        self._seed = seed
        self._spends = spends
        self._lock = threading.Lock()

    def run(self, client: Client, until: Callable[[int], bool]) -> None:
        """Ask at random, as one session."""
        source = random.Random(f'{self._seed} {client.number}')
        seen: Mapping[str, Any] = {'generation': 0, 'version': ''}
        count = 0
        while not until(count):
            seen = self.step(client, source.choice(CALLS), seen)
            count += 1

    def step(
        self, client: Client, call: str, seen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """One question, noted with its answer; what is known after it."""
        session, generation, mine = client.session, seen['generation'], token()
        start = time.monotonic()
        told = client.ask(
            call,
            name=NAME,
            session=session,
            generation=generation,
            version=seen['version'],
            token=mine,
        )
        noted = Operation(
            client.number, start, time.monotonic(), call, session, generation
        )
        found = self._judged(client, noted, told, mine)
        if found is not None:
            with self._lock:
                self.history.append(found)
        return told if told.get('generation') else seen

    def _judged(
        self, client: Client, noted: Operation, told: Mapping[str, Any], mine: str
    ) -> Operation | None:
        """The operation with its outcome; None: it did not happen."""
        if 'error' not in told:
            return _answered(noted, told)
        if told['error'] != 'Unknown' or noted.kind == 'show':
            return None
        with self._lock:
            self.unknown += 1
        settled = client.settle(NAME, mine)
        if settled == 'never':
            is_spent = self._spends and noted.kind == 'acquire'
            until = time.monotonic()
            return noted._replace(kind='spent', returned=until) if is_spent else None
        elif settled == 'done':
            return noted._replace(returned=time.monotonic(), ok=True)
        return noted._replace(returned=FOREVER)


def _answered(noted: Operation, told: Mapping[str, Any]) -> Operation:
    ok = bool(told['ok'])
    holds = (told['session'], told['generation'])
    if noted.kind == 'change' and holds == (noted.session, noted.generation):
        # refused because of another change, which the model does not count
        return noted._replace(ok=True)
    return noted._replace(
        ok=ok,
        holder=told['session'] if noted.kind == 'show' or not ok else '',
        seen=told['generation'] if ok and noted.kind in ('acquire', 'show') else 0,
    )


class Client:
    """A session that asks an engine in this process."""

    def __init__(self, number: int, engine: Engine) -> None:
        self.number = number
        self.session = f's{number}'
        self._engine = engine
        self._expected = ''

    def _intend(self, expected: str) -> None:
        self._expected = expected

    def ask(self, call: str, **given: Any) -> Mapping[str, Any]:
        return asked(self._engine, call, self._intend, **given)

    def settle(self, name: str, mine: str) -> str:
        """`done`, `never`, or '' where that could not be found out either."""
        expected = self._expected
        for pause in (0.1, 0.5, 1, 2, 4):
            told = self.ask('settle', name=name, token=mine, expected=expected)
            if 'settled' in told:
                return str(told['settled'])
            time.sleep(pause)
        return ''
