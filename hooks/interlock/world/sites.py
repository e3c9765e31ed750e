"""In whose worktree a change is made, and who holds its lock."""
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from interlock.documents.message import parse
from interlock.documents.trailers import generation
from interlock.documents.trailers import LOCK
from interlock.documents.trailers import TASK
from interlock.documents.trailers import task
from interlock.model.change import Blob
from interlock.model.change import Change
from interlock.model.change import Site
from interlock.workflow.spec import Workflow
from interlock.world import holding
from interlock.world import workspace
from interlock.world.answers import Commit
from interlock.world.branches import Branches
from interlock.world.branches import Made
from interlock.world.config import Governing
from interlock.world.identity import actor
from interlock.world.repository import Repository


def site(
        repository: Repository,
        governing: Governing,
        workflow: Workflow,
) -> Site | None:
    """None where the worktree is neither a task's nor the main one."""
    space = workspace.of(repository, governing, workflow)
    place = space.place(repository.facts.top) if space else None
    if space is None or place is None:
        return None
    name = place.task or space.protocol.main.name
    found = holding.held(space, name)
    who = actor(repository.environ)
    if found is None:
        return Site(
            space.kind.name, place.task, who, space.lock(name), False, None,
            '',
        )
    blob = None
    if found.data is not None:
        blob = Blob('', len(found.data), found.data)
    return Site(
        space.kind.name, place.task, who, found.path, True, blob,
        holding.described(found, who),
    )


def _newer(one: dict[str, int], other: Mapping[str, int]) -> None:
    for name, number in other.items():
        one[name] = max(number, one.get(name, 0))


class Sites:
    """What tasks have to do with the changes of a repository."""

    def __init__(self, repository: Repository, governing: Governing) -> None:
        self._repository = repository
        self._governing = governing
        # commit -> the newest generations of it and of all before it
        self._known: dict[str, dict[str, int]] = {}
        # commit -> the task that it, or the nearest before it, names
        self._tasks: dict[str, str] = {}
        self._branches = Branches(repository)

    def placed(
            self,
            changes: Sequence[Change],
            workflow: Workflow,
            is_here: bool,
    ) -> list[Change]:
        """One change, against each of its parents, with what is known."""
        commit = changes[0].commit
        if commit:
            return self._committed(changes, workflow, commit)
        elif not is_here:
            return list(changes)
        where = site(self._repository, self._governing, workflow)
        parents = self._repository.parents()
        merged = self._merged(parents)
        changes = [
            change._replace(site=where, merged=merged) for change in changes
        ]
        if where is None or where.task or not parents:
            return changes
        found = self._branches.squashed()
        return [
            self._arrived(
                change._replace(merged=(*merged, *found)), parent, workflow,
                '', len(parents) > 1,
            )
            for change, parent in zip(changes, parents, strict=False)
        ]

    def _committed(
            self,
            changes: Sequence[Change],
            workflow: Workflow,
            commit: str,
    ) -> list[Change]:
        made = self._repository.commit(commit)
        text = parse(made.message)
        own, follows = task(text), self._follows(made)
        is_asked = generation(text) or own or follows
        found = [change._replace(
            merged=self._merged(made.parents),
            # asked for all, a long history would be read again and again
            generations=self._before(made) if is_asked else {},
            follows=own or follows,
        ) for change in changes]
        # the first commit has no parents; a whole push is one change, though
        # a merge may be its last commit, and each commit was asked before
        if len(found) != len(made.parents):
            return found
        return [
            self._arrived(
                change, parent, workflow, own, len(made.parents) > 1,
            )
            for change, parent in zip(found, made.parents, strict=True)
        ]

    def _arrived(
            self,
            change: Change,
            parent: str,
            workflow: Workflow,
            own: str,
            is_merge: bool,
    ) -> Change:
        """With what the branches of tasks, by their contents, say to it."""
        protocol = workspace.task_kind(workflow).protocol
        assert protocol is not None, 'task_kind looked'
        made = Made(
            change.commit, parent, frozenset(change.touched),
            frozenset(filter(None, (protocol.todo, protocol.changelog))),
        )
        whole, left = self._branches.arrived(change, made, protocol, own)
        merged = change.merged if is_merge else (*change.merged, *whole)
        return change._replace(
            merged=tuple(dict.fromkeys(merged)), left=left,
        )

    def _merged(self, parents: Sequence[str]) -> tuple[str, ...]:
        """The tasks of the commits that a merge brings in."""
        if len(parents) < 2:
            return ()
        first, *others = parents
        texts = self._repository.git.messages(
            f'^{TASK}: ', *others, f'^{first}',
        )
        found = {task(parse(text)): None for text in texts}
        return tuple(name for name in found if name)

    def _follows(self, commit: Commit) -> str:
        """The task of the nearest commit before that names one."""
        parent = commit.parents[0] if commit.parents else ''
        if parent and parent not in self._tasks:
            self._tasks[parent] = self._named(parent)
        before = self._tasks.get(parent, '')
        self._tasks[commit.oid] = task(parse(commit.message)) or before
        return before

    def _named(self, oid: str) -> str:
        """The task that a commit, or the nearest before it, names."""
        # all of them only where the newest mentions the trailer in its text
        for limit in (('-1',), ()):
            texts = self._repository.git.messages(
                f'^{TASK}: ', *limit, '--first-parent', oid,
            )
            for text in texts:
                name = task(parse(text))
                if name:
                    return name
        return ''

    def _before(self, commit: Commit) -> dict[str, int]:
        newest: dict[str, int] = {}
        for parent in commit.parents:
            _newer(newest, self._up_to(parent))
        self._known[commit.oid] = dict(newest)
        own = generation(parse(commit.message))
        if own is not None:
            _newer(self._known[commit.oid], {own.task: own.number})
        return newest

    def _up_to(self, oid: str) -> dict[str, int]:
        if oid not in self._known:
            newest: dict[str, int] = {}
            for text in self._repository.git.messages(f'^{LOCK}: ', oid):
                found = generation(parse(text))
                if found is not None:
                    _newer(newest, {found.task: found.number})
            self._known[oid] = newest
        return self._known[oid]
