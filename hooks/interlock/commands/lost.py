from __future__ import annotations

from interlock.commands.opening import opened
from interlock.commands.project import Project
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.spec import STAGE


def is_lost(here: Project, at: Records) -> bool:
    """Whether the last commit has a handoff that the working tree lacks."""
    if at.current is not None or at.role != STAGE or here.without_git:
        return False
    with opened() as repository:
        head = repository.head()
        if head is None:
            return False
        old = records(repository.tree(head.tree), at.kind, at.item).current
        return old is not None and old.handoff.fields is not None
