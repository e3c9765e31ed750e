"""After a shell command ran."""
from __future__ import annotations

import os

from interlock.claude import places
from interlock.claude import told
from interlock.claude.answer import Answer
from interlock.claude.answer import CONTEXT
from interlock.claude.concern import inside
from interlock.claude.concern import patterns
from interlock.claude.launcher import with_site
from interlock.claude.tracking import quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.claude.scene import Scene

# commands of git that write files or move HEAD
MOVES = frozenset({
    'am', 'apply', 'checkout', 'cherry-pick', 'clean', 'commit', 'merge',
    'mv', 'pull', 'rebase', 'reset', 'restore', 'revert', 'rm', 'stash',
    'switch',
})


def _changed(scene: Scene) -> list[str] | None:
    """The files that the client saw change, None where it does not say."""
    diff = scene.event.fields('tool_response').get('bashEditDiff')
    files = diff.get('changedFiles') if isinstance(diff, dict) else None
    if not isinstance(files, list):
        return None
    return [
        os.path.realpath(os.path.join(scene.directory, file))
        for file in files if isinstance(file, str)
    ]


def _may_matter(scene: Scene, command: str) -> bool:
    names = {
        os.path.basename(pattern)
        for kind in scene.raw['items'].values() for pattern in patterns(kind)
    }
    words = command.split()
    return any(name in command for name in names) or (
        'git' in words and bool(MOVES & set(words))
    )


def _records(scene: Scene, command: str) -> str:
    paths = _changed(scene)
    if paths is None and not _may_matter(scene, command):
        return ''
    names = None if paths is None else [
        name for name in (inside(scene, path) for path in paths) if name
    ]
    if names == []:
        return ''
    with_site()
    from interlock.claude import broken
    return broken.by_command(scene, names)


def _locks(scene: Scene, command: str) -> Iterator[str]:
    from interlock.claude import task_writes

    space = scene.space
    task = space.task_of(scene.directory)
    lock = os.path.realpath(space.lock(task)) if task else ''
    named = bool(lock) and os.path.basename(lock) in command
    if named or lock in (_changed(scene) or ()):
        yield task_writes.broken(scene, lock)


def _of_tasks(scene: Scene, command: str) -> Iterator[str]:
    if not places.near_tasks(scene, scene.directory):
        return
    with_site()
    from interlock.claude import task_builds

    quietly(scene, lambda: task_builds.log(scene, command))
    yield from _locks(scene, command)


def _committed(scene: Scene, command: str) -> None:
    """Whose the newest commit is: the user speaks to that session."""
    if 'commit' not in command or not scene.top or not any(
            'confirm' in (kind.get('commit') or {})
            for kind in scene.raw['items'].values()
    ):
        return
    with_site()
    from interlock.claude import confirming
    quietly(scene, lambda: confirming.committed(scene))


def handle(scene: Scene) -> Answer:
    command = scene.event.given('command')
    _committed(scene, command)
    lines = [_records(scene, command)]
    if scene.has_tasks:
        lines.extend(_of_tasks(scene, command))
    text = '\n'.join(filter(None, lines))
    # against HEAD the same is found until it is mended
    if text and told.first_time(scene, 'command', text):
        return Answer(CONTEXT, text)
    return Answer()


def failed(scene: Scene) -> Answer:
    """A command that failed: only a build is of interest."""
    if scene.has_tasks and not scene.event.data.get('is_interrupt'):
        for _ in _of_tasks(scene, scene.event.given('command')):
            pass
    return Answer()
