"""PreToolUse of the tools that write files."""

from __future__ import annotations

from interlock.guard.edit_result import result, target
from interlock.guard.file_write import Write
from interlock.guard.guards.file_writes import judge_write
from interlock.guard.reply import SILENCE, Answer
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


def handle(scene: Scene) -> Answer:
    path = target(scene.event, scene.directory)
    if not path:
        raise Refusal(f'{scene.event.tool} names no file')
    write = Write(path, lambda: result(scene.event, path))
    objection = judge_write(scene, write)
    return objection.answer() if objection else SILENCE
