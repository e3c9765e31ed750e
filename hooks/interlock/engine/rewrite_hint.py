"""How to fix commits that were made already.

A command that fixes files only helps where the commit is checked out.
"""

from __future__ import annotations

import shlex

from interlock.git.parse import Commit
from interlock.git.push_updates import HEADS, Push
from interlock.git.repository import Repository
from interlock.model.finding import Fix
from interlock.model.quick_typing import Collection, Sequence

EDIT = 'mark the commits named above as `edit` and fix each where it stops'
BREAK = (
    'mark the commits named above as `edit`, put `break` behind merges, and '
    'fix each where it stops'
)


def rewriting(
    repository: Repository, pushes: Sequence[Push], guilty: Collection[str]
) -> Fix | None:
    """None if they are published, or if it takes more than one command."""
    refused = [
        push for push in pushes if any(oid in guilty for oid in push.commits.oids)
    ]
    if len(refused) != 1:
        return None
    (push,) = refused
    at = [oid in guilty for oid in push.commits.oids].index(True)
    first, *later = push.commits[at:]
    where = _where(repository, push)
    if where is None or _is_published(repository, push, first):
        return None
    elif not later and not where:
        return Fix('fix the commit', 'git commit --all --amend')
    return _rebase(first, later, guilty, where)


def _rebase(
    first: Commit, later: Sequence[Commit], guilty: Collection[str], where: str
) -> Fix:
    merges = [each for each in (first, *later) if len(each.parents) > 1]
    words = [
        'git rebase -i',
        '--rebase-merges' if merges else '',
        f'{first.oid[:10]}^' if first.parents else '--root',
        where,
    ]
    stops = any(each.oid in guilty for each in merges)
    return Fix(BREAK if stops else EDIT, ' '.join(filter(None, words)))


def _where(repository: Repository, push: Push) -> str | None:
    """The branch to be named, '' where it is checked out, None if unknown."""
    tip = push.tip.oid if push.tip else ''
    is_here = bool(repository.facts.top)
    if is_here and repository.git.resolve('HEAD') == tip:
        return ''
    elif not push.ref.startswith(HEADS):
        return None
    elif is_here and repository.git.resolve(push.ref) != tip:
        # it has another name here
        return None
    return shlex.quote(push.ref[len(HEADS) :])


def _is_published(repository: Repository, push: Push, first: Commit) -> bool:
    """Whether others may have it: not told of a range, which CI judges when
    it is."""
    if not push.ref or not repository.facts.top:
        return False
    return bool(
        repository.git.line(
            'for-each-ref', '--count=1', f'--contains={first.oid}', 'refs/remotes'
        )
    )
