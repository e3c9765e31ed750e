"""The files that a command must not reach unread."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring.claude_settings import FOLDER, LOCAL, SHARED
from interlock.git.hook_folder import hook_folders
from interlock.guard.context import Scene
from interlock.guard.project_paths import top
from interlock.guard.relevance import CALLERS, programs
from interlock.model.errors import Refusal
from interlock.workflow.language.protocol import ProtocolSpec

# what names the hooks of git, or who acts, in any piece of code
WORDS = (
    '.git/hooks',
    '.git/interlock',
    '.git/config',
    'hooksPath',
    'no-verify',
    'INTERLOCK_SESSION',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDECODE',
    'interlock-claude',
    'cache/interlock',
)


def _of_task(protocol: ProtocolSpec) -> list[str]:
    flags = [name for names in protocol.flags.values() for name in names]
    return [os.path.basename(protocol.files.trail), *flags]


def has_tasks(scene: Scene) -> bool:
    """Where the workflow makes no sense, nobody can say which they are."""
    try:
        return scene.has_tasks
    except Refusal:
        return False


def _tops(scene: Scene) -> set[str]:
    """The worktree of the workflow, and the one that the session is in."""
    return {scene.top or scene.base, top(scene)}


def _records(scene: Scene) -> Iterator[str]:
    from interlock.guard.guards.records import known

    for folder in _tops(scene):
        for name in known(scene, folder):
            yield os.path.join(folder, name)
    if has_tasks(scene):
        space = scene.space
        tasks = [space.code(task) for task in space.names()]
        for folder in (space.main, *tasks):
            for name in (space.protocol.todo, space.protocol.changelog):
                yield os.path.join(folder, name)


def _pipelines(top: str) -> Iterator[str]:
    """What tells CI what to run, and is there."""
    for name in wiring_files.CI_FILES:
        yield os.path.join(top, name)
    for start in wiring_files.CI_FOLDERS:
        folder = os.path.join(top, start)
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            yield os.path.join(folder, name)


def wiring(scene: Scene) -> Iterator[str]:
    """What calls us, and the locks, flags and trails of tasks."""
    tops = {scene.top, scene.base} - {''}
    for folder in tops:
        for name in (*CALLERS, os.path.basename(scene.file)):
            yield os.path.join(folder, name)
        for name in (SHARED, LOCAL):
            yield os.path.join(folder, FOLDER, name)
        yield from _pipelines(folder)
    if has_tasks(scene):
        tops.add(scene.space.main)
    hooks = {os.path.join(scene.state, 'hooks')}
    for folder in tops:
        hooks.update(hook_folders(folder, scene.event.environ))
    for folder in hooks:
        for name in wiring_files.HOOK_NAMES:
            yield os.path.join(folder, name)
    yield os.path.join(scene.state, 'config')
    yield from programs(scene.event.environ)
    if has_tasks(scene):
        from interlock.tasks.lock_store import locks_of

        space = scene.space
        for task in (space.protocol.main.name, *space.names()):
            yield locks_of(space).place(task)
            for name in _of_task(space.protocol):
                yield os.path.join(space.folder(task), name)


def files(scene: Scene) -> list[str]:
    """All of them, records and contracts included; looked up once."""
    if scene.protected is None:
        scene.protected = list(wiring(scene))
        try:
            scene.protected.extend(_records(scene))
        except Refusal:
            # judge_write says that nothing can be judged
            pass
    return scene.protected


def is_record(scene: Scene, path: str) -> bool:
    return path not in set(wiring(scene))
