from __future__ import annotations

import contextlib
from collections.abc import Iterator

from interlock.commands.items.project import Project
from interlock.engine.open_repository import opened
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.model.fixes import restore
from interlock.operations.registry.status import unwatched
from interlock.report.terminal import err
from interlock.workflow.language.spec import STAGE, RegistrySpec, Workflow
from interlock.workflow.reading.records import Records, records


@contextlib.contextmanager
def in_head(at: Records) -> Iterator[Records | None]:
    """An item as the last commit has it, None where there is no commit."""
    with opened() as repository:
        head = repository.head()
        yield records(repository.tree(head.tree), at.kind, at.item) if head else None


@contextlib.contextmanager
def committed(here: Project, at: Records) -> Iterator[Records | None]:
    """As `in_head`; None without git too."""
    if here.without_git:
        yield None
        return
    with in_head(at) as found:
        yield found


def is_lost(here: Project, at: Records) -> bool:
    """Whether the last commit has a handoff that the working tree lacks."""
    if at.current is not None or at.role != STAGE or here.without_git:
        return False
    with in_head(at) as found:
        old = found.current if found else None
        return old is not None and old.handoff.fields is not None


def say_unwatched(snapshot: Snapshot, workflow: Workflow) -> None:
    for what, next_ in unwatched(snapshot, workflow):
        err(f'interlock: warning: {what}\n    next: {next_}')


def refuse_lost(here: Project, spec: RegistrySpec) -> None:
    """A registry that was committed is brought back, and not begun anew."""
    if here.without_git or here.snapshot.blob(spec.file) is not None:
        return
    with opened() as repository:
        head = repository.head()
        if head and repository.tree(head.tree).blob(spec.file) is not None:
            raise Refusal(
                f'{spec.file} does not exist, and the last commit has it',
                *restore(spec.file).hint,
            )
