"""Commit-msg does not repeat the findings of pre-commit for the same commit.

Pre-commit stores which checks the message cannot affect, and its findings.
Commit-msg runs the other checks and reports only new findings. The stored
verdict counts for one git process, index, HEAD, workflow and actor. If it is
damaged or belongs to anything else, every check runs. A check that reads locks
or tasks is never stored, because both change without a commit. A report that
refuses is not stored either. A forged record can only hide findings that
pre-commit has reported: pre-commit never reads the record.
"""

from __future__ import annotations

import os

from interlock import __version__
from interlock.engine.judge import Judge
from interlock.files import atomic_files
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.quick_hash import blake2b
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Collection
from interlock.model.report import Report
from interlock.model.session_env import SESSIONS

FILE = 'kept-verdict'
LOCKS = 'locks'
# the length of the shortest checksum at the end of an index
CHECKSUM = 20


def _digest(*parts: str) -> str:
    return blake2b('\0'.join(parts).encode(errors='replace')).hexdigest()


def _checksum(repository: Repository) -> str:
    """The checksum of the index, '' if git writes none or it cannot be read."""
    own = os.path.join(repository.facts.git_dir, 'index')
    try:
        with open(repository.environ.get('GIT_INDEX_FILE') or own, 'rb') as f:
            f.seek(-CHECKSUM, os.SEEK_END)
            end = f.read()
    except OSError:
        return ''
    return end.hex() if any(end) else ''


def _key(repository: Repository, governing: Governing) -> str:
    """Identifies one commit in progress; '' if there is none.

    The workflow must be that of HEAD, otherwise nothing is stored.
    """
    head, checksum = repository.head(), _checksum(repository)
    if head is None or not checksum:
        return ''
    path = governing.path_in(repository.tree(head.tree))
    if not path:
        return ''
    # git runs both hooks; a script in between would give each another parent
    commit = str(os.getppid())
    actor = (repository.environ.get(name, '') for name in SESSIONS)
    return _digest(__version__, checksum, *repository.parents(), path, commit, *actor)


def _path(repository: Repository) -> str:
    return os.path.join(repository.facts.git_dir, 'interlock', FILE)


def recall(judge: Judge, has_message: bool) -> Collection[str]:
    """Skip the checks that pre-commit settled; returns digests of its findings."""
    judge.log.listens = not has_message
    if not has_message:
        return ()
    with suppress(Refusal):
        data = atomic_files.read(_path(judge.repository)) or b''
        key, *lists = data.decode('ascii', 'replace').split('\n')
        if len(lists) == 2 and key == _key(judge.repository, judge.governing) != '':
            judge.log.kept = frozenset(lists[0].split())
            return lists[1].split()
    return ()


def _in_words(finding: Finding) -> str:
    where = f'{finding.path}:{finding.line}'
    parts = (finding.code, finding.severity, finding.item, where, finding.message)
    return _digest(*parts, finding.fix.said)


def _is_told_once(finding: Finding) -> bool:
    return not finding.refuses and finding.check != LOCKS


def keep(judge: Judge, report: Report, said: Collection[str]) -> Report:
    """Store a report for commit-msg; there, leave out those shown word for word."""
    if not judge.log.listens:
        left = [
            each
            for each in report.findings
            if not (_is_told_once(each) and _in_words(each) in said)
        ]
        return report._replace(findings=left)
    settled = judge.log.settled_by_trees - {LOCKS}
    key = _key(judge.repository, judge.governing) if settled else ''
    if key and not report.refuses:
        told = [_in_words(each) for each in report.findings if _is_told_once(each)]
        text = '\n'.join((key, ' '.join(sorted(settled)), ' '.join(told)))
        path = _path(judge.repository)
        # if writing fails, commit-msg judges and reports everything again
        with suppress(Refusal, OSError):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            atomic_files.replace_cache(path, text.encode())
    return report
