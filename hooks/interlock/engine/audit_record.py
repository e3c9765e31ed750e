"""What a look at the whole tree leaves for sessions that start."""

from __future__ import annotations

from interlock.engine import last_audit
from interlock.git.repository import Repository
from interlock.model.report import Report
from interlock.tasks.lock_holders import now


def leave(repository: Repository, tree: str, report: Report) -> None:
    """Only of what is checked out: an older tree says nothing of today."""
    head = repository.head()
    if head is not None and head.tree == tree and repository.facts.top:
        last_audit.leave(repository.facts.common_dir, report.findings, now())
