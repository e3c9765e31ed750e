"""Whether a commit, or the main branch, contains the work of a task.

A merge brings the commits of a branch. A squash brings its contents but none of its
commits, so contents are compared.
"""

from __future__ import annotations

import os

from interlock.documents import message, trailers
from interlock.documents.tasks import todo
from interlock.documents.tasks.todo import Todo
from interlock.files.atomic_files import read
from interlock.git.git import Git, GitError
from interlock.git.parse import Commit, decode
from interlock.git.repository import Repository, cut_off
from interlock.git.worktrees import elsewhere
from interlock.model.change import Blob, Change
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple
from interlock.tasks.conditions.view import Completion, Main
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.reading.todo_entries import is_listed

HEADS = 'refs/heads/'
REMOTES = 'refs/remotes/'


def _known(git: Git, oid: str) -> Commit:
    commit = git.commit(oid)
    if commit is None:
        what = f'git does not know the commit {oid[:10]}'
        raise cut_off(what) if git.is_shallow() else Refusal(what)
    return commit


def _changed(git: Git, before: str, after: str) -> set[str]:
    old, new = _known(git, before), _known(git, after)
    return set(git.diff_trees(old.tree, new.tree))


def _touched(git: Git, commit: Commit) -> list[str]:
    """The paths that a commit changes against its first parent."""
    parents = commit.parents
    before = _known(git, parents[0]).tree if parents else git.empty_tree()
    return list(git.diff_trees(before, commit.tree))


def _base(git: Git, one: str, other: str) -> str:
    """The newest common commit, '' if there is none."""
    try:
        return git.line('merge-base', one, other)
    except GitError:
        return ''


def _is_before(git: Git, one: str, other: str) -> bool:
    return bool(one) and _base(git, one, other) == one


def records(protocol: ProtocolSpec) -> frozenset[str]:
    """The files that are written when work reaches the main branch."""
    return frozenset(filter(None, (protocol.todo, protocol.changelog)))


class Incoming(NamedTuple):
    """A change that may bring the work of a branch."""

    # '' if it is not committed yet
    commit: str
    parent: str
    touched: frozenset[str]
    records: frozenset[str]

    def differs(self, git: Git, work: str) -> set[str]:
        """The paths that differ between the work and the tree after the change."""
        if self.commit:
            return _changed(git, work, self.commit)
        return set(git.diff_index(_known(git, work).tree)[0])

    def lacks(self, git: Git, base: str, work: str, differs: set[str]) -> set[str]:
        """The paths of the work since `base` that the change does not contain."""
        # paths that the other side changed too were merged, and may differ
        merged = _changed(git, base, self.parent) & self.touched
        return (_changed(git, base, work) & differs) - merged - self.records


class TaskBranches:
    """Compares changes of a repository with the branches of tasks."""

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        self._git_dir = repository.facts.git_dir
        self._tips: Mapping[str, str] | None = None

    def _tip(self, name: str) -> str:
        """The tip of a branch, here or on a remote; '' if there is none."""
        if self._tips is None:
            out = self._git.line(
                'for-each-ref', '--format=%(objectname) %(refname)', REMOTES, HEADS
            )
            found = dict(line.split(' ', 1)[::-1] for line in out.splitlines())
            self._tips = {_short(ref): oid for ref, oid in found.items()}
        return self._tips.get(name, '')

    def _brings(self, made: Incoming, tip: str, is_open: bool) -> tuple[bool, set[str]]:
        """Whether a change holds all the work of a branch, and what it lacks."""
        git, differs = self._git, made.differs(self._git, tip)
        if is_open and not made.touched - made.records - differs:
            # no path is as on the branch, so git need not be asked more
            return False, set()
        base = _base(git, tip, made.parent)
        is_own = bool(made.commit) and _base(git, tip, made.commit) == made.commit
        if base in ('', tip) or is_own:
            return False, set()
        work = _changed(git, base, tip) - made.records
        is_whole = bool(work) and work <= made.touched - differs
        return is_whole, made.lacks(git, base, tip, differs)

    def arriving_tasks(
        self, change: Change, made: Incoming, protocol: ProtocolSpec, own: str
    ) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        """The tasks whose work arrives; and the missing work of those that the change
        completes."""
        before = change.before.parsed(protocol.todo, todo.parse) or Todo({})
        after = change.after.parsed(protocol.todo, todo.parse) or Todo({})
        whole, left = [], {}
        for name in {**before.entries, **after.entries}:
            is_open = is_listed(after, name, protocol)
            if name == own or not (is_open or is_listed(before, name, protocol)):
                continue
            tip = self._tip(expand(protocol.branch, name))
            if not tip:
                continue
            is_whole, missing = self._brings(made, tip, is_open)
            if is_whole:
                whole.append(name)
            elif not is_open and missing:
                left[name] = tuple(sorted(missing))
        return whole, left

    def squashed_tasks(self) -> list[str]:
        """The tasks of the commits that are being squashed."""
        data = read(os.path.join(self._git_dir, 'SQUASH_MSG'))
        lines = [line.strip() for line in decode(data or b'', 'UTF-8').split('\n')]
        mark = f'{trailers.TASK}: '
        return [line[len(mark) :] for line in lines if line.startswith(mark)]


def _short(ref: str) -> str:
    """The name of a branch; for a remote one, without the name of the remote."""
    if ref.startswith(HEADS):
        return ref[len(HEADS) :]
    return ref[len(REMOTES) :].partition('/')[2]


class Approved(NamedTuple):
    """The work that was shown to the user and approved."""

    task: str
    commit: str
    # the tip of the branch now, '' if it is gone
    tip: str


def _brought(git: Git, done: str, at: Approved) -> set[str]:
    """The paths that one commit changed and that differ from its source."""
    commit = _known(git, done)
    if len(commit.parents) > 1:
        source = commit.parents[1]
    elif commit.parents and not _is_before(git, at.commit, done):
        source = at.commit
    else:
        # a commit of the branch itself
        return set()
    parent = commit.parents[0]
    base = _base(git, parent, source)
    if not base:
        return set()
    brought = _changed(git, parent, done)
    theirs, ours = _changed(git, base, source), _changed(git, base, parent)
    differs = _changed(git, source, done)
    return (brought - theirs) | (brought & differs - ours)


def _is_of(git: Git, commit: Commit, at: Approved) -> bool:
    """Whether a commit, or a new commit in a merge, is work of the task."""
    first, *others = commit.parents
    found = [commit.message]
    if others:
        new = (*others, f'^{first}', f'^{at.commit}')
        found = git.messages(f'^{trailers.TASK}: ', *new)
    return any(trailers.task(message.parse(one)) == at.task for one in found)


def _later(git: Git, head: str, done: str, at: Approved) -> Iterator[Commit]:
    """The commits of the task after the approved one."""
    if not _is_before(git, at.commit, head):
        return
    own: set[str] = set()
    parents = _known(git, done).parents if done else ()
    if len(parents) > 1:
        own.update(
            git.commits('--first-parent', parents[1], f'^{at.commit}', f'^{parents[0]}')
        )
    if _is_before(git, at.tip, head):
        own.update(git.commits('--first-parent', at.tip, f'^{at.commit}'))
    line = git.commits('--first-parent', head, f'^{at.commit}')
    for oid in dict.fromkeys([*sorted(own), *line]):
        commit = _known(git, oid)
        is_merge = len(commit.parents) > 1
        if (oid in own and not is_merge) or (
            not (oid == done and is_merge) and _is_of(git, commit, at)
        ):
            yield commit


def _unapproved(git: Git, head: str, done: str, at: Approved) -> set[str]:
    """The paths on the main branch that differ from what was approved."""
    found = _brought(git, done, at) if done else set()
    for commit in _later(git, head, done, at):
        found.update(_touched(git, commit))
    return found


def _file(git: Git, commit: str, path: str) -> Blob | None:
    answer = git.objects.read(f'{commit}:{path}')
    return answer[1] if answer and answer[0] == 'blob' else None


def _todo(git: Git, commit: str, protocol: ProtocolSpec) -> Todo:
    blob = _file(git, commit, protocol.todo)
    return todo.parse(blob) if blob else Todo({})


def _completion(
    git: Git, head: str, task: str, protocol: ProtocolSpec
) -> Completion | None:
    """The newest commit that took the task off the list.

    Only first parents count: a merge brings the whole branch at once.
    """
    now = _todo(git, head, protocol)
    if now.problem is not None:
        raise Refusal(
            f'{protocol.todo} of the main branch {now.problem.message}, so it '
            f'does not tell whether the task is listed'
        )
    elif is_listed(now, task, protocol):
        return None
    out = git.line('rev-list', '--first-parent', head, '--', f':(top){protocol.todo}')
    for oid in out.split():
        commit = _known(git, oid)
        if (
            commit.parents
            and _todo(git, oid, protocol).problem is None
            and is_listed(_todo(git, commit.parents[0], protocol), task, protocol)
        ):
            paths = _touched(git, commit)
            return Completion(
                oid,
                tuple(path for path in paths if path not in records(protocol)),
                protocol.changelog in paths,
                len(commit.parents) > 1,
            )
    return None


def _holds(git: Git, head: str, work: str, done: str, protocol: ProtocolSpec) -> bool:
    """Whether the work is an ancestor, or its contents came in one new commit."""
    base = _base(git, work, head)
    if not base or base == work or not done:
        return base == work
    parent = next(iter(_known(git, done).parents), done)
    touched = frozenset(_changed(git, parent, done))
    made = Incoming(done, parent, touched, records(protocol))
    return not made.lacks(git, base, work, made.differs(git, work))


def main_branch(
    environ: Mapping[str, str],
    space: Workspace,
    task: str,
    tip: str,
    approved: str = '',
) -> Main:
    """The main branch; `tip`: that of the task's branch; `approved`: what was shown."""
    if space.without_git:
        return Main(space.without_git)
    protocol = space.protocol
    try:
        with elsewhere(environ, space.main) as git:
            head, work = git.resolve('HEAD'), approved or tip
            if head is None or not work:
                return Main('the main branch, or the task, has no commit')
            done = _completion(git, head, task, protocol)
            commit = done.commit if done else ''
            held = _holds(git, head, work, commit, protocol)
            others: set[str] = set()
            if approved and held:
                at = Approved(task, approved, tip)
                others = _unapproved(git, head, commit, at) - records(protocol)
            has_changelog = bool(
                protocol.changelog and _file(git, head, protocol.changelog)
            )
            return Main('', held, has_changelog, done, approved, tuple(sorted(others)))
    except Refusal as e:
        return Main(e.message)
