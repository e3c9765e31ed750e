"""What is kept of an event besides its answer: never in its way."""

from __future__ import annotations

from interlock.guard import hook_log
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.guard.context import Scene


def quietly(scene: Scene, keep: Callable[[], None]) -> None:
    """Whoever only looks on still answers if it cannot write."""
    try:
        keep()
    except (Refusal, OSError) as e:
        hook_log.failed(scene.state, scene.event.name, str(e))
