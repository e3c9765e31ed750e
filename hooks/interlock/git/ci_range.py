"""What a run of CI judges whose runner does not name both ends of it."""

from __future__ import annotations

from typing import NamedTuple

from interlock.git.push_updates import HEADS, Push, of_range
from interlock.git.repository import UNSHALLOW, Repository
from interlock.model.errors import Refusal

GIVE = 'interlock check --range A..B'
# in full: a tag may have any name, `origin/main` too
REMOTE = 'refs/remotes/origin'
GUESSES = ('@{upstream}', f'{REMOTE}/HEAD', f'{REMOTE}/main', f'{REMOTE}/master')


class Span(NamedTuple):
    # `A..B` or `A...B`; a revision alone stands for all that led to it
    revisions: str
    # where it is not what one expects
    why: str = ''
    # the branch that was pushed, from one end of it to the other, and
    # whether it is the one that others are compared with
    branch: str = ''
    is_main: bool = False

    def __str__(self) -> str:
        return f'{self.revisions} ({self.why})' if self.why else self.revisions

    def push(self, repository: Repository) -> Push:
        if '..' in self.revisions:
            push = of_range(repository, self.revisions)
            if not self.branch:
                return push
            old = repository.commit(self.revisions.partition('..')[0])
            return push._replace(ref=HEADS + self.branch, old=old, is_main=self.is_main)
        commits = repository.history(self.revisions)
        return Push('', None, commits, (), commits[-1])


def is_null(oid: str) -> bool:
    """What stands for no commit; a variable that is not set does not."""
    return bool(oid) and not oid.strip('0')


def exists(repository: Repository, rev: str) -> bool:
    return bool(rev) and repository.git.resolve(rev) is not None


def last_commit(repository: Repository, tip: str, why: str) -> Span:
    has_parent = repository.commit(tip).parents
    return Span(
        f'{tip}^..{tip}' if has_parent else tip, f'{why}: the last commit is judged'
    )


def between(repository: Repository, before: str, after: str) -> Span | None:
    """A push of which both ends are known."""
    if not before or is_null(before):
        return None
    elif not exists(repository, before):
        # in a history that is cut off it is refused for that
        cut = repository.git.is_shallow()
        return Span(f'{before}..{after}') if cut else None
    elif repository.commit(before).oid == repository.commit(after).oid:
        return last_commit(repository, after, 'nothing was pushed')
    return Span(f'{before}..{after}')


def onto_default(before: str, after: str) -> Span:
    """A push onto the default branch of which one end is not here."""
    if is_null(before):
        return Span(after, 'the first push: the whole history is judged')
    raise Refusal(
        f'{before[:10]}, which was the tip before this push, is not here: '
        f'the range of this run is not known',
        f'git fetch origin {before}',
    )


def _contains(repository: Repository, name: str, tip: str) -> bool:
    return repository.is_ancestor(repository.commit(tip), repository.commit(name))


def since_default(
    repository: Repository, branch: str, tip: str, is_settled: bool = False
) -> Span:
    """From where a commit left the default branch of the remote.

    `is_settled`: what that branch holds did not come with this run, so where
    it holds everything the last commit is judged once more.
    """
    main = f'{REMOTE}/{branch}' if branch else ''
    found = ''
    for name in (main, f'{REMOTE}/HEAD') if main else GUESSES:
        if not exists(repository, name):
            continue
        elif not _contains(repository, name, tip):
            return Span(f'{name}...{tip}')
        elif is_settled and name == main:
            return last_commit(repository, tip, f'nothing is new to {main}')
        found = found or name
    raise _unknown(repository, branch, found)


def _unknown(repository: Repository, branch: str, found: str) -> Refusal:
    if repository.git.is_shallow():
        return Refusal(
            'the range of this run is not known: the history is cut off', UNSHALLOW
        )
    elif found:
        return Refusal(
            f'the range of this run is not known: nothing is new to {found}, '
            f'and there is no branch to compare with',
            GIVE,
        )
    # a clone of one branch fetches no other by itself
    what = f' {branch}:{REMOTE}/{branch}' if branch else ''
    return Refusal(
        'the range of this run is not known: there is no branch to compare with',
        f'git fetch origin{what}, or {GIVE}',
    )
