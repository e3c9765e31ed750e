"""What clients asked of a lock and heard, for the checker of histories."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.fleet.engines import token
from tests.fleet.linearizable import FOREVER, Operation

NAME = 'bake'
CALLS = ('acquire', 'acquire', 'release', 'release', 'show', 'change', 'force')
Ask = Callable[..., Mapping[str, Any]]


class Recorder:
    """Clients in threads, and one history of all that they did."""

    def __init__(self, seed: int = 0) -> None:
        self.history: list[Operation] = []
        self._seed = seed
        self._lock = threading.Lock()

    def run(self, client: int, ask: Ask, count: int) -> None:
        """Ask at random, as one session."""
        source = random.Random(f'{self._seed} {client}')
        seen: Mapping[str, Any] = {'generation': 0, 'version': ''}
        for _ in range(count):
            call = source.choice(CALLS)
            seen = self.step(client, ask, call, seen)

    def step(
        self, client: int, ask: Ask, call: str, seen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """One question, noted with its answer; what is known after it."""
        session, generation = f's{client}', seen['generation']
        start = time.monotonic()
        mine = token()
        told = ask(
            call,
            name=NAME,
            session=session,
            generation=generation,
            version=seen['version'],
            token=mine,
        )
        noted = Operation(client, start, time.monotonic(), call, session, generation)
        self._note(self._judged(noted, told, ask, mine, seen['version']))
        return told if told.get('generation') else seen

    def _judged(
        self,
        noted: Operation,
        told: Mapping[str, Any],
        ask: Ask,
        mine: str,
        version: str,
    ) -> Operation | None:
        """The operation with its outcome; None: it did not happen."""
        if 'error' not in told:
            ok = bool(told['ok'])
            holds = (told['session'], told['generation'])
            if noted.kind == 'change' and holds == (noted.session, noted.generation):
                # refused because of another change, which the model does not count
                return noted._replace(ok=True)
            return noted._replace(
                ok=ok,
                holder=told['session'] if noted.kind == 'show' or not ok else '',
                seen=told['generation'] if ok and noted.kind != 'change' else 0,
            )
        if told['error'] != 'Unknown' or noted.kind == 'show':
            return None
        settled = ask('settle', name=NAME, token=mine, version=version)
        if settled.get('settled') == 'never':
            return None
        if settled.get('settled') == 'done':
            return noted._replace(returned=time.monotonic(), ok=True)
        return noted._replace(returned=FOREVER)

    def _note(self, operation: Operation | None) -> None:
        if operation is not None:
            with self._lock:
                self.history.append(operation)
