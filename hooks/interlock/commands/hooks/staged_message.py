"""What is wrong with a commit that is not made yet."""

from __future__ import annotations

import os
from typing import NamedTuple

from interlock.commands.hooks.staged import judge_staged
from interlock.documents import message as messages
from interlock.engine.judge import read_message
from interlock.engine.open_repository import opened
from interlock.files.atomic_files import read
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.finding import Finding

# of a merge or a pick that goes on, and of the commit that was tried last
FILES = ('MERGE_MSG', 'COMMIT_EDITMSG')


class OfIndex(NamedTuple):
    findings: tuple[Finding, ...] = ()
    # which message was judged, or that none was; '' where nothing is staged
    said: str = ''


def _is_staged(repository: Repository, head: Commit) -> bool:
    touched, _ = repository.git.diff_index(head.tree)
    return bool(touched) and 'U' not in touched.values()


def _file(repository: Repository, head: Commit) -> str:
    """The message file that is not of the last commit, '' if none is."""
    for name in FILES:
        path = os.path.join(repository.facts.git_dir, name)
        if read(path) is None:
            continue
        text = read_message(path, repository)
        if text.subject and text != messages.parse(head.message):
            return path
    return ''


def of_index(config: str) -> OfIndex:
    """What is wrong with what is staged, and with its message if it has one."""
    with opened() as repository:
        head = repository.head()
        if head is None or not _is_staged(repository, head):
            return OfIndex()
        path = _file(repository, head)
    found = judge_staged(path or None, (), config=config).findings
    if not path:
        return OfIndex(
            tuple(found),
            (
                'rules about messages are judged where there is one: '
                'interlock check --staged --message FILE'
            ),
        )
    return OfIndex(tuple(found), f'what is staged is judged with the message in {path}')
