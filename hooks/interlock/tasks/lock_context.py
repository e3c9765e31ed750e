"""In whose worktree a change is made, and who holds its lock."""

from __future__ import annotations

from interlock.documents.message import parse
from interlock.documents.trailers import LOCK, TASK, Generation, generation, task
from interlock.files.actor import actor
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.actor import Actor
from interlock.model.change import Blob, Change, Site
from interlock.model.quick_typing import Collection, Mapping, Sequence
from interlock.tasks import lock_holders, task_layout
from interlock.tasks.engines.register import GRANT
from interlock.tasks.lock_generations import Generations
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_checkouts import task_here
from interlock.tasks.task_layout import Workspace
from interlock.tasks.task_merge import Incoming, TaskBranches, records
from interlock.workflow.language.spec import Workflow

# the engine said that the lock is no longer ours
LOST = 'lost'


def _site(space: Workspace, task: str, who: Actor, asks: bool) -> Site:
    """A worktree and its lock; `task` is '' for the main worktree."""
    name = task or space.protocol.main.name
    found = lock_holders.lock_of(space, name)
    unconfirmed = _unconfirmed(space, name, found, who) if asks else ''
    if unconfirmed == LOST:
        found, unconfirmed = lock_holders.lock_of(space, name), ''
    if found is None:
        return Site(
            space.kind.name, task, who, locks_of(space).place(name), False, None, ''
        )
    blob = None
    if found.data is not None:
        blob = Blob('', len(found.data), found.data)
    return Site(
        space.kind.name,
        task,
        who,
        found.path,
        True,
        blob,
        lock_holders.holder_text(found),
        lock_holders.is_given(space, name, found.lock),
        _grant(space, name, found),
        found.doubt,
        unconfirmed,
    )


def _unconfirmed(space: Workspace, name: str, held: Held | None, who: Actor) -> str:
    """Since when the engine has not confirmed a lock of ours, '' if it has."""
    if held is None or not held.is_held_by(who.session):
        return ''
    elif not locks_of(space).is_stale(name):
        return ''
    from interlock.tasks.lock_confirmation import AT_COMMIT, confirm_quickly

    found = confirm_quickly(space, name, AT_COMMIT)
    return found.since if found.is_ours else LOST


def _grant(space: Workspace, name: str, held: Held) -> str:
    """The beginning of the token of a lock, '' if it is unknown."""
    grant = locks_of(space).grant(name)
    if grant is None or grant.lost or grant.generation != held.lock.generation:
        return ''
    return grant.token[:GRANT]


def sites(
    repository: Repository, governing: Governing, workflow: Workflow, asks: bool = False
) -> list[Site]:
    """The task that a commit here works on, then that of the worktree if it differs.

    The branch decides whose work it is, wherever it is checked out. The list is
    empty where neither the branch nor the worktree belongs to a task, and the
    worktree is not the main one. `asks`: ask the engine about a lock that has not been
    confirmed for long.
    """
    space = task_layout.workspace_of(repository, governing, workflow)
    if space is None:
        return []
    task, place = task_here(repository, space), space.place(repository.facts.top)
    names = [task] if task else []
    if place is not None and place.task not in names:
        names.append(place.task)
    who = actor(repository.environ, space.state)
    return [_site(space, name, who, asks) for name in names]


def _raise_numbers(newest: dict[str, int], other: Mapping[str, int]) -> None:
    for name, number in other.items():
        newest[name] = max(number, newest.get(name, 0))


class LockContext:
    """Adds to changes what their tasks and locks say about them."""

    def __init__(self, repository: Repository, governing: Governing) -> None:
        self._repository = repository
        self._governing = governing
        # commit -> the newest generations up to and including it
        self._known: dict[str, dict[str, int]] = {}
        # the commits being judged: none of them vouches for itself
        self._arriving: Collection[str] = ()
        # commit -> the task that it, or the nearest commit before it, names
        self._tasks: dict[str, str] = {}
        self._branches = TaskBranches(repository)
        self._generations = Generations(repository)

    def added_to(
        self,
        changes: Sequence[Change],
        workflow: Workflow,
        is_here: bool,
        arriving: Collection[str] = (),
    ) -> list[Change]:
        """One change, given once for each parent, with its tasks and locks.

        `arriving` are the commits that are judged together with it.
        """
        commit, message = changes[0].commit, changes[0].message
        self._arriving = arriving or (commit,)
        if message is not None:
            made = generation(message)
            given = made is None or self._is_given(made)
            changes = [change._replace(is_generation_given=given) for change in changes]
        if commit:
            return self._committed(changes, workflow, commit)
        elif not is_here:
            return list(changes)
        found = sites(self._repository, self._governing, workflow, asks=True)
        where = found[0] if found else None
        parents = self._repository.parents()
        merged = self._merged(parents)
        locked = self._locked(changes[0], workflow)
        changes = [
            change._replace(
                site=where, around=tuple(found[1:]), merged=merged, locked=locked
            )
            for change in changes
        ]
        if where is None or where.task or not parents:
            return changes
        squashed = self._branches.squashed_tasks()
        return [
            self._arrived(
                change._replace(merged=(*merged, *squashed)), parents, workflow, ''
            )
            for change in changes
        ]

    def _locked(self, change: Change, workflow: Workflow) -> tuple[str, ...]:
        """The tasks that are locked here, if the workflow changes."""
        if not {workflow.path, *workflow.extended} & set(change.touched):
            return ()
        space = task_layout.workspace_of(self._repository, self._governing, workflow)
        if space is None:
            return ()
        main = space.protocol.main.name
        _, found = locks_of(space).of_session('', space.names())
        return tuple(name for name in found if name != main)

    def _committed(
        self, changes: Sequence[Change], workflow: Workflow, commit: str
    ) -> list[Change]:
        made = self._repository.commit(commit)
        text = parse(made.message)
        own, follows = task(text), self._follows(made)
        is_asked = generation(text) or own or follows
        found = [
            change._replace(
                merged=self._merged(made.parents),
                # for all commits, a long history would be read again and again
                generations=self._before(made) if is_asked else {},
                task=own or follows,
            )
            for change in changes
        ]
        if not made.parents:
            return found
        return [self._arrived(change, made.parents, workflow, own) for change in found]

    def _arrived(
        self, change: Change, parents: Sequence[str], workflow: Workflow, own: str
    ) -> Change:
        """Add the tasks whose work the change brings, and the work it leaves behind."""
        protocol = task_layout.task_kind(workflow).protocol
        assert protocol is not None, 'task_kind looked'
        # the first parent is the branch that the work is merged into
        first, is_merge = change.from_first_parent, len(parents) > 1
        made = Incoming(
            change.commit, parents[0], frozenset(first.touched), records(protocol)
        )
        whole, left = self._branches.arriving_tasks(first, made, protocol, own)
        merged = change.merged if is_merge else (*change.merged, *whole)
        return change._replace(merged=tuple(dict.fromkeys(merged)), left_behind=left)

    def _merged(self, parents: Sequence[str]) -> tuple[str, ...]:
        """The tasks of the commits that a merge brings in."""
        if len(parents) < 2:
            return ()
        first, *others = parents
        texts = self._repository.git.messages(f'^{TASK}: ', *others, f'^{first}')
        found = {task(parse(text)): None for text in texts}
        return tuple(name for name in found if name)

    def _is_given(self, made: Generation) -> bool:
        return self._generations.is_given(made, self._arriving)

    def _follows(self, commit: Commit) -> str:
        """The task that the nearest commit before this one names."""
        parent = commit.parents[0] if commit.parents else ''
        if parent and parent not in self._tasks:
            self._tasks[parent] = self._named(parent)
        before = self._tasks.get(parent, '')
        self._tasks[commit.oid] = task(parse(commit.message)) or before
        return before

    def _named(self, oid: str) -> str:
        """The task that a commit, or the nearest commit before it, names."""
        # read all messages only if the newest just mentions the trailer in its text
        for limit in (('-1',), ()):
            texts = self._repository.git.messages(
                f'^{TASK}: ', *limit, '--first-parent', oid
            )
            for text in texts:
                name = task(parse(text))
                if name:
                    return name
        return ''

    def _before(self, commit: Commit) -> dict[str, int]:
        newest: dict[str, int] = {}
        for parent in commit.parents:
            _raise_numbers(newest, self._up_to(parent))
        self._known[commit.oid] = dict(newest)
        own = generation(parse(commit.message))
        if own is not None and self._is_given(own):
            _raise_numbers(self._known[commit.oid], {own.counter: own.number})
        return newest

    def _up_to(self, oid: str) -> dict[str, int]:
        if oid not in self._known:
            newest: dict[str, int] = {}
            for text in self._repository.git.messages(f'^{LOCK}: ', oid):
                found = generation(parse(text))
                if found is not None and self._is_given(found):
                    _raise_numbers(newest, {found.counter: found.number})
            self._known[oid] = newest
        return self._known[oid]
