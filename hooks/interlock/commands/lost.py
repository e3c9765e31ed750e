from __future__ import annotations

import contextlib
from collections.abc import Iterator

from interlock.commands.opening import opened
from interlock.commands.project import Project
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.spec import STAGE


@contextlib.contextmanager
def in_head(at: Records) -> Iterator[Records | None]:
    """An item as the last commit has it, None where there is no commit."""
    with opened() as repository:
        head = repository.head()
        yield records(
            repository.tree(head.tree), at.kind, at.item,
        ) if head else None


def is_lost(here: Project, at: Records) -> bool:
    """Whether the last commit has a handoff that the working tree lacks."""
    if at.current is not None or at.role != STAGE or here.without_git:
        return False
    with in_head(at) as found:
        old = found.current if found else None
        return old is not None and old.handoff.fields is not None
