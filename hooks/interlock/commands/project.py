"""State commands: the files of a project, changed under its lock."""
from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.host import err
from interlock.commands.items import find_item
from interlock.commands.judging import opened
from interlock.commands.parsing import common
from interlock.commands.parsing import F
from interlock.model.errors import NoRepository
from interlock.model.errors import Refusal
from interlock.operations.change import Outcome
from interlock.workflow.names import is_name
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.records import registry
from interlock.workflow.spec import Workflow
from interlock.world.config import Governing
from interlock.world.config import without_repository
from interlock.world.disk import SteadySnapshot
from interlock.world.journal import Journal

# seconds that a command waits for another one, unless told otherwise
WAIT = 10.0


class Project(NamedTuple):
    workflow: Workflow
    top: str
    snapshot: SteadySnapshot
    journal: Journal
    # '' in a repository, else why nothing can be committed
    without_git: str

    def item(self, name: str) -> Records:
        try:
            return find_item(self.snapshot, self.workflow, name)
        except click.UsageError:
            self._refuse_unreadable()
            raise

    def _refuse_unreadable(self) -> None:
        """No item is in a registry that cannot be read."""
        for kind in self.workflow.kinds:
            read = registry(self.snapshot, kind)
            if kind.registry is not None and read and read.problem:
                path = kind.registry.file
                raise Refusal(
                    f'{path}:{read.problem.line}: the registry '
                    f'{read.problem.message}',
                    f'git checkout HEAD -- {path}',
                )

    def item_or_new(self, name: str) -> Records:
        """As `item`; a name that nothing stands for is that of a new item."""
        kinds = [kind for kind in self.workflow.kinds if kind.registry]
        found = [records(self.snapshot, kind, name) for kind in kinds]
        for at in found:
            if at.registered or at.current is not None:
                return at
        return found[0] if found and is_name(name) else self.item(name)

    def apply(self, outcome: Outcome) -> None:
        """Writes what an operation wants, and says what was done."""
        self.journal.write({
            os.path.join(self.top, path): (
                self._data(path), data,
            )
            for path, data in outcome.files.items()
        })
        for warning in outcome.warnings:
            err(f'interlock: warning: {warning}')
        for sentence in outcome.said:
            err(sentence)
        if self.without_git and outcome.files:
            err(f'interlock: nothing is committed: {self.without_git}')

    def _data(self, path: str) -> bytes | None:
        blob = self.snapshot.blob(path)
        return blob.data if blob else None


def today() -> str:
    return datetime.date.today().isoformat()


def writes(command: F) -> F:
    """The options of every command that changes state."""
    for option in (
            click.option(
                '--wait', type=click.FloatRange(0), default=WAIT,
                metavar='SECONDS', show_default=True,
                help='How long to wait for another command.',
            ),
            click.option(
                '--config', default='', metavar='FILE', help='The workflow.',
            ),
    ):
        command = option(command)
    return common(command)


def _outside(given: str) -> tuple[Workflow, str, str]:
    workflow, top = without_repository(given)
    state = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    unique = top.strip(os.sep).replace(os.sep, '-')
    return workflow, top, os.path.join(state, 'interlock', unique)


@contextlib.contextmanager
def project(
        given: str,
        wait: float = WAIT,
        reads: bool = False,
) -> Iterator[Project]:
    """The project, ours alone until the block ends."""
    why = ''
    try:
        with opened() as repository:
            top = repository.facts.top
            common_dir = repository.facts.common_dir
            if not top:
                raise Refusal('a bare repository has no files to change')
            workflow = Governing(repository, given).on_disk()
    except NoRepository as e:
        why = e.message
        workflow, top, common_dir = _outside(given)
    journal = Journal(common_dir)
    with journal.locked(wait, reads):
        yield Project(workflow, top, SteadySnapshot(top), journal, why)
