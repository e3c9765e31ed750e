"""Which generations of locks were given out, as far as this clone knows.

The register under the common git directory counts them. Each clone has its own,
and a server has none. So generations from a remote or from the history count as
well, but never a leap: one number that was never given out would shut out every
honest holder after it.
"""

from __future__ import annotations

from interlock.documents.message import parse
from interlock.documents.trailers import LOCK, Generation, generation
from interlock.git.git import Git, GitError
from interlock.git.repository import Repository
from interlock.git.worktrees import elsewhere
from interlock.model.quick_typing import Collection, Iterable, Mapping
from interlock.tasks.engines.register import Register
from interlock.tasks.lock_store import LEAP, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.workflow.reading.item_paths import is_path_name

ALL = '--all'
REMOTES = '--remotes'


def signed_commits(git: Git, *revisions: str) -> list[tuple[str, Generation]]:
    """The commits that name a generation, oldest first."""
    found = (
        (oid, generation(parse(text)))
        for oid, text in git.with_messages(f'^{LOCK}: ', *revisions)
    )
    return [(oid, made) for oid, made in found if made is not None][::-1]


def highest(numbers: Iterable[int]) -> int:
    """The highest of some numbers, oldest first; a leap does not count."""
    newest = 0
    for number in numbers:
        if newest < number <= newest + LEAP:
            newest = number
    return newest


def generation_floor(space: Workspace, name: str, environ: Mapping[str, str]) -> int:
    """The highest generation that others gave out: the next holder counts on from it.

    Once this clone counts, only generations from a remote are believed.
    """
    if space.without_git:
        return 0
    known = locks_of(space).last_generation(name)
    try:
        with elsewhere(environ, space.main) as git:
            found = signed_commits(git, ALL if known is None else REMOTES)
    except GitError:
        # there are no commits that could have been made under a lock
        return 0
    return highest(made.number for _, made in found if made.task == name)


class Generations:
    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        # by the common git directory: a server has no tasks
        self._register = Register(repository.facts.common_dir)
        self._known: dict[str, int | None] = {}
        self._signed: dict[str, list[tuple[str, Generation]]] = {}

    def is_given(self, made: Generation, arriving: Collection[str] = ()) -> bool:
        """Whether a generation was given out, here or elsewhere.

        `arriving` are the commits being judged: none vouches for itself.
        """
        if not is_path_name(made.task):
            return False
        if made.task not in self._known:
            self._known[made.task] = self._register.last_generation(made.task)
        known = self._known[made.task]
        if known is not None:
            return made.number <= known or made.number <= self._seen(made.task, REMOTES)
        return made.number <= LEAP or made.number <= LEAP + self._seen(
            made.task, ALL, arriving
        )

    def _seen(self, task: str, where: str, besides: Collection[str] = ()) -> int:
        if where not in self._signed:
            self._signed[where] = signed_commits(self._git, where)
        return highest(
            made.number
            for oid, made in self._signed[where]
            if made.task == task and oid not in besides
        )
