"""The number of findings in the last audit of the whole tree, by item.

A starting session is shown this; it has no time to judge everything itself.
"""

from __future__ import annotations

import os

from interlock.files import records
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Iterable, Mapping, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.git.repository import Repository
    from interlock.model.finding import Finding
    from interlock.model.report import Report

FILE = 'audited.json'


class AuditSummary(NamedTuple):
    at: str
    errors: int
    warnings: int
    # item -> number of its errors and warnings
    items: Mapping[str, int]


def path_of(state: str) -> str:
    """The path of the summary; `state` is the common git directory."""
    return os.path.join(state, 'interlock', FILE)


def save_summary(state: str, findings: Iterable[Finding], at: str) -> None:
    from collections import Counter

    counted = [each for each in findings if each.severity in ('error', 'warning')]
    severities = Counter(each.severity for each in counted)
    audited = AuditSummary(
        at,
        severities['error'],
        severities['warning'],
        Counter(each.item for each in counted),
    )
    # the findings were already shown; the stored summary is optional
    with suppress(Refusal):
        records.save(path_of(state), audited._asdict())


def _parse(data: Any) -> AuditSummary:
    items = {str(item): int(count) for item, count in data['items'].items()}
    return AuditSummary(
        str(data['at']), int(data['errors']), int(data['warnings']), items
    )


def leave_report(repository: Repository, tree: str, report: Report) -> None:
    """Store a report, but only about HEAD's tree: an older one says nothing
    about today."""
    from interlock.documents.timestamps import now

    head = repository.head()
    if head is not None and head.tree == tree and repository.facts.top:
        save_summary(repository.facts.common_dir, report.findings, now())


def last_summary(state: str) -> AuditSummary | None:
    """The last summary, None if there is none or it cannot be read."""
    try:
        return records.load(path_of(state), _parse)
    except (Refusal, Unreadable):
        return None
