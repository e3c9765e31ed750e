"""A task under its lock, and what its conditions say of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from interlock.commands.tasks.workspace import Workplace, opened
from interlock.documents import timestamps
from interlock.documents.text import shown
from interlock.model.errors import Denied
from interlock.operations.outcome import Outcome, data_of
from interlock.operations.tasks.trail import File
from interlock.report.colour import paint
from interlock.report.terminal import colour, err, out
from interlock.tasks import lock_holders, task_view
from interlock.tasks.conditions.condition import ConditionResult
from interlock.tasks.conditions.gate import asked, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_store import Event, Held


class AtTask(NamedTuple):
    place: Workplace
    name: str
    held: Held
    now: str

    def at_gate(self, target: str) -> View:
        """With all that the gate of a state asks for."""
        kind, state = self.place.space.kind, self.held.lock.state
        return self.view(target, asked(kind, state, target))

    @property
    def here(self) -> task_view.Here:
        return task_view.Here(
            self.place.space,
            self.place.snapshot,
            os.environ,
            self.place.actor,
            os.getcwd(),
            self.now,
        )

    def view(self, target: str = '', needs: Collection[str] = ()) -> View:
        return task_view.view(self.here, self.held.lock, self.name, target, needs)

    def path(self, pattern: str, agent: str = '') -> str:
        return self.place.space.path(pattern, self.name, agent)

    def file(self, pattern: str) -> File:
        path = self.path(pattern)
        blob = self.place.snapshot.blob(path)
        return File(path, blob.data if blob else None)

    @property
    def lock(self) -> File:
        return File(self.held.path, self.held.data)

    @property
    def trail(self) -> File:
        return self.file(self.place.space.protocol.files.trail)

    def apply(self, outcome: Outcome, event: Event | None = None) -> None:
        """Write what an operation wants, and say what was done."""
        snapshot, held = self.place.snapshot, self.held
        others = {
            path: (data_of(snapshot, path), data)
            for path, data in outcome.files.items()
            if path != held.path
        }
        lock = outcome.files.get(held.path)
        if lock is None:
            self.place.journal.write(others)
        else:
            self.place.locks.replace(self.name, held, lock, event, others)
        for warning in outcome.warnings:
            err(f'interlock: warning: {warning}')
        for sentence in outcome.said:
            err(sentence)


@contextlib.contextmanager
def at_task(
    config: str, wait: float, name: str, reads: bool = False
) -> Iterator[AtTask]:
    """A task that is locked, by whomever."""
    with opened(config, wait, reads) as place:
        name = place.task(name)
        held = lock_holders.held(place.space, name)
        if held is None:
            raise Denied(
                f'{name} is not locked, so it has no state',
                f'interlock task select {name}',
            )
        elif held.lock.problem is not None:
            raise Denied(
                f'LCK002: {name} is held by '
                f'{lock_holders.described(held, place.actor)}, so its '
                f'state is unknown',
                f'interlock lock show {name}',
            )
        elif not held.lock.state:
            raise Denied(
                f'LCK005: the lock {held.path} of {name} names no state',
                f'interlock lock show {name}',
            )
        yield AtTask(place, name, held, timestamps.now())


def require_own(view: View) -> None:
    """What changes a task needs its lock; a person is only told so."""
    for verdict in judge(view, ['lock-owned']):
        if verdict.refuses:
            code = 'LCK003' if view.actor.is_anonymous else 'LCK001'
            raise Denied(f'{code}: {verdict.message}', verdict.recovery)
        elif verdict.severity:
            err(f'interlock: warning: {verdict.message}')


def _lines(verdict: ConditionResult) -> Iterator[str]:
    style = verdict.severity or 'ok'
    word = {'': 'holds', 'error': 'fails'}.get(verdict.severity, verdict.severity)
    yield (
        f'{paint(f"{word:8}", style, colour())} {verdict.code} '
        f'{verdict.name}: {verdict.message}'
    )
    if verdict.severity:
        origin = f' ({shown(verdict.origin)})' if verdict.origin else ''
        yield f'         cause: {verdict.cause}{origin}'
        yield f'         next: {verdict.recovery}'


def say(verdicts: Sequence[ConditionResult], quiet: int = 0) -> None:
    """All of them, or with -q only what does not hold."""
    for verdict in verdicts:
        if verdict.severity or not quiet:
            for line in _lines(verdict):
                out(line)


def values(verdicts: Sequence[ConditionResult]) -> list[dict[str, Any]]:
    return [
        {**verdict._asdict(), 'holds': not verdict.severity} for verdict in verdicts
    ]
