"""The files that no command may reach unread."""

from __future__ import annotations

import os

from interlock.documents.wiring.client_settings import SCRIPT
from interlock.git.hook_folder import hook_folders
from interlock.guard.context import Context
from interlock.guard.relevance import programs, startup_files
from interlock.model import calling_files, clients
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator
from interlock.model.session_env import OURS

# words in code that name git's hooks, or variables that say who acts
WORDS = (
    *('.git/hooks', '.git/interlock', '.git/config', 'hooksPath', 'no-verify'),
    *('INTERLOCK_LOCKS', OURS, *clients.SESSIONS, *clients.MARKS),
    *(SCRIPT, *clients.CALLS, 'cache/interlock'),
)


def has_tasks(context: Context) -> bool:
    """Whether the workflow has tasks; false if the workflow is invalid."""
    try:
        return context.has_tasks
    except Refusal:
        return False


def _records(context: Context) -> Iterator[str]:
    from interlock.guard.guards.records import known

    for folder in {context.top or context.base, context.worktree}:
        for name in known(context, folder):
            yield os.path.join(folder, name)
    if has_tasks(context):
        space = context.space
        for folder in (space.main, *map(space.code, space.names())):
            for name in (space.protocol.todo, space.protocol.changelog):
                yield os.path.join(folder, name)


def _pipelines(top: str) -> Iterator[str]:
    """The files that tell CI what to run."""
    for name in calling_files.CI_FILES:
        yield os.path.join(top, name)
    for start in calling_files.CI_FOLDERS:
        folder = os.path.join(top, start)
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            yield os.path.join(folder, name)


def _task_files(context: Context) -> Iterator[str]:
    """The locks, flags and trails of tasks."""
    from interlock.tasks.lock_store import locks_of

    space, protocol = context.space, context.space.protocol
    names = [os.path.basename(protocol.files.trail)]
    names += [name for flags in protocol.flags.values() for name in flags]
    locks = locks_of(space)
    for task in (protocol.main.name, *space.names()):
        yield locks.place(task)
        for name in names:
            yield os.path.join(space.folder(task), name)


def wiring(context: Context) -> Iterator[str]:
    """The files that call us, and the files that guard tasks."""
    tops = {context.top, context.base} - {''}
    own = os.path.basename(context.file)
    for folder in tops:
        yield os.path.join(folder, own)
        yield from calling_files.callers_in(folder)
        yield from _pipelines(folder)
    if has_tasks(context):
        tops.add(context.space.main)
    hooks = {os.path.join(context.state, 'hooks')}
    for folder in tops:
        hooks.update(hook_folders(folder, context.event.environ))
    for folder in hooks:
        for name in calling_files.HOOK_NAMES:
            yield os.path.join(folder, name)
    yield os.path.join(context.state, 'config')
    yield from programs(context.event.environ)
    yield from startup_files(context.event.environ)
    if has_tasks(context):
        yield from _task_files(context)


def files(context: Context) -> list[str]:
    """All protected files, with records and contracts; looked up once."""
    if context.protected is None:
        context.protected = list(wiring(context))
        try:
            context.protected.extend(_records(context))
        except Refusal:
            # judge_write reports that nothing can be judged
            pass
    return context.protected


def is_record(context: Context, path: str) -> bool:
    return path not in set(wiring(context))
