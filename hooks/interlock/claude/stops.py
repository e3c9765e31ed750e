"""Stop: what a session leaves behind is said once."""
from __future__ import annotations

from interlock.claude import told
from interlock.claude.answer import Answer
from interlock.claude.answer import BLOCK
from interlock.claude.answer import SAY
from interlock.claude.answer import SILENCE
from interlock.claude.launcher import with_site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def _has_items(scene: Scene) -> bool:
    return any(
        'protocol' not in kind for kind in scene.raw['items'].values()
    )


def handle(scene: Scene) -> Answer:
    data = scene.event.data
    if data.get('stop_hook_active') is True or data.get('background_tasks'):
        # told already, or only paused
        return SILENCE
    with_site()
    left: list[str] = []
    waiting: list[str] = []
    if _has_items(scene):
        from interlock.claude import item_stops
        item_stops.look(scene, left, waiting)
    if scene.has_tasks and scene.event.session:
        from interlock.claude import task_stops
        task_stops.look(scene, left, waiting)
    for kind, lines in ((BLOCK, left), (SAY, waiting)):
        if lines and told.first_time(scene, 'stop', *lines):
            return Answer(kind, '\n'.join(lines))
    return SILENCE
