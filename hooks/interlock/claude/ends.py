"""SessionEnd: others are told that whoever holds a lock has gone.

A lock is never released here: the session may be resumed.
"""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import SILENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def handle(scene: Scene) -> Answer:
    session = scene.event.session
    if not session or scene.event.agent_id or not scene.has_tasks:
        return SILENCE
    from interlock.world import holding

    for name, lock in holding.all_held(scene.space):
        if lock.is_held_by(session):
            holding.stamp(scene.space, name, session)
    return SILENCE
