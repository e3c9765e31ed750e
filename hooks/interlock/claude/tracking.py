"""What is kept of an event besides its answer: never in its way."""
from __future__ import annotations

import os

from interlock.claude import log
from interlock.claude.launcher import PACKAGE
from interlock.claude.launcher import with_site
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.claude.scene import Scene


def with_schemas() -> None:
    """They lie in the package, unless that is worked on where it lies."""
    if not os.path.isdir(os.path.join(PACKAGE, 'schemas')):
        with_site()


def quietly(scene: Scene, keep: Callable[[], None]) -> None:
    """Whoever only looks on still answers if it cannot write."""
    try:
        keep()
    except (Refusal, OSError) as e:
        log.failed(scene.state, scene.event.name, str(e))
