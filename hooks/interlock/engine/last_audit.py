"""How many findings the last audit of the whole tree had, by item.

A session that starts is told; it has no time to judge everything itself.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from interlock.files import atomic_files
from interlock.model.errors import Refusal
from interlock.model.finding import Finding

if TYPE_CHECKING:
    from interlock.git.repository import Repository
    from interlock.model.report import Report

FILE = 'audited.json'


class Audited(NamedTuple):
    at: str
    errors: int
    warnings: int
    # item -> its errors and warnings
    items: Mapping[str, int]


def path_of(state: str) -> str:
    """`state` is the common git directory."""
    return os.path.join(state, 'interlock', FILE)


def leave(state: str, findings: Iterable[Finding], at: str) -> None:
    counted = [each for each in findings if each.severity in ('error', 'warning')]
    severities = Counter(each.severity for each in counted)
    data = json.dumps(
        Audited(
            at,
            severities['error'],
            severities['warning'],
            Counter(each.item for each in counted),
        )._asdict()
    ).encode()
    path = path_of(state)
    # who looked has the findings; what is left for later may be missing
    with contextlib.suppress(OSError, Refusal):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_files.replace(path, atomic_files.read(path), data)


def leave_report(repository: Repository, tree: str, report: Report) -> None:
    """Only of the tree that is checked out: an older one says nothing of today."""
    from interlock.tasks.lock_holders import now

    head = repository.head()
    if head is not None and head.tree == tree and repository.facts.top:
        leave(repository.facts.common_dir, report.findings, now())


def last(state: str) -> Audited | None:
    """None where nobody has looked, or the file cannot be read."""
    try:
        data = json.loads(atomic_files.read(path_of(state)) or b'')
        items = {str(item): int(count) for item, count in data['items'].items()}
        return Audited(
            str(data['at']), int(data['errors']), int(data['warnings']), items
        )
    except (Refusal, ValueError, KeyError, TypeError, AttributeError):
        return None
