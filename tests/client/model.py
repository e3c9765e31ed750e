"""Which answer of a script a request gets."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.client.script import MAIN, Script, Step, word

TURN = 'turn'
SIDE = 'side'
SUMMARY = 'summary'
# how the client asks for the summary of a conversation
ASKS_FOR_SUMMARY = 'create a detailed summary'
OVER = 'the script is at its end'

Body = dict[str, Any]


class Answer(NamedTuple):
    kind: str
    lane: str
    step: Step
    # nothing was scripted for this turn
    over: bool = False


def texts(value: Any) -> Iterator[str]:
    """Everything that a model reads in a message, a block or a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key in ('text', 'content', 'input'):
            found = value.get(key)
            if key == 'input' and found:
                yield json.dumps(found, ensure_ascii=False)
            else:
                yield from texts(found)


def _first(body: Body) -> str:
    """What the user said before the model did; a client may say more there."""
    found: list[str] = []
    for message in body['messages']:
        if message['role'] == 'assistant':
            break
        elif message['role'] == 'user':
            found += texts(message)
    return '\n'.join(found)


def _tail(body: Body) -> str:
    # system messages of the client may stand behind the user's last one
    return '\n'.join(texts(body['messages'][-3:]))


class Model:
    def __init__(self, script: Script) -> None:
        self.script = script
        self._played = dict.fromkeys(script.lanes, 0)
        self._given: dict[str, Answer] = {}
        self._lock = threading.Lock()

    def left(self) -> dict[str, int]:
        """How many steps of each lane were not played."""
        counts = {
            lane: len(steps) - self._played[lane]
            for lane, steps in self.script.lanes.items()
        }
        return {lane: count for lane, count in counts.items() if count}

    def answer(self, body: Body) -> Answer:
        if not body.get('tools'):
            return Answer(SIDE, '', Step(self.script.side, tokens=self.script.weight))
        elif ASKS_FOR_SUMMARY in _tail(body):
            text = f'<summary>\n{self.script.summary}\n</summary>'
            return Answer(SUMMARY, '', Step(text))
        key = json.dumps(body['messages'], sort_keys=True)
        with self._lock:
            # a request that is sent again gets the same answer
            if key not in self._given:
                self._given[key] = self._next(self._lane(body))
            return self._given[key]

    def _lane(self, body: Body) -> str:
        first = _first(body)
        for lane in self.script.lanes:
            if lane != MAIN and word(lane) in first:
                return lane
        for lane, end in self.script.opens.items():
            if first.rstrip().endswith(end):
                return lane
        return MAIN

    def _next(self, lane: str) -> Answer:
        steps = self.script.lanes[lane]
        at = self._played[lane]
        if at == len(steps):
            return Answer(TURN, lane, Step(OVER), over=True)
        self._played[lane] += 1
        return Answer(TURN, lane, steps[at])
