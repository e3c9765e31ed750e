"""After a tool wrote a file."""
from __future__ import annotations

import os

from interlock.claude import places
from interlock.claude.answer import Answer
from interlock.claude.answer import CONTEXT
from interlock.claude.concern import may_be_record
from interlock.claude.launcher import with_site
from interlock.claude.tracking import quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def _path(scene: Scene) -> str:
    for key in ('file_path', 'notebook_path', 'filePath'):
        if scene.event.given(key):
            path = os.path.join(scene.directory, scene.event.given(key))
            return os.path.realpath(path)
    return ''


def handle(scene: Scene) -> Answer:
    path, lines = _path(scene), []
    if not path:
        return Answer()
    if may_be_record(scene, path):
        with_site()
        from interlock.claude import broken
        lines.append(broken.by_write(scene, path))
    if scene.has_tasks and places.near_tasks(scene, path, scene.directory):
        with_site()
        from interlock.claude import task_writes
        quietly(scene, lambda: task_writes.log(scene, path))
        lines.append(task_writes.broken(scene, path))
    return Answer(CONTEXT, '\n'.join(filter(None, lines)))
