"""After a tool wrote a file."""

from __future__ import annotations

import os

from interlock.guard import project_paths
from interlock.guard.best_effort import quietly
from interlock.guard.relevance import may_be_record
from interlock.guard.reply import CONTEXT, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


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
        from interlock.guard import recheck

        lines.append(recheck.by_write(scene, path))
    if scene.has_tasks and project_paths.near_tasks(scene, path, scene.directory):
        from interlock.guard.observers import log_writes

        quietly(scene, lambda: log_writes.log(scene, path))
        lines.append(log_writes.broken(scene, path))
    return Answer(CONTEXT, '\n'.join(filter(None, lines)))
