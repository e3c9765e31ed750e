"""Commands about tasks: where they lie, who acts, and one at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.click_options import WAIT
from interlock.documents.text import shown
from interlock.files import process
from interlock.files.actor import actor
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.model.actor import Actor
from interlock.operations.tasks.locks import Holder
from interlock.tasks import task_layout as workspaces
from interlock.tasks.lock_store import LockStore, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal
from interlock.workflow.reading.item_paths import is_task_name


class Workplace(NamedTuple):
    space: Workspace
    actor: Actor
    # files by their absolute paths, as they were when first read
    snapshot: SteadySnapshot

    @property
    def journal(self) -> Journal:
        return Journal(self.space.state)

    @property
    def locks(self) -> LockStore:
        return locks_of(self.space)

    def task(self, name: str) -> str:
        """A name that a user gave, if a task may be named so."""
        if not is_task_name(name, self.space.kind):
            why = 'small letters, digits and single hyphens'
            if name == self.space.protocol.main.name:
                why = 'that name stands for the main worktree'
            raise click.UsageError(
                f'{shown(name)!r} cannot be the name of a task: {why}'
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
            process.started(who.pid),
            who.host,
            self.space.code(name),
        )


def looked_at(given: str) -> Workplace:
    """To see what cannot wait; what is written is written by `opened`."""
    space = workspaces.find(given)
    return Workplace(space, actor(os.environ), SteadySnapshot(space.tasks))


@contextlib.contextmanager
def opened(given: str, wait: float = WAIT, reads: bool = False) -> Iterator[Workplace]:
    """The tasks, ours alone until the block ends."""
    place = looked_at(given)
    with place.journal.locked(wait, reads):
        yield place
