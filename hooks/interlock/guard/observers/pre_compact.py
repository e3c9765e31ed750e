"""PreCompact: what a session knows is saved before it is summarised."""

from __future__ import annotations

from interlock.guard.reply import PLAIN, Answer
from interlock.state.state_hooks import on_pre_compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


def handle(scene: Scene) -> Answer:
    return Answer(PLAIN, on_pre_compact(scene.event.data, scene.event.environ))
