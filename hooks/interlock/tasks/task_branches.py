"""What a change has to do with the branches of tasks, by their contents.

A squash brings the work of a branch and none of its commits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from interlock.documents.tasks import todo
from interlock.documents.tasks.todo import Todo
from interlock.documents.trailers import TASK
from interlock.files.atomic_files import read
from interlock.git.git import GitError
from interlock.git.parse import decode
from interlock.git.repository import Repository
from interlock.model.change import Change
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.reading.task_selection import is_listed

HEADS = 'refs/heads/'
REMOTES = 'refs/remotes/'


class Made(NamedTuple):
    """A change, as git sees it."""

    # '' where it is not committed yet
    commit: str
    parent: str
    touched: frozenset[str]
    records: frozenset[str]


class Work(NamedTuple):
    """How a change holds the work of a branch."""

    whole: bool
    # what of it is not in the change
    missing: tuple[str, ...]


NONE = Work(False, ())


class Branches:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._tips: Mapping[str, str] | None = None

    def _tip(self, name: str) -> str:
        """Where a branch is, here or on a remote; '' where there is none."""
        if self._tips is None:
            out = self._repository.git.line(
                'for-each-ref', '--format=%(objectname) %(refname)', REMOTES, HEADS
            )
            found = dict(line.split(' ', 1)[::-1] for line in out.splitlines())
            self._tips = {_short(ref): oid for ref, oid in found.items()}
        return self._tips.get(name, '')

    def _base(self, one: str, other: str) -> str:
        try:
            return self._repository.git.line('merge-base', one, other)
        except GitError:
            return ''

    def _changed(self, before: str, after: str) -> set[str]:
        old, new = map(self._repository.commit, (before, after))
        return set(self._repository.git.diff_trees(old.tree, new.tree))

    def _differs(self, made: Made, tip: str) -> set[str]:
        """What is otherwise after the change than on the branch."""
        if made.commit:
            return self._changed(tip, made.commit)
        tree = self._repository.commit(tip).tree
        return set(self._repository.git.diff_index(tree)[0])

    def _is_its_own(self, made: Made, tip: str) -> bool:
        """A commit of the branch itself."""
        return bool(made.commit) and (self._base(tip, made.commit) == made.commit)

    def _work(self, made: Made, tip: str, is_open: bool) -> Work:
        differs = self._differs(made, tip)
        if is_open and not made.touched - made.records - differs:
            # nothing of it is as on the branch, and git is not asked more
            return NONE
        base = self._base(tip, made.parent)
        if base in ('', tip) or self._is_its_own(made, tip):
            return NONE
        changed = self._changed(base, tip) - made.records
        ours = self._changed(base, made.parent) & made.touched
        return Work(
            bool(changed) and changed <= made.touched - differs,
            tuple(sorted((changed & differs) - ours)),
        )

    def arrived(
        self, change: Change, made: Made, protocol: ProtocolSpec, own: str
    ) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        """Tasks whose work comes, and of those that are completed by the
        change the work that does not."""
        before = change.before.parsed(protocol.todo, todo.parse) or Todo({})
        after = change.after.parsed(protocol.todo, todo.parse) or Todo({})
        whole, left = [], {}
        for name in {**before.entries, **after.entries}:
            tip = self._tip(expand(protocol.branch, name))
            is_open = is_listed(after, name, protocol)
            if (
                not tip
                or name == own
                or not (is_open or is_listed(before, name, protocol))
            ):
                continue
            work = self._work(made, tip, is_open)
            if work.whole:
                whole.append(name)
            elif not is_open and work.missing:
                left[name] = work.missing
        return whole, left

    def squashed(self) -> list[str]:
        """The tasks of the commits that are squashed just now."""
        data = read(os.path.join(self._repository.facts.git_dir, 'SQUASH_MSG'))
        lines = [line.strip() for line in decode(data or b'', 'UTF-8').split('\n')]
        mark = f'{TASK}: '
        return [line[len(mark) :] for line in lines if line.startswith(mark)]


def _short(ref: str) -> str:
    """The name of a branch; of a remote's, without that of the remote."""
    if ref.startswith(HEADS):
        return ref[len(HEADS) :]
    return ref[len(REMOTES) :].partition('/')[2]
