"""Which engine keeps the locks: the one that the workflow or the machine names."""

from __future__ import annotations

import os

from interlock.model.errors import Refusal
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.sharing import GIT_REMOTE, LOCKS, LocksSpec, locks_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.git.remotes import CloneSettings
    from interlock.tasks.engines.engine import Engine


# the engine of the running command
_latest: list[tuple[Workspace, LocksSpec, float, Engine]] = []
# and the git configuration of its clone
_read: list[tuple[Workspace, str, CloneSettings]] = []


def settings(space: Workspace) -> LocksSpec:
    return locks_on(space.workflow.locks, os.environ.get(LOCKS, ''))


def is_shared(space: Workspace, name: str) -> bool:
    """Whether clones share a lock. They never share that of the main worktree: it
    protects one worktree of one clone, and would stop everybody else."""
    return name != space.protocol.main.name and settings(space).is_shared


def repository_name(space: Workspace) -> str:
    """The repository's name for everybody who shares its locks."""
    from interlock.git import remotes

    found = settings(space)
    if found.repository:
        return found.repository
    read = _clone_settings(space, found.remote)
    return remotes.repository_name(os.environ, space.main, found, read)


def _clone_settings(space: Workspace, remote: str) -> CloneSettings:
    if not _read or _read[0][0] is not space or _read[0][1] != remote:
        from interlock.git.remotes import clone_settings

        found = clone_settings(os.environ, space.state, remote)
        _read[:] = [(space, remote, found)]
    return _read[0][2]


def authority(space: Workspace) -> str:
    """The authority that gives out the locks of tasks, by its shared name."""
    return repository_name(space) if settings(space).is_shared else space.state


def engine_for(space: Workspace, name: str, seconds: float = 0) -> Engine:
    """The engine of one lock; `seconds` for one question, 0 as configured."""
    found = settings(space)
    return _engine(space, found if is_shared(space, name) else LocksSpec(), seconds)


def engine_named(space: Workspace, text: str) -> Engine:
    """Another engine than the configured one, as $INTERLOCK_LOCKS names it."""
    return _engine(space, locks_on(space.workflow.locks, text), 0)


def configured_engine(space: Workspace, seconds: float = 0) -> Engine:
    """The engine of the tasks."""
    return _engine(space, settings(space), seconds)


def _engine(space: Workspace, found: LocksSpec, seconds: float) -> Engine:
    seconds = min(seconds or found.timeout, found.timeout)
    if not found.is_shared:
        from interlock.tasks.engines.file import FileEngine

        return FileEngine(space)
    # a command asks several times, but connects once
    if _latest and _latest[0][0] is space and _latest[0][1:3] == (found, seconds):
        return _latest[0][3]
    engine = _shared(space, found, seconds)
    _latest[:] = [(space, found, seconds, engine)]
    return engine


def _shared(space: Workspace, found: LocksSpec, seconds: float) -> Engine:
    if space.without_git:
        raise Refusal(
            f'locks are shared by the name of a repository, and {space.without_git}',
            f'git init {space.main}',
        )
    elif found.engine == GIT_REMOTE:
        from interlock.git.lock_refs import LockRefs
        from interlock.tasks.engines.git_remote import GitRemoteEngine

        read = _clone_settings(space, found.remote)
        refs = LockRefs(os.environ, space.state, found.remote, seconds, read)
        return GitRemoteEngine(refs, found.refs, space.main)
    from interlock.tasks.engines.postgresql import PostgresqlLocks

    return PostgresqlLocks(found.service, repository_name(space), seconds)
