"""Stop: what a session leaves behind is said once."""

from __future__ import annotations

from interlock.guard import said_once
from interlock.guard.reply import BLOCK, SAY, SILENCE, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


def _has_items(scene: Scene) -> bool:
    return any('protocol' not in kind for kind in scene.raw['items'].values())


def handle(scene: Scene) -> Answer:
    data = scene.event.data
    if data.get('stop_hook_active') is True or data.get('background_tasks'):
        # told already, or only paused
        return SILENCE
    left: list[str] = []
    waiting: list[str] = []
    if _has_items(scene):
        from interlock.guard.observers import stop_items

        stop_items.look(scene, left, waiting)
    if scene.has_tasks and scene.event.session:
        from interlock.guard.observers import stop_tasks

        stop_tasks.look(scene, left, waiting)
    for kind, lines in ((BLOCK, left), (SAY, waiting)):
        if lines and said_once.first_time(scene, 'stop', *lines):
            return Answer(kind, '\n'.join(lines))
    return SILENCE
