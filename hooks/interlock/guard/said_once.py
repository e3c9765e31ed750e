"""What a session was told already: nothing that blocks is said twice."""

from __future__ import annotations

import hashlib
import os

from interlock.files import records
from interlock.guard.hook_log import folder
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

FOLDER = 'told'


def digest(*parts: str) -> str:
    text = '\0'.join(parts).encode(errors='surrogatepass')
    return hashlib.sha256(text).hexdigest()[:32]


def _file(scene: Scene) -> str:
    name = digest(scene.event.session)
    return os.path.join(folder(scene.state), FOLDER, name)


def first_time(scene: Scene, *what: str) -> bool:
    """True the first time the session is told this."""
    path, line = _file(scene), digest(*what)
    try:
        if line in records.entries(path, str):
            return False
        records.append(path, line)
    except Refusal:
        # what cannot be recorded is said again
        return True
    return True
