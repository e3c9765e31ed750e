"""The updates of a push, as git gives them to hooks, and their commits."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.git.git import GitError
from interlock.git.parse import Commit, text
from interlock.git.repository import Commits, Repository
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence

HEADS = 'refs/heads/'
TAGS = 'refs/tags/'
# where lock records are kept: as custom refs, or as branches where a server
# accepts nothing else
LOCK_RECORDS = ('refs/interlock/', 'refs/heads/interlock/')


class Update(NamedTuple):
    # the name of the ref on the remote side
    ref: str
    # '' for a new ref, or a deleted one
    old: str
    new: str

    @property
    def is_lock_record(self) -> bool:
        # a server may ignore case in names
        return self.ref.lower().startswith(LOCK_RECORDS)


class Push(NamedTuple):
    # '' for a range
    ref: str
    # the parent of the first commit; None for an unrelated history
    base: Commit | None
    # the commits to judge, oldest first
    commits: Commits
    # the workflow of the first of these that has one governs the step of the ref
    governors: Sequence[Commit]
    # None if the range is empty or the ref is deleted
    tip: Commit | None
    # the old tip of the ref, None for a new ref
    old: Commit | None = None
    # whether all other branches are compared with this one
    is_main: bool = False


def _oid(word: str) -> str:
    return '' if set(word) == {'0'} else word


def _words(data: bytes, count: int) -> Iterator[list[str]]:
    for line in text(data).splitlines():
        # a local revision may have any name, even `HEAD@{1 day ago}`
        words = line.rsplit(' ', count - 1)
        if len(words) != count:
            raise Refusal(f'git gave a line that is not understood: {line!r}')
        yield words


def of_pre_push(data: bytes) -> list[Update]:
    return [Update(ref, _oid(old), _oid(new)) for _, new, ref, old in _words(data, 4)]


def of_pre_receive(data: bytes) -> list[Update]:
    return [Update(ref, _oid(old), _oid(new)) for old, new, ref in _words(data, 3)]


def _symbolic(repository: Repository, ref: str) -> str:
    """What a ref says that only names another one."""
    folder = repository.facts.common_dir
    if os.path.isdir(os.path.join(folder, 'reftable')):
        # refs are in no files of their own
        try:
            return 'ref: ' + repository.git.line('symbolic-ref -q', ref)
        except GitError:
            return ''
    return text(read(os.path.join(folder, ref)) or b'').strip()


def target_ref(repository: Repository, ref: str) -> str:
    """The ref that a symbolic ref points to; any other ref is returned as it is."""
    seen = {''}
    while ref not in seen:
        seen.add(ref)
        start, _, target = _symbolic(repository, ref).partition('ref: ')
        if not start and target:
            ref = target
    return ref


def followed_updates(repository: Repository, updates: list[Update]) -> list[Update]:
    return [Update(target_ref(repository, ref), *oids) for ref, *oids in updates]


def _fork(
    repository: Repository, commit: Commit, other: Commit | None
) -> Commit | None:
    """The newest common ancestor of two commits."""
    oid = repository.ancestry.base(other.oid, commit.oid) if other else ''
    return repository.commit(oid) if oid else None


def _found(repository: Repository, oid: str) -> Commit | None:
    found = repository.git.resolve(oid) if oid else None
    return repository.git.commit(found) if found else None


def _require(repository: Repository, update: Update) -> None:
    """Refuse an update whose new object is missing: it could be anything.

    An object that is here but is not a commit is a tag of something else.
    """
    name = f'{update.new}^{{}}'
    if update.new and repository.git.objects.read(name) is None:
        raise Refusal(
            f'{update.new[:10]}, which is pushed to {update.ref}, is not in '
            f'the repository',
            'git fsck',
        )


def push_of_update(
    repository: Repository,
    update: Update,
    default: Commit | None,
    main: str,
    known: Sequence[str] = (),
) -> Push | None:
    """What an update of a ref brings, None if it is not a commit.

    A deleted branch brings nothing and has no tip.

    `default` is the tip of the branch `main`, with which others are compared.
    Without it, `known` holds rev-list arguments for the commits that the other
    side has. A commit on another ref need not have been judged there.
    """
    tip = _found(repository, update.new)
    old = _found(repository, update.old)
    is_main = bool(main) and update.ref == HEADS + main
    if not update.new and old and update.ref.startswith(HEADS):
        return Push(update.ref, None, repository.all_of([]), [old], None, old, is_main)
    elif tip is None:
        _require(repository, update)
        return None
    fork = None if is_main else _fork(repository, tip, default)
    without = [f'^{each.oid}' for each in (old, fork and default) if each]
    if not without:
        without = list(known)
    commits = repository.leading_to(tip.oid, *without)
    base = old if is_main and old else fork or old
    if default is None and base is None:
        base = _boundary(repository, tip, known)
    # a new branch is judged as if it were the main one
    governors = (old, default) if old else (default, base)
    return Push(
        update.ref, base, commits, tuple(filter(None, governors)), tip, old, is_main
    )


def _boundary(
    repository: Repository, tip: Commit, known: Sequence[str]
) -> Commit | None:
    """The newest commit before a new branch that the other side has."""
    command = 'rev-list --boundary --first-parent'
    lines = repository.git.line(command, tip.oid, *known, '--').split('\n')
    found = [line[1:] for line in lines if line.startswith('-')]
    return repository.commit(found[-1]) if found else None


def of_range(repository: Repository, revisions: str) -> Push:
    """A range, governed by the workflow where it starts (`A`, also in `A...B`)."""
    found = repository.range(revisions)
    tip = found.commits[-1] if found.commits else None
    # usually the range follows its base, and git need not look for it
    follows = found.commits and found.base.oid in found.commits[0].parents
    # an unrelated history replaces the start
    fork = None if follows or tip is None else _fork(repository, tip, found.base)
    base = fork or found.base
    governors = tuple(filter(None, (found.start, base)))
    return Push('', base, found.commits, governors, tip)


def remote_name(repository: Repository, remote: str) -> str:
    """The name of the remote that a push goes to, even if only its URL is
    given; '' if it has none."""
    for line in repository.git.line('remote -v').split('\n'):
        name, _, rest = line.partition('\t')
        if remote and remote in {name, rest.removesuffix(' (push)')}:
            return name
    return ''


def known_to_remote(
    repository: Repository, remote: str, updates: Sequence[Update]
) -> list[str]:
    """rev-list arguments for the commits that a remote has, as far as we know."""
    known = [f'^{update.old}' for update in updates if _found(repository, update.old)]
    if remote:
        known += ['--not', f'--remotes={remote}']
    return known


def main_of_remote(repository: Repository, remote: str) -> str:
    """The main branch of a remote, '' if this clone does not know it."""
    above = f'refs/remotes/{remote}/'
    try:
        found = repository.git.line('symbolic-ref -q', f'{above}HEAD') if remote else ''
    except GitError:
        found = ''
    return found.removeprefix(above) if found.startswith(above) else ''


def main_branch(repository: Repository) -> str:
    """The branch of the main worktree, or of a bare repository."""
    start, _, branch = target_ref(repository, 'HEAD').partition(HEADS)
    return '' if start else branch


def on_main(repository: Repository, tip: Commit | None) -> str:
    """The name of the main branch if it contains the commit, else ''."""
    branch = main_branch(repository)
    head = _found(repository, HEADS + branch) if branch else None
    if tip is None or head is None or not repository.is_ancestor(tip, head):
        return ''
    return branch


def head_of_remote(repository: Repository, remote: str) -> Commit | None:
    if not remote:
        return None
    return _found(repository, f'refs/remotes/{remote}/HEAD')
