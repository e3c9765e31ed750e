"""What pre-commit found is not found again at commit-msg of the same commit.

Pre-commit keeps which checks the message cannot change, and what it said. Commit-msg
runs the others, and says only what is new. What was kept counts for one process of
git, index, HEAD, workflow and actor; where it is damaged or of anything else, every
check runs. A check that reads locks or tasks is never kept: both change without a
commit. Nor is a refusal, so a forged record can hide nothing that pre-commit, which
reads none, does not find.
"""

from __future__ import annotations

import os

from interlock import __version__
from interlock.checks.run import CheckLog
from interlock.files import atomic_files
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.quick_hash import blake2b
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import NamedTuple
from interlock.model.report import Report
from interlock.model.session_env import SESSIONS

FILE = 'kept-verdict'
LOCKS = 'locks'
# the shortest checksum with which git ends an index
CHECKSUM = 20


class KeptVerdict(NamedTuple):
    # of the commit that it is about
    key: str = ''
    # the checks whose verdict the message does not change
    settled: frozenset[str] = frozenset()
    # digests of the findings that were said
    said: frozenset[str] = frozenset()


def _digest(*parts: str) -> str:
    return blake2b('\0'.join(parts).encode(errors='replace')).hexdigest()


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


def _key(repository: Repository, governing: Governing) -> str:
    """Tells one commit that is being made from any other; '' where none is.

    The workflow is that of HEAD, else nothing is kept.
    """
    head, checksum = repository.head(), _checksum(repository)
    if head is None or not checksum:
        return ''
    path = governing.path_in(repository.tree(head.tree))
    if not path:
        return ''
    # git runs both hooks; a script in between is another parent for each
    commit = str(os.getppid())
    actor = (repository.environ.get(name, '') for name in SESSIONS)
    return _digest(__version__, checksum, *repository.parents(), path, commit, *actor)


def _path(repository: Repository) -> str:
    return os.path.join(repository.facts.git_dir, 'interlock', FILE)


def kept(repository: Repository, governing: Governing) -> KeptVerdict:
    """What pre-commit kept of the commit that is being made."""
    with suppress(Refusal):
        data = atomic_files.read(_path(repository)) or b''
        key, *lists = data.decode('ascii', 'replace').split('\n')
        if len(lists) == 2 and key == _key(repository, governing) != '':
            return KeptVerdict(key, *(frozenset(each.split()) for each in lists))
    return KeptVerdict()


def _in_words(finding: Finding) -> str:
    where = f'{finding.path}:{finding.line}'
    parts = (finding.code, finding.severity, finding.item, where, finding.message)
    return _digest(*parts, finding.fix.said)


def _is_told_once(finding: Finding) -> bool:
    return not finding.refuses and finding.check != LOCKS


def keep(
    repository: Repository, governing: Governing, report: Report, log: CheckLog
) -> None:
    """For commit-msg; what cannot be written is judged and said again."""
    settled = log.settled_by_trees - {LOCKS}
    if report.refuses or not settled or not (key := _key(repository, governing)):
        return
    said = [_in_words(each) for each in report.findings if _is_told_once(each)]
    text = '\n'.join((key, ' '.join(sorted(settled)), ' '.join(said)))
    path = _path(repository)
    with suppress(Refusal, OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_files.replace_cache(path, text.encode())


def said_once(report: Report, known: KeptVerdict) -> Report:
    """A report without what pre-commit said, word for word."""
    return report._replace(
        findings=[
            each
            for each in report.findings
            if not (_is_told_once(each) and _in_words(each) in known.said)
        ]
    )
