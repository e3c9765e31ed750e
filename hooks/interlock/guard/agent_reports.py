"""What an agent says when it ends."""

from __future__ import annotations

import json
import os

from interlock.files import atomic_files
from interlock.guard.context import Scene
from interlock.guard.hook_log import folder
from interlock.guard.said_once import digest

FOLDER = 'handbacks'
# characters of a message, from its end, and braces in it, that are looked at
MAX_TEXT = 200_000
MAX_TRIES = 500
# keys without which an object is no report
KEYS = ('agent', 'status')


def _file(scene: Scene) -> str:
    name = digest(scene.event.session, scene.event.agent_id)
    return os.path.join(folder(scene.state), FOLDER, name)


def keep(scene: Scene, message: str) -> None:
    """Some modes hand the report over with a tool, before the agent ends."""
    path = _file(scene)
    data = message[-MAX_TEXT:].encode(errors='replace')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    atomic_files.replace(path, atomic_files.read(path), data)


def message(scene: Scene) -> str:
    """The last words of an agent: what it handed over, else what it said."""
    kept = atomic_files.read(_file(scene))
    if kept:
        return kept.decode(errors='replace')
    return scene.event.text('last_assistant_message')


def report_in(text: str) -> bytes | None:
    """The last report in a text, as it stands there; None if there is none.

    It may be the whole text, stand in a fence, or behind some words.
    """
    decoder, found = json.JSONDecoder(), None
    text = text[-MAX_TEXT:]
    start = text.find('{')
    for _ in range(MAX_TRIES):
        if start < 0:
            break
        try:
            data, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if all(key in data for key in KEYS):
                found = text[start:end]
        start = text.find('{', end)
    return found.encode(errors='replace') if found else None
