"""A commit and the state files written for it: both happen, or neither.

The journal entry records the state before. If the commit was made, it is
finished: its files are brought into the index. Otherwise everything is undone.
After an interruption the next command does that.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import time

from interlock.documents import message as messages
from interlock.files import atomic_files
from interlock.git import index
from interlock.git.git import Git, GitError
from interlock.git.git_paths import COMMITTING
from interlock.git.parse import Commit
from interlock.model.errors import Busy, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence
from interlock.transactions import journal as journals
from interlock.transactions.journal import (
    Changes,
    FileStep,
    Journal,
    checksum,
    discard,
    make_folder,
    unlink,
)

# seconds to wait for the index lock of another process
WAIT = 10.0


class Undo(NamedTuple):
    """The former content of a state file."""

    path: str
    # None if there was no file
    old: bytes | None
    # the checksum of the new content
    new: str
    # the temporary file for the old content, before it is renamed into place
    back: str


class Rollback(NamedTuple):
    # the files that were put back
    restored: tuple[str, ...] = ()
    # files that another process had changed: left alone, or saved elsewhere
    left: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def undo_steps(changes: Changes) -> tuple[Undo, ...]:
    return tuple(
        Undo(path, old, checksum(new), atomic_files.temporary_name(path))
        for path, (old, new) in changes.items()
    )


def _restore(each: Undo) -> None:
    if each.old is None:
        atomic_files.remove(each.path)
        return
    unlink(each.back)
    make_folder(os.path.dirname(each.path))
    atomic_files.write_new(each.back, each.old, like=each.path)
    atomic_files.rename(each.back, each.path)


def _keep(folder: str, path: str, data: bytes) -> str:
    """Save a file that is not ours and could not stay; returns its new path."""
    make_folder(folder)
    kept = os.path.join(folder, f'{time.time_ns()}-{os.path.basename(path)}')
    atomic_files.write_new(kept, data)
    return kept


def undo(
    entries: Sequence[Undo], steps: Sequence[FileStep], keep_in: str = ''
) -> Rollback:
    """Restore every state file.

    A file that another process changed is left alone. With `keep_in` it is
    restored and the change is saved there: while a commit runs, only its hooks
    change files.
    """
    restored, left, kept = [], [], []
    begun = [step.path for step in steps if step.temporary and step.pending]
    for each in entries:
        current = atomic_files.read(each.path)
        if current == each.old or each.path in begun:
            # not written yet
            continue
        if checksum(current) != each.new:
            if not keep_in:
                left.append(each.path)
                continue
            kept.append(_keep(keep_in, each.path, current or b''))
        _restore(each)
        restored.append(each.path)
    discard(steps)
    for each in entries:
        unlink(each.back)
    return Rollback(tuple(restored), tuple(left), tuple(kept))


class BegunCommit(NamedTuple):
    git_dir: str
    top: str
    # the user's index, and the one from which the commit is made
    users: str
    scratch: str
    # the parent commit, '' for the first commit
    before: str
    tree: str
    subject: str
    # path -> `MODE OID` in the index: before, and after
    was: Mapping[str, str]
    wanted: Mapping[str, str]
    # path -> the same in the commit, for the paths it changes
    staged: Mapping[str, str]
    undo: tuple[Undo, ...]


class CommitOutcome(NamedTuple):
    # '' if it was not made
    commit: str
    undone: Rollback = Rollback()
    # another process committed at the same time
    overtaken: bool = False


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _as_json(begun: BegunCommit) -> dict[str, Any]:
    undo = [{**each._asdict(), 'old': _text(each.old)} for each in begun.undo]
    return {**begun._asdict(), 'undo': undo}


def _from_json(stored: dict[str, Any]) -> BegunCommit:
    undo = tuple(
        Undo(each['path'], _bytes(each['old']), each['new'], each['back'])
        for each in stored['undo']
    )
    return BegunCommit(**{**stored, 'undo': undo})


def _git(begun: BegunCommit) -> Git:
    """git in the place where the commit began, wherever we are now."""
    return Git(
        {
            **os.environ,
            'GIT_DIR': begun.git_dir,
            'GIT_WORK_TREE': begun.top,
            'GIT_INDEX_FILE': begun.users,
        },
        begun.top,
    )


def _is_ours(begun: BegunCommit, subject: str, changed: index.Changed) -> bool:
    """Whether a commit is ours: a hook may change its message or its content,
    not both."""
    if messages.parse(subject).subject == begun.subject:
        return True
    after = {path: new for path, (_, new) in changed.items()}
    return all(after.get(path) == entry for path, entry in begun.staged.items())


def _first_since(begun: BegunCommit, git: Git) -> Commit | None:
    """The first commit made on the parent, None if there is none."""
    head = git.resolve('HEAD')
    if head is None or head == begun.before:
        return None
    parents = tuple(filter(None, [begun.before]))
    commit = git.commit(head)
    if commit is None or commit.parents == parents:
        return commit
    # a hook or another process made one more commit
    since = [f'^{begun.before}'] if begun.before else []
    oids = git.run('rev-list', '--first-parent', head, *since, '--').split()
    commit = git.commit(oids[-1].decode()) if oids else None
    return commit if commit and commit.parents == parents else None


def _made(begun: BegunCommit, git: Git) -> tuple[str, index.Changed]:
    """The id of our commit and its changes, '' if it was not made."""
    commit = _first_since(begun, git)
    if commit is None:
        return '', {}
    changed = index.between(git, begun.before, commit.oid)
    is_ours = _is_ours(begun, commit.message, changed)
    return commit.oid if is_ours else '', changed


def _took_back(begun: BegunCommit, git: Git) -> bool:
    """Take our commit back if another one came between our check and git's: it
    would undo that one."""
    head = git.resolve('HEAD')
    commit = git.commit(head) if head else None
    if (
        head is None
        or commit is None
        or commit.tree != begun.tree
        or len(commit.parents) != 1
        or begun.before in commit.parents
        or messages.parse(commit.message).subject != begun.subject
    ):
        return False
    git.run(
        'update-ref', '-m', 'interlock: HEAD had moved', 'HEAD', commit.parents[0], head
    )
    return True


def _finish(begun: BegunCommit, git: Git, commit: str, changed: index.Changed) -> None:
    """Bring the committed files into the index, and nothing else."""
    entries = dict(begun.wanted)
    was = dict(begun.was)
    for path, (old, new) in changed.items():
        if begun.staged.get(path) != new and was.get(path, old) == old:
            # a hook changed the content of the commit
            entries[path], was[path] = new, old
    until = time.monotonic() + WAIT
    while True:
        try:
            now = index.entries(git)
            index.put(
                git,
                {
                    path: entry
                    for path, entry in entries.items()
                    if now.get(path, '') == was[path]
                },
            )
            index.refresh(git)
            return
        except GitError as e:
            if not os.path.exists(f'{begun.users}.lock'):
                raise
            elif time.monotonic() > until:
                lock = shlex.quote(f'{begun.users}.lock')
                raise Busy(
                    f'{commit[:10]} was committed, but the index is locked '
                    f'({e.error}), and does not show it yet; once no git process '
                    f'holds it, the next interlock command finishes that',
                    f'rm -f {lock} && interlock registry show',
                ) from None
        time.sleep(journals.PAUSE)


def _settle(
    begun: BegunCommit, steps: Sequence[FileStep], keep_in: str = ''
) -> CommitOutcome:
    git = _git(begun)
    try:
        made, changed = _made(begun, git)
        if made:
            _finish(begun, git, made, changed)
            discard(steps)
            return CommitOutcome(made)
        overtaken = _took_back(begun, git)
        return CommitOutcome('', undo(begun.undo, steps, keep_in), overtaken)
    finally:
        git.close()


def commit(
    journal: Journal,
    begun: BegunCommit,
    changes: Changes,
    message: bytes,
    environ: Mapping[str, str],
) -> CommitOutcome:
    """Write the state files and commit; undo both if git refuses."""
    entry = journal.begin(changes, journals.COMMIT, {'commit': _as_json(begun)})
    # git and its hooks hold this lock too: if we are killed, the next command
    # sees by it that they are still running
    fd = os.open(entry.path, os.O_RDWR)
    try:
        journals.try_lock(fd)
        try:
            entry.apply()
            _run(begun, message, {**environ, COMMITTING: entry.path}, fd)
        finally:
            kept = os.path.join(os.path.dirname(journal.directory), 'kept')
            settled = _settle(begun, entry.steps, kept)
            unlink(entry.path)
    finally:
        os.close(fd)
    return settled


def _run(
    begun: BegunCommit, message: bytes, environ: Mapping[str, str], fd: int
) -> None:
    """Run git commit; HEAD shows the outcome, whatever git says."""
    git = Git({**environ, 'GIT_INDEX_FILE': begun.scratch})
    try:
        if (git.resolve('HEAD') or '') != begun.before:
            return
    finally:
        git.close()
    git.as_user(
        # objects that only the user's index refers to must not be collected
        '-c',
        'gc.auto=0',
        '-c',
        'maintenance.auto=false',
        '-c',
        'i18n.commitEncoding=UTF-8',
        'commit',
        '--quiet',
        '--cleanup=whitespace',
        '-F',
        '-',
        data=message,
        kept=fd,
    )


def recover(path: str, steps: Sequence[FileStep]) -> Sequence[str]:
    """Settle what a killed command began; returns files that others changed."""
    fd = os.open(path, os.O_RDWR)
    try:
        if not journals.try_lock(fd):
            raise Busy(
                'a commit that was begun is still running',
                'wait for git and its hooks, or end them',
            )
        begun = _stored(path)
        if not os.path.isdir(begun.git_dir) or not os.path.isdir(begun.top):
            # the worktree is gone, and its state files too
            return ()
        return _settle(begun, steps).undone.left
    finally:
        os.close(fd)


def _stored(path: str) -> BegunCommit:
    try:
        return _from_json(json.loads(atomic_files.read(path) or b'')['commit'])
    except (ValueError, KeyError, TypeError):
        raise Refusal(
            f'{path} is damaged, and a command was killed before its commit',
            f'git status; rm {quoted([path])}',
        ) from None
