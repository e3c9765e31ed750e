"""After a shell command ran."""

from __future__ import annotations

import os

from interlock.guard import project_paths, said_once
from interlock.guard.best_effort import quietly
from interlock.guard.relevance import inside, patterns
from interlock.guard.reply import CONTEXT, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.guard.context import Scene

# commands of git that write files or move HEAD
MOVES = frozenset(
    {
        'am',
        'apply',
        'checkout',
        'cherry-pick',
        'clean',
        'commit',
        'merge',
        'mv',
        'pull',
        'rebase',
        'reset',
        'restore',
        'revert',
        'rm',
        'stash',
        'switch',
    }
)


def _changed(scene: Scene) -> list[str] | None:
    """The files that the client saw change, None where it does not say."""
    diff = scene.event.fields('tool_response').get('bashEditDiff')
    files = diff.get('changedFiles') if isinstance(diff, dict) else None
    if not isinstance(files, list):
        return None
    return [
        os.path.realpath(os.path.join(scene.directory, file))
        for file in files
        if isinstance(file, str)
    ]


def _may_matter(scene: Scene, command: str) -> bool:
    names = {
        os.path.basename(pattern)
        for kind in scene.raw['items'].values()
        for pattern in patterns(kind)
    }
    words = command.split()
    return any(name in command for name in names) or (
        'git' in words and bool(MOVES & set(words))
    )


def _records(scene: Scene, command: str) -> str:
    paths = _changed(scene)
    if paths is None and not _may_matter(scene, command):
        return ''
    names = (
        None
        if paths is None
        else [name for name in (inside(scene, path) for path in paths) if name]
    )
    if names == []:
        return ''
    from interlock.guard import recheck

    return recheck.by_command(scene, names)


def _locks(scene: Scene, command: str) -> Iterator[str]:
    from interlock.guard.observers import log_writes
    from interlock.tasks.lock_store import locks_of

    space = scene.space
    task = space.task_of(scene.directory)
    lock = os.path.realpath(locks_of(space).place(task)) if task else ''
    named = bool(lock) and os.path.basename(lock) in command
    if named or lock in (_changed(scene) or ()):
        yield log_writes.broken(scene, lock)


def _of_tasks(scene: Scene, command: str) -> Iterator[str]:
    if not project_paths.near_tasks(scene, scene.directory):
        return
    from interlock.guard.observers import log_builds

    quietly(scene, lambda: log_builds.log(scene, command))
    yield from _locks(scene, command)


def _committed(scene: Scene, command: str) -> None:
    """Whose the newest commit is: the user speaks to that session."""
    if (
        'commit' not in command
        or not scene.top
        or not any(
            'confirm' in (kind.get('commit') or {})
            for kind in scene.raw['items'].values()
        )
    ):
        return
    from interlock.guard.observers import stage_confirmation

    quietly(scene, lambda: stage_confirmation.committed(scene))


def handle(scene: Scene) -> Answer:
    command = scene.event.given('command')
    _committed(scene, command)
    lines = [_records(scene, command)]
    if scene.has_tasks:
        lines.extend(_of_tasks(scene, command))
    text = '\n'.join(filter(None, lines))
    # against HEAD the same is found until it is mended
    if text and said_once.first_time(scene, 'command', text):
        return Answer(CONTEXT, text)
    return Answer()


def failed(scene: Scene) -> Answer:
    """A command that failed: only a build is of interest."""
    if scene.has_tasks and not scene.event.data.get('is_interrupt'):
        for _ in _of_tasks(scene, scene.event.given('command')):
            pass
    return Answer()
