"""State commands: the files of a project, changed under its lock."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.click_options import WAIT
from interlock.commands.items.find_item import find_item
from interlock.engine.open_repository import opened
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.git_paths import users_own
from interlock.git.workflow_source import Governing, without_repository
from interlock.model.change import Snapshot
from interlock.model.errors import NoRepository, Refusal
from interlock.model.fixes import restore
from interlock.operations.outcome import Outcome
from interlock.report.terminal import err
from interlock.transactions.journal import Journal
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import Records, records, registry


class Project(NamedTuple):
    workflow: Workflow
    top: str
    snapshot: SteadySnapshot
    journal: Journal
    # why nothing can be committed, None in a repository
    without_git: NoRepository | None

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
                    f'{path}:{read.problem.line}: the registry {read.problem.message}',
                    *restore(path).hint,
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
        self.journal.write(
            {
                os.path.join(self.top, path): (self._data(path), data)
                for path, data in outcome.files.items()
            }
        )
        for warning in outcome.warnings:
            err(f'interlock: warning: {warning}')
        for sentence in outcome.said:
            err(sentence)
        if self.without_git and outcome.files:
            err(
                f'interlock: nothing is committed: {self.without_git.message}'
                f'\n    next: {self.without_git.hint}'
            )

    def _data(self, path: str) -> bytes | None:
        blob = self.snapshot.blob(path)
        return blob.data if blob else None


@contextlib.contextmanager
def stored(here: Project) -> Iterator[Snapshot]:
    """Files as git would store them; without git as they are on disk."""
    if here.without_git:
        yield here.snapshot
        return
    # most commands change no checksum, and need none of it
    from interlock.git.worktree_snapshot import StoredSnapshot

    with (
        opened() as repository,
        contextlib.closing(StoredSnapshot(repository)) as contents,
    ):
        try:
            yield contents
        except OSError as e:
            raise Refusal(
                f'the contracts cannot be read as git stores them: {e.strerror or e}',
                'df -h',
            ) from None


def today() -> str:
    return datetime.date.today().isoformat()


def _outside(given: str) -> tuple[Workflow, str, str]:
    workflow, top = without_repository(given)
    return workflow, top, users_own(top)


@contextlib.contextmanager
def project(given: str, wait: float = WAIT, reads: bool = False) -> Iterator[Project]:
    """The project, ours alone until the block ends."""
    why = None
    try:
        with opened() as repository:
            top = repository.facts.top
            common_dir = repository.facts.common_dir
            if not top:
                raise Refusal('a bare repository has no files to change')
            workflow = Governing(repository, given).on_disk()
    except NoRepository as e:
        why = e
        workflow, top, common_dir = _outside(given)
    journal = Journal(common_dir)
    with journal.locked(wait, reads):
        yield Project(workflow, top, SteadySnapshot(top), journal, why)
