"""The place of a project's tasks, who acts there, and one task under its lock."""

from __future__ import annotations

import os

from interlock.documents import timestamps
from interlock.documents.text import shown
from interlock.files import process
from interlock.files.actor import actor
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.model.change import data_of
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import correction
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Collection, Iterator
from interlock.operations.outcome import Outcome
from interlock.operations.tasks.locks import Holder
from interlock.operations.tasks.trail import File, TrailFile
from interlock.report.terminal import err, say_outcome
from interlock.tasks import lock_holders, task_layout, task_view
from interlock.tasks.conditions.gate import conditions_of_step, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_store import Event, Held, event, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal
from interlock.workflow.reading.item_paths import is_task_name


class Workplace:
    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.actor = actor(os.environ, space.state)
        # files by absolute path, as they were when first read
        self.snapshot = SteadySnapshot(space.tasks)
        self.journal = Journal(space.state)
        self.locks = locks_of(space)

    def task(self, name: str) -> str:
        """A name that a user gave, if it is valid for a task."""
        if not is_task_name(name, self.space.kind):
            why = 'small letters, digits and single hyphens'
            if name == self.space.protocol.main.name:
                why = 'that name stands for the main worktree'
            raise Refusal(
                f'{shown(name)!r} cannot be the name of a task: {why}',
                'interlock task select',
                meant=correction(name, self.space.names()),
            )
        return name

    def task_or_main(self, name: str) -> str:
        main = self.space.protocol.main.name
        return main if name == main else self.task(name)

    def holder(self, name: str) -> Holder:
        who = self.actor
        return Holder(
            who.session,
            who.agent,
            who.pid,
            process.start_time(who.pid),
            who.host,
            self.space.code(name),
            process.machine(),
            self.space.state,
        )

    def event(self, kind: str, name: str, generation: int, **more: str | int) -> Event:
        """The event of this session for a lock."""
        own: dict[str, str | int] = {
            'generation': generation,
            'session': self.actor.session,
        }
        return event(kind, name, **{**own, **more})


class LockedTask(Workplace):
    """A task whose lock somebody holds."""

    def __init__(self, space: Workspace, name: str, held: Held) -> None:
        super().__init__(space)
        self.name = name
        self.held = held
        self.now = timestamps.now()
        self.here = task_view.ViewSources(
            space, self.snapshot, os.environ, self.actor, os.getcwd(), self.now
        )

    def view(self, target: str = '', needs: Collection[str] = ()) -> View:
        return task_view.view(self.here, self.held.lock, self.name, target, needs)

    def at_gate(self, target: str) -> View:
        """The view with everything that the gate of a state asks for."""
        return self.view(
            target, conditions_of_step(self.space.kind, self.held.lock.state, target)
        )

    def path(self, pattern: str, agent: str = '') -> str:
        return self.space.path(pattern, self.name, agent)

    def file(self, pattern: str) -> File:
        path = self.path(pattern)
        return File(path, data_of(self.snapshot, path))

    @property
    def lock(self) -> File:
        return File(self.held.path, self.held.data)

    @property
    def trail(self) -> TrailFile:
        file = self.file(self.space.protocol.files.trail)
        return TrailFile(*file, self.name, self.held.lock.session, self.now)

    def apply(self, outcome: Outcome, event: Event | None = None) -> None:
        """Write the files of an outcome, and say what was done."""
        others = {
            path: (data_of(self.snapshot, path), data)
            for path, data in outcome.files.items()
            if path != self.held.path
        }
        lock = outcome.files.get(self.held.path)
        if lock is None:
            self.journal.write(others)
        else:
            self.locks.changes(self.name).replace(self.held, lock, event, others)
        say_outcome(outcome.said, outcome.warnings)


def find_workplace(given: str) -> Workplace:
    """The workplace, only to look: it does not wait for other commands."""
    return Workplace(task_layout.find(given))


@contextmanager
def open_workplace(given: str, wait: float, reads: bool = False) -> Iterator[Workplace]:
    """Open the tasks; until the block ends no other command changes them."""
    place = find_workplace(given)
    with place.journal.locked(wait, reads):
        yield place


@contextmanager
def open_task(
    given: str, wait: float, name: str, reads: bool = False
) -> Iterator[LockedTask]:
    """Open a task that has a lock with a state."""
    with open_workplace(given, wait, reads) as place:
        name = place.task(name)
        held = lock_holders.lock_of(place.space, name)
        if held is None:
            raise Denied(
                f'{name} is not locked, so it has no state',
                f'interlock task select {name}',
                meant=lock_holders.retyped_task(place.space, name),
            )
        show = f'interlock lock show {name}'
        if held.lock.problem is not None:
            who = lock_holders.holder_text(held)
            raise Denied(
                f'LCK002: {name} is held by {who}, so its state is unknown', show
            )
        elif not held.lock.state:
            raise Denied(f'LCK005: the lock {held.path} of {name} names no state', show)
        yield LockedTask(place.space, name, held)


def require_own(view: View) -> None:
    """Refuse an actor that does not hold the lock of a task; only warn a person."""
    for verdict in judge(view, ['lock-owned']):
        if verdict.refuses:
            code = 'LCK003' if view.actor.is_anonymous else 'LCK001'
            raise Denied(f'{code}: {verdict.message}', verdict.recovery)
        elif verdict.severity:
            err(f'interlock: warning: {verdict.message}')
