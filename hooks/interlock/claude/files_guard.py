"""PreToolUse of the tools that write files."""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import SILENCE
from interlock.claude.result import result
from interlock.claude.result import target
from interlock.claude.write import Write
from interlock.claude.writes import judge_write
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene


def handle(scene: Scene) -> Answer:
    path = target(scene.event, scene.directory)
    if not path:
        raise Refusal(f'{scene.event.tool} names no file')
    write = Write(path, lambda: result(scene.event, path))
    objection = judge_write(scene, write)
    return objection.answer() if objection else SILENCE
