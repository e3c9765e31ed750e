"""Questions to a lock engine, as commands ask them."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines import engine
from interlock.tasks.engines.engine import NO_NOTE, Note, Question, Render


def acquire(
    name: str, holder: Holder, render: Render, token: str, floor: int = 0
) -> Question:
    return Question(engine.ACQUIRED, name, token, floor, holder, render=render)


def change(
    name: str, holder: Holder, generation: int, version: str, data: bytes, token: str
) -> Question:
    return Question(
        engine.CHANGED, name, token, generation, holder, version, lambda _: data
    )


def release(
    name: str, holder: Holder, generation: int, token: str, note: Note = NO_NOTE
) -> Question:
    return Question(engine.RELEASED, name, token, generation, holder, note=note)


def force(name: str, generation: int, person: str, reason: str, token: str) -> Question:
    note = {'person': person, 'reason': reason}
    return Question(engine.FORCED, name, token, generation, note=note)


def move(
    name: str, generation: int, data: bytes, person: str, reason: str, token: str
) -> Question:
    note = {'person': person, 'reason': reason}
    return Question(
        engine.MOVED, name, token, generation, render=lambda _: data, note=note
    )


def push(
    name: str, holder: Holder, generation: int, refspecs: Sequence[str], token: str
) -> Question:
    return Question(engine.PUSHED, name, token, generation, holder, refspecs=refspecs)
