"""What pre-commit said of an index is not said again at commit-msg of the same commit.

No verdict is kept: every check runs again, with the message. Only a finding that was
said of the same index, word for word, is left out, and never one that refuses the
commit or is about locks, which change without a commit. So a record that is damaged,
forged or of other rules hides no refusal, and another actor hears what it is told.
"""

from __future__ import annotations

import os

from interlock import __version__
from interlock.files import records
from interlock.git.repository import Repository
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Finding
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, NamedTuple
from interlock.model.report import Report

FILE = 'said.json'
LOCKS = 'locks'
# the shortest checksum with which git ends an index
CHECKSUM = 20


class SaidFindings(NamedTuple):
    version: str
    # of the index
    checksum: str
    head: str
    # git, which runs both hooks; a script in between is another one for each
    commit: str
    said: list[str]


def _parse(data: Any) -> SaidFindings:
    found = SaidFindings(*(data[name] for name in SaidFindings._fields))
    if not all(isinstance(each, str) for each in (*found[:4], *found.said)):
        raise TypeError
    return found


def _checksum(repository: Repository) -> str:
    """The checksum of the index, '' where git writes none or it cannot be read."""
    own = os.path.join(repository.facts.git_dir, 'index')
    try:
        with open(repository.environ.get('GIT_INDEX_FILE') or own, 'rb') as f:
            f.seek(-CHECKSUM, os.SEEK_END)
            end = f.read()
    except OSError:
        return ''
    return end.hex() if any(end) else ''


def _in_words(finding: Finding) -> str:
    where = f'{finding.path}:{finding.line}'
    parts = (finding.code, finding.severity, finding.item, where, finding.message)
    return '\0'.join((*parts, finding.fix.said))


def _is_told_once(finding: Finding) -> bool:
    return not finding.refuses and finding.check != LOCKS


def said_once(repository: Repository, report: Report, has_message: bool) -> Report:
    """A report without what was said before; without a message, it is recorded."""
    head = repository.head()
    checksum = _checksum(repository)
    if head is None or not checksum:
        return report
    path = os.path.join(repository.facts.common_dir, 'interlock', FILE)
    here = (__version__, checksum, head.oid, str(os.getppid()))
    if not has_message:
        said = [_in_words(each) for each in report.findings if _is_told_once(each)]
        record = SaidFindings(*here, said)
        # what cannot be recorded is said twice
        with suppress(Refusal):
            records.save(path, record._asdict())
        return report
    try:
        known = records.load(path, _parse)
    except (Refusal, Unreadable):
        return report
    if known is None or known[:4] != here:
        return report
    left = [
        each
        for each in report.findings
        if not (_is_told_once(each) and _in_words(each) in known.said)
    ]
    return report._replace(findings=left)
