"""PreCompact: what a session knows is saved before it is summarised."""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import PLAIN
from interlock.world.sessions import compacting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def handle(scene: Scene) -> Answer:
    return Answer(PLAIN, compacting(scene.event.data, scene.event.environ))
