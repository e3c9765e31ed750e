"""ConfigChange: settings with which our hooks would no longer be called."""

from __future__ import annotations

from interlock.documents.wiring.claude_settings import our_calls, parsed, taken_away
from interlock.files.atomic_files import read
from interlock.files.settings_record import key_of, recorded, remember, settings_files
from interlock.guard.reply import BLOCK, SILENCE, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.guard.context import Scene

CODE = 'CLD013'
# where they come from nobody can keep them out; skills are no settings
OTHERS = ('policy_settings', 'skills')


def _files(scene: Scene) -> Iterable[str]:
    """The file that changed; all of them where the client does not say."""
    given = scene.event.text('file_path')
    if given:
        return (given,)
    return settings_files(scene.top or scene.base, scene.event.environ)


def handle(scene: Scene) -> Answer:
    if scene.event.text('source') in OTHERS:
        return SILENCE
    known = recorded(scene.state)
    for path in _files(scene):
        data = read(path)
        why = taken_away(known.get(key_of(path), {}), data)
        if why:
            text = (
                f'{CODE} {path}: {why}; the settings before stay in force '
                f'in this session\nnext: undo the change of {path}, or let '
                f'a person decide outside of the session'
            )
            return Answer(BLOCK, text)
        if data is not None and key_of(path) not in known:
            _learn(scene.state, path, data)
    return SILENCE


def _learn(state: str, path: str, data: bytes) -> None:
    """A file that begins to call us is guarded from now on."""
    from interlock.model.errors import Unreadable

    try:
        calls = our_calls(parsed(data))
    except Unreadable:
        return
    if calls:
        remember(state, path, calls)
