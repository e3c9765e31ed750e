"""PreToolUse of shells: what a command would do, and what speaks against it.

Reading commands is a courtesy, not the guarantee: that is CI, or the server.
"""

from __future__ import annotations

from interlock.guard.relevance import names
from interlock.guard.reply import SILENCE, Answer
from interlock.guard.shell.prefilter import could_matter, unquoted
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.guard.context import Scene
    from interlock.guard.decision import Objection

POWERSHELL = 'PowerShell'


def _objections(scene: Scene, command: str) -> Iterator[Objection]:

    from interlock.guard.guards.effects import judge

    if scene.event.tool == POWERSHELL:
        from interlock.guard.guards.powershell import asked, is_plain

        if not is_plain(command):
            yield from asked(scene, command)
            return
    from interlock.guard.shell.read import read

    yield from judge(
        scene, read(command, scene.directory, scene.event.environ, scene.top)
    )


def _names_one(scene: Scene, command: str) -> bool:
    """A record, a contract, a file that calls us: by its name alone."""
    try:
        bare = unquoted(command).lower()
        return any(name.lower() in bare for name in names(scene))
    except Refusal:
        # judge_write says that nothing can be judged
        return True


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
    if (
        scene.event.tool != POWERSHELL
        and not could_matter(command)
        and (not _names_one(scene, command))
    ):
        return SILENCE
    objection = _worst(_objections(scene, command))
    return objection.answer() if objection else SILENCE
