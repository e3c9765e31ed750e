"""The first steps of a task: directory, lock, worktrees; all or nothing."""

from __future__ import annotations

import os

from interlock.files import atomic_files
from interlock.git import worktrees
from interlock.model import quick_tools as functools
from interlock.model.actor import Actor
from interlock.model.errors import Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple, Sequence
from interlock.operations.tasks.locks import Holder
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import event, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import place


class Beginning(NamedTuple):
    space: Workspace
    task: str
    agents: Sequence[str]
    # the commit that the worktrees start from
    base: str
    environ: Mapping[str, str]
    actor: Actor
    # go on with the branches that an earlier attempt left
    on_branch: bool = False

    @property
    def branch(self) -> str:
        return place(self.space.protocol.branch, self.task)

    def agent_branch(self, agent: str) -> str:
        return place(self.space.protocol.agent_branch, self.task, agent)

    def agent_code(self, agent: str) -> str:
        pattern = self.space.protocol.files.agent_code
        return self.space.path(pattern, self.task, agent)


class _Undo:
    """What has been done so far, and how to take it back."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], object]] = []

    def add(self, step: Callable[..., object], *args: Any) -> None:
        self._steps.append(functools.partial(step, *args))

    def run(self) -> None:
        for step in reversed(self._steps):
            # the failure that brought us here is what is to be said
            with suppress(Refusal, OSError):
                step()


def _worktree(at: Beginning, path: str, branch: str, undo: _Undo) -> None:
    main = at.space.main
    if os.path.lexists(path):
        raise Refusal(f'{path} exists already', f'ls -la {quoted([path])}')
    is_there = worktrees.has_branch(at.environ, main, branch)
    if is_there and not at.on_branch:
        raise Refusal(
            f'there is a branch `{branch}` already, with the commits of an '
            f'earlier attempt; --on-branch goes on with them',
            f'interlock task start {at.task} --on-branch'
            + ''.join(f' --agent {agent}' for agent in at.agents),
        )
    # before it is made: a worktree may be left half made
    if not is_there:
        undo.add(worktrees.delete_branch, at.environ, main, branch)
    undo.add(worktrees.prune, at.environ, main)
    undo.add(worktrees.remove, at.environ, main, path)
    if is_there:
        worktrees.restore(at.environ, main, path, branch)
    else:
        worktrees.add(at.environ, main, path, branch, at.base)


def _withdraw_lock(at: Beginning, made: Sequence[bytes]) -> None:
    """Only what we made: never a lock that came after it."""
    locks = locks_of(at.space)
    found = locks.get(at.task)
    if found is not None and found.data in made:
        withdrawn = event('withdrawn', at.task, generation=found.lock.generation)
        locks.remove(at.task, found, withdrawn, keep=False)


def _remove_empty(directory: str, until: str) -> None:
    """A directory, and those above it, as far as nothing is in them."""
    while directory != until and directory.startswith(until):
        os.rmdir(directory)
        directory = os.path.dirname(directory)


def _write(path: str, data: bytes, undo: _Undo) -> None:
    old = atomic_files.read(path)
    if old is None:
        undo.add(atomic_files.remove, path)
    else:
        undo.add(atomic_files.replace, path, data, old)
    atomic_files.replace(path, old, data)


def _rename(path: str, new: str, undo: _Undo) -> None:
    undo.add(os.rename, new, path)
    try:
        os.rename(path, new)
    except OSError as e:
        raise Refusal(f'{path} cannot be renamed: {e.strerror}') from None


def begin(
    at: Beginning,
    holder: Holder,
    lock: Callable[[int], bytes],
    rest: Mapping[str, bytes],
    earlier: Callable[[int], Mapping[str, str]],
) -> int:
    """Gives the generation of the lock, whose bytes `lock` makes of it.

    `rest`: path -> bytes of the files that a task begins with.
    `earlier`: files of an attempt before this generation, and what they are
    called now.
    """
    space = at.space
    folder = space.folder(at.task)
    undo, made = _Undo(), list[bytes]()

    def render(generation: int) -> bytes:
        made.append(lock(generation))
        return made[-1]

    try:
        undo.add(_remove_empty, folder, space.tasks)
        undo.add(_withdraw_lock, at, made)
        generation = lock_holders.make(space, at.task, holder, render, at.actor, {})
        for path, new in earlier(generation).items():
            _rename(path, new, undo)
        for path, data in rest.items():
            _write(path, data, undo)
        _worktree(at, space.code(at.task), at.branch, undo)
        for agent in at.agents:
            path = at.agent_code(agent)
            undo.add(_remove_empty, os.path.dirname(path), folder)
            _worktree(at, path, at.agent_branch(agent), undo)
    except BaseException:
        undo.run()
        raise
    return generation
