"""How to fix existing commits without an editor.

A hook judges `git commit --amend` against the commit that it replaces. So
amending a bad step away would be refused as a step back. Instead the commit is
first reset to the index, where everything can be fixed as before the commit.
"""

from __future__ import annotations

from interlock.git.parse import Commit
from interlock.git.push_updates import HEADS, Push
from interlock.git.repository import Repository
from interlock.model.finding import Fix
from interlock.model.quick_typing import Collection, Sequence
from interlock.model.report import Undo

REPLAY = 'replay the commits; it stops at each that is refused, to be fixed'
# for a commit that others follow: a fix at the tip would not help
THERE = Fix('fix it when the replay of the commits stops there', '')
KEEP = 'keep the commits that the push would drop'
FIRST = 'push the change of the rules first'
AGAIN = 'commit it again'
CHECK = "--exec 'interlock check --range HEAD^..HEAD'"


def rewriting(
    repository: Repository, pushes: Sequence[Push], guilty: Collection[str]
) -> tuple[Fix | None, Undo | None]:
    """The last and the first command of the fix.

    Both are None if the commits are published, or if one command is not
    enough.
    """
    refused = [
        push for push in pushes if any(oid in guilty for oid in push.commits.oids)
    ]
    if len(refused) != 1:
        return None, None
    (push,) = refused
    at = [oid in guilty for oid in push.commits.oids].index(True)
    first, *later = push.commits[at:]
    where = _where(repository, push)
    if where is None or _is_published(repository, push, first):
        return None, None
    elif later:
        return _replayed(first, later, where), None
    elif not first.parents:
        # a root commit makes no step that could be undone
        return Fix('fix the commit', 'git commit --all --amend --no-edit'), None
    switch = f'git switch -q {where} && ' if where else ''
    return (
        Fix(AGAIN, _committed_again(first)),
        Undo(first.oid, f'{switch}{_taken_back(first)}'),
    )


def kept_commits(repository: Repository, push: Push, old: Commit) -> Fix | None:
    """The fix for a push that drops commits, None for any other."""
    tip = push.tip
    if (
        tip is None
        or repository.is_ancestor(old, tip)
        or not repository.ancestry.is_related(tip.oid, old.oid)
    ):
        return None
    where = _where(repository, push)
    if where is None:
        # the user has it under another name, if at all
        return Fix(f'{KEEP}: rebase what is pushed onto {old.oid[:10]}', '')
    return Fix(KEEP, f'git rebase -q {old.oid[:10]} {where}'.rstrip())


def rules_first(push: Push, oid: str, remote: str, is_protected: bool) -> Fix:
    """The fix for work under rules of its own push: they govern the next one."""
    if not is_protected:
        return Fix(f'{FIRST}: merge {oid[:10]} into the main branch', '')
    elif not remote:
        return Fix(f'{FIRST}: {oid[:10]}, and then the rest', '')
    import shlex

    target = f'{oid[:10]}:{push.ref}'
    return Fix(FIRST, f'git push {shlex.quote(remote)} {shlex.quote(target)}')


def _committed_again(commit: Commit) -> str:
    again = f'git commit --all -C {commit.oid[:10]}'
    if len(commit.parents) > 1:
        # the fix never empties it: its other side remains
        return again
    # the fix may leave nothing to commit; a staged rest would stop the rebase
    return f'git diff --quiet HEAD && git reset -q || {again}'


def _taken_back(commit: Commit) -> str:
    oid = commit.oid[:10]
    if len(commit.parents) == 1:
        return f'git reset -q --soft {oid}^'
    others = ' '.join(f'{oid}^{at}' for at in range(2, len(commit.parents) + 1))
    # start the merge again, so that it keeps its other side and its content
    return (
        f'git reset -q --keep {oid}^ && git merge -q --no-commit --no-ff -s ours '
        f'{others} && git read-tree -m -u {oid}'
    )


def _replayed(first: Commit, later: Sequence[Commit], where: str) -> Fix:
    words = [
        'git rebase',
        '--rebase-merges'
        if any(len(each.parents) > 1 for each in (first, *later))
        else '',
        CHECK,
        f'{first.oid[:10]}^' if first.parents else '--root',
        where,
    ]
    return Fix(REPLAY, ' '.join(filter(None, words)))


def _where(repository: Repository, push: Push) -> str | None:
    """The branch to name, '' if it is checked out, None if unknown."""
    tip = push.tip.oid if push.tip else ''
    is_here = bool(repository.facts.top)
    if is_here and repository.git.resolve('HEAD') == tip:
        return ''
    elif not push.ref.startswith(HEADS):
        return None
    elif is_here and repository.git.resolve(push.ref) != tip:
        # the branch has another name here
        return None
    # most pushes are not refused
    import shlex

    return shlex.quote(push.ref[len(HEADS) :])


def _is_published(repository: Repository, push: Push, first: Commit) -> bool:
    """Whether others may have the commits; False for a range, which CI judges
    only once it is published."""
    if not push.ref or not repository.facts.top:
        return False
    return bool(
        repository.git.line(
            'for-each-ref', '--count=1', f'--contains={first.oid}', 'refs/remotes'
        )
    )
