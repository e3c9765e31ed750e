"""What a look at the whole tree leaves for sessions that start."""
from __future__ import annotations

from interlock.report.summary import Report
from interlock.world import audited
from interlock.world.holding import now
from interlock.world.repository import Repository


def leave(repository: Repository, tree: str, report: Report) -> None:
    """Only of what is checked out: an older tree says nothing of today."""
    head = repository.head()
    if head is not None and head.tree == tree and repository.facts.top:
        audited.leave(repository.facts.common_dir, report.findings, now())
