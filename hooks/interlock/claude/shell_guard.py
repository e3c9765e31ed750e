"""PreToolUse of shells: what a command would do, and what speaks against it.

Reading commands is a courtesy, not the guarantee: that is CI, or the server.
"""
from __future__ import annotations

from interlock.claude.answer import Answer
from interlock.claude.answer import SILENCE
from interlock.claude.shell.prefilter import could_matter
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.claude.objection import Objection
    from interlock.claude.scene import Scene
    from interlock.claude.shell.effects import Effect


def _effects(scene: Scene, command: str) -> list[Effect]:
    from interlock.claude.launcher import with_packages
    with_packages()
    if scene.event.tool == 'PowerShell':
        from interlock.claude.shell.powershell import read_powershell
        return read_powershell(
            command, scene.directory, scene.event.environ,
        )
    from interlock.claude.shell.read import read
    return read(
        command, scene.directory, scene.event.environ, scene.top,
    )


def _worst(objections: Iterable[Objection]) -> Objection | None:
    """What is refused before what the user is asked."""
    asked = None
    for objection in objections:
        if not objection.ask:
            return objection
        asked = asked or objection
    return asked


def _command(scene: Scene) -> str:
    command = scene.event.fields('tool_input').get('command')
    if not isinstance(command, str):
        raise Refusal(f'{scene.event.tool} gets no command that is a text')
    return command


def handle(scene: Scene) -> Answer:
    command = _command(scene)
    is_powershell = scene.event.tool == 'PowerShell'
    if not is_powershell and not could_matter(command):
        return SILENCE
    from interlock.claude.effects_guard import judge

    objection = _worst(judge(scene, _effects(scene, command)))
    return objection.answer() if objection else SILENCE
